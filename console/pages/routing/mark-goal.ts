/** A subtask as far as the goal shows it. */
export interface Clause {
  readonly agent_name: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The words by which its agent was chosen. */
  readonly matched: readonly string[];
}

/** A piece of a goal. */
export interface Piece {
  readonly text: string;
  /** The agents that got it, in the order of the subtasks. */
  readonly agents: readonly string[];
  /** True where no agent takes it. */
  readonly isUnassigned: boolean;
  /** True for a word by which an agent was chosen. */
  readonly isWord: boolean;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Cuts a goal into pieces by who got them. A clause is found by its text; what is found nowhere in the goal, such as
 * the texts of subtasks that a caller wrote, colours nothing.
 */
export function markGoal(
  goal: string,
  clauses: readonly Clause[],
  unassigned: readonly string[],
): readonly Piece[] {
  const taken = clauses.map((clause) => ({ clause, range: rangeOf(goal, clause.payload['text']) }));
  const left = unassigned.map((text) => rangeOf(goal, text));
  const words = taken.flatMap(({ clause, range }) =>
    range === undefined ? [] : clause.matched.flatMap((word) => wordsIn(goal, range, word)),
  );
  const ranges = [...taken.map(({ range }) => range), ...left, ...words].filter(
    (range) => range !== undefined,
  );
  const cuts = [...new Set([0, goal.length, ...ranges.flatMap(({ from, to }) => [from, to])])].toSorted(
    (a, b) => a - b,
  );
  return cuts.slice(0, -1).map((from, index) => {
    const to = cuts[index + 1] ?? goal.length;
    const covers = (range: Range | undefined): boolean =>
      range !== undefined && range.from <= from && to <= range.to;
    const agents = taken.flatMap(({ clause, range }) => (covers(range) ? [clause.agent_name] : []));
    return {
      text: goal.slice(from, to),
      agents: [...new Set(agents)],
      isUnassigned: left.some(covers),
      isWord: words.some(covers),
    };
  });
}

function rangeOf(goal: string, text: unknown): Range | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const from = goal.indexOf(text);
  return from < 0 ? undefined : { from, to: from + text.length };
}

/** Where a word stands in a part of the goal, in capitals or not: its first place. */
function wordsIn(goal: string, { from, to }: Range, word: string): readonly Range[] {
  const at = lowerCase(goal.slice(from, to)).indexOf(lowerCase(word));
  return at < 0 || word === '' ? [] : [{ from: from + at, to: from + at + word.length }];
}

/** A text in small letters at the same places: `İ` is the only letter that would become longer. */
const lowerCase = (text: string): string => text.replaceAll('İ', 'i').toLowerCase();

/** Tones for agents, in the order in which they appear; after the last one they begin again. */
const tones = ['accent', 'busy', 'wait', 'warn', 'good', 'calm'] as const;

/** The number and the tone of each agent, in the order of the subtasks. */
export function numberAgents(
  clauses: readonly Clause[],
): ReadonlyMap<string, { readonly number: number; readonly tone: (typeof tones)[number] }> {
  const names = [...new Set(clauses.map(({ agent_name }) => agent_name))];
  return new Map(
    names.map((name, index) => [name, { number: index + 1, tone: tones[index % tones.length] ?? 'calm' }]),
  );
}
