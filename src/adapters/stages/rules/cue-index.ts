import type { Concept, Concepts } from './concept.ts';
import { type CueTable, entriesOf, strengths, weights } from './tables.ts';

/** A cue of the table, taken apart. */
export interface Cue<Topic> {
  readonly topic: Topic;
  readonly weight: number;
  /** As the table writes it. */
  readonly name: string;
  readonly present: readonly Concept[];
  readonly absent: readonly Concept[];
}

/** Finds the heaviest cue of each topic that some concepts hold, in no order. */
export type FindCues<Topic> = (concepts: readonly Concept[]) => readonly Cue<Topic>[];

/** Looks cues up by their first concept, so that only those are tried that have a chance. */
export function createCueIndex<Topic extends string>(
  concepts: Concepts,
  topics: readonly Topic[],
  table: CueTable<Topic>,
): FindCues<Topic> {
  const byAnchor: Cue<Topic>[][] = Array.from(concepts, () => []);
  const numberOf = (name: string): Concept => {
    const number = concepts.get(name);
    if (number === undefined) throw new Error(`a cue names the unknown concept ${name}`);
    return number;
  };
  for (const topic of topics) {
    for (const strength of strengths) {
      for (const name of entriesOf(table[topic][strength] ?? '')) {
        if (name === '') continue;
        const { anchor, present, absent } = takeApart(name);
        byAnchor[numberOf(anchor)]?.push({
          topic,
          weight: weights[strength],
          name,
          present: present.map(numberOf),
          absent: absent.map(numberOf),
        });
      }
    }
  }
  return (held) => {
    const best: Cue<Topic>[] = [];
    for (const concept of held) {
      for (const cue of byAnchor[concept] ?? []) {
        if (holds(held, cue)) keepHeaviest(best, cue);
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

function holds(held: readonly Concept[], cue: Cue<unknown>): boolean {
  for (const concept of cue.present) if (!held.includes(concept)) return false;
  for (const concept of cue.absent) if (held.includes(concept)) return false;
  return true;
}

/** Of a topic's cues, equally heavy ones too, the first one found stays unless a heavier one follows. */
function keepHeaviest<Topic>(best: Cue<Topic>[], cue: Cue<Topic>): void {
  for (let at = 0; at < best.length; at++) {
    const other = best[at];
    if (other?.topic !== cue.topic) continue;
    if (cue.weight > other.weight) best[at] = cue;
    return;
  }
  best.push(cue);
}
