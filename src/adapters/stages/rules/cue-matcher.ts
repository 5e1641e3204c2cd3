import { type Concept, type ConceptIds, conceptId, entriesOf } from './concepts.ts';

/** The weight of a cue by its strength. A hint alone stays below the verifier's threshold, a fair cue just passes it. */
export const weights = { decisive: 5, strong: 3.8, fair: 2.6, hint: 1.2 } as const;

/** How strongly a cue speaks for its topic. */
export type Strength = keyof typeof weights;

/** All strengths, the strongest first. */
export const strengths = ['decisive', 'strong', 'fair', 'hint'] as const satisfies readonly Strength[];

/**
 * The cues for each topic, separated by commas. A cue is a list of concepts that one clause must contain, in any
 * order, or, after `!`, must not contain. Its first concept is the one that it is indexed by.
 */
export type CueTable<Topic extends string> = Readonly<
  Record<Topic, Readonly<Partial<Record<Strength, string>>>>
>;

/** A parsed cue. */
export interface Cue<Topic> {
  readonly topic: Topic;
  readonly weight: number;
  /** As it is written in the table. */
  readonly name: string;
  /** The concepts that a clause must contain besides the first one. */
  readonly required: readonly Concept[];
  readonly excluded: readonly Concept[];
}

/** Finds the heaviest cue of each topic for the concepts of a clause, in no particular order. */
export type MatchCues<Topic> = (concepts: readonly Concept[]) => readonly Cue<Topic>[];

/** Indexes the cues of a table by their first concept. Throws where a cue names an unknown concept. */
export function createCueMatcher<Topic extends string>(
  concepts: ConceptIds,
  topics: readonly Topic[],
  table: CueTable<Topic>,
): MatchCues<Topic> {
  const index = new Map<Concept, Cue<Topic>[]>();
  const numberOf = (name: string): Concept => conceptId(concepts, name);
  for (const topic of topics) {
    for (const strength of strengths) {
      for (const name of cueNames(table[topic][strength])) {
        const { first, required, excluded } = parseCue(name);
        const cue = {
          topic,
          weight: weights[strength],
          name,
          required: required.map(numberOf),
          excluded: excluded.map(numberOf),
        };
        const indexed = index.get(numberOf(first));
        if (indexed === undefined) index.set(numberOf(first), [cue]);
        else indexed.push(cue);
      }
    }
  }
  return (found) => {
    const heaviest: Cue<Topic>[] = [];
    for (const concept of found) {
      for (const cue of index.get(concept) ?? []) {
        if (matches(found, cue)) addIfHeaviest(heaviest, cue);
      }
    }
    return heaviest;
  };
}

function cueNames(cell: string | undefined): readonly string[] {
  return cell === undefined ? [] : entriesOf(cell);
}

/** The concepts of a cue: the first one, the others that are required, and those that are excluded. */
export function parseCue(name: string): { first: string; required: string[]; excluded: string[] } {
  const [first = '', ...others] = name.split(' ');
  const excluded = others.filter((concept) => concept.startsWith('!'));
  return {
    first,
    required: others.filter((concept) => !concept.startsWith('!')),
    excluded: excluded.map((concept) => concept.slice(1)),
  };
}

function matches(found: readonly Concept[], cue: Cue<unknown>): boolean {
  for (const concept of cue.required) if (!found.includes(concept)) return false;
  for (const concept of cue.excluded) if (found.includes(concept)) return false;
  return true;
}

/** Stores one cue per topic: the heaviest, and the first one found where several have the same weight. */
function addIfHeaviest<Topic>(heaviest: Cue<Topic>[], cue: Cue<Topic>): void {
  const position = heaviest.findIndex(({ topic }) => topic === cue.topic);
  const known = heaviest[position];
  if (known === undefined) heaviest.push(cue);
  else if (cue.weight > known.weight) heaviest[position] = cue;
}
