import { type CueTable, entriesOf, strengths, weights } from './tables.ts';

/** A cue of the table, taken apart. */
export interface Cue<Topic> {
  readonly topic: Topic;
  readonly weight: number;
  /** As the table writes it. */
  readonly name: string;
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

/** Finds the heaviest cue of each topic that some concepts hold. */
export type FindCues<Topic> = (concepts: ReadonlySet<string>) => ReadonlyMap<Topic, Cue<Topic>>;

/** Looks cues up by their first concept, so that only those are tried that have a chance. */
export function createCueIndex<Topic extends string>(
  topics: readonly Topic[],
  table: CueTable<Topic>,
): FindCues<Topic> {
  const byAnchor = new Map<string, Cue<Topic>[]>();
  for (const topic of topics) {
    for (const strength of strengths) {
      for (const name of entriesOf(table[topic][strength] ?? '')) {
        if (name === '') continue;
        const { anchor, present, absent } = takeApart(name);
        const cue: Cue<Topic> = { topic, weight: weights[strength], name, present, absent };
        const others = byAnchor.get(anchor);
        if (others === undefined) byAnchor.set(anchor, [cue]);
        else others.push(cue);
      }
    }
  }
  return (concepts) => {
    const best = new Map<Topic, Cue<Topic>>();
    for (const concept of concepts) {
      for (const cue of byAnchor.get(concept) ?? []) {
        if (cue.weight > (best.get(cue.topic)?.weight ?? 0) && holds(concepts, cue)) best.set(cue.topic, cue);
      }
    }
    return best;
  };
}

/** The concepts that a cue names: the first one, the others that must be present, and those that must be absent. */
export function takeApart(name: string): { anchor: string; present: string[]; absent: string[] } {
  const [anchor = '', ...others] = name.split(' ');
  const absent = others.filter((concept) => concept.startsWith('!'));
  return {
    anchor,
    present: others.filter((concept) => !concept.startsWith('!')),
    absent: absent.map((concept) => concept.slice(1)),
  };
}

function holds(concepts: ReadonlySet<string>, cue: Cue<unknown>): boolean {
  for (const concept of cue.present) if (!concepts.has(concept)) return false;
  for (const concept of cue.absent) if (concepts.has(concept)) return false;
  return true;
}
