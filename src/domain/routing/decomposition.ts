import { clauseSpans } from '../../lib/text/clauses.ts';
import type { TextSpan } from '../../lib/text/sentences.ts';
import { eachWord, memoize, stemWord } from '../../lib/text/words.ts';
import type { SubTask } from './routing.ts';

/** An agent as far as the keyword decomposer knows it. */
export interface KeywordAgent {
  readonly name: string;
  readonly keywords?: readonly string[];
}

/** A keyword of an agent, as stems; most have one. */
interface Phrase {
  readonly agent: KeywordAgent;
  readonly stems: readonly string[];
}

/** The phrases by their first stem. */
type Phrases = ReadonlyMap<string, readonly Phrase[]>;

/** Neighbouring clauses that one agent gets, by their indices. */
interface Segment {
  readonly agent: KeywordAgent;
  readonly first: number;
  last: number;
}

/**
 * Gives each clause of a goal to the agents whose keywords it holds, in the goal's order (decisions, section 4).
 * Keywords match as whole words and their inflections, whatever their case; several words as a phrase. Of several
 * agents for one clause the one whose keyword comes first goes first. Neighbouring clauses of one agent become one
 * subtask, a clause with no match joins what came before it, or the first match where nothing did. Where that
 * makes more than `maxSubtasks`, each agent gets all of its clauses in one. Where nothing matches there are none.
 * Time grows with the length of the goal, times the number of agents at worst.
 */
export function subtasksByKeywords(
  goal: string,
  agents: readonly KeywordAgent[],
  maxSubtasks: number,
): SubTask[] {
  const stemmer = memoize(stemWord);
  const phrases = phrasesOf(agents, stemmer);
  const clauses = clauseSpans(goal);
  const segments = segmentsOf(clauses.map((clause) => agentsFor(wordStems(goal, clause, stemmer), phrases)));
  const textOf = ({ first, last }: Segment): string => goal.slice(clauses[first]?.start, clauses[last]?.end);
  if (segments.length <= maxSubtasks) {
    return segments.map((segment) => subtask(goal, segment.agent, textOf(segment)));
  }
  return [...Map.groupBy(segments, ({ agent }) => agent)]
    .slice(0, maxSubtasks)
    .map(([agent, ofAgent]) => subtask(goal, agent, ofAgent.map(textOf).join('\n')));
}

function subtask(goal: string, agent: KeywordAgent, text: string): SubTask {
  return { agentName: agent.name, payload: { text, message: text, goal } };
}

function phrasesOf(agents: readonly KeywordAgent[], stemmer: (word: string) => string): Phrases {
  const phrases = new Map<string, Phrase[]>();
  for (const agent of agents) {
    for (const keyword of agent.keywords ?? []) {
      const stems = wordStems(keyword, { start: 0, end: keyword.length }, stemmer);
      const [first] = stems;
      if (first === undefined) continue;
      const known = phrases.get(first);
      if (known === undefined) phrases.set(first, [{ agent, stems }]);
      else known.push({ agent, stems });
    }
  }
  return phrases;
}

function wordStems(text: string, { start, end }: TextSpan, stemmer: (word: string) => string): string[] {
  const stems: string[] = [];
  eachWord(text, start, end, (from, to) => stems.push(stemmer(text.slice(from, to))));
  return stems;
}

/** The agents whose keywords a clause holds, in the order of their first keyword there. */
function agentsFor(stems: readonly string[], phrases: Phrases): Set<KeywordAgent> {
  const found = new Set<KeywordAgent>();
  stems.forEach((stem, at) => {
    for (const phrase of phrases.get(stem) ?? []) {
      if (phrase.stems.every((part, index) => part === stems[at + index])) found.add(phrase.agent);
    }
  });
  return found;
}

/** Joins neighbouring clauses, given the agents of each. */
function segmentsOf(agentsByClause: readonly ReadonlySet<KeywordAgent>[]): Segment[] {
  const segments: Segment[] = [];
  let open = new Map<KeywordAgent, Segment>();
  agentsByClause.forEach((agents, clause) => {
    if (agents.size === 0) {
      for (const segment of open.values()) segment.last = clause;
      return;
    }
    const next = new Map<KeywordAgent, Segment>();
    for (const agent of agents) {
      let segment = open.get(agent);
      if (segment === undefined) {
        segment = { agent, first: open.size === 0 ? 0 : clause, last: clause };
        segments.push(segment);
      }
      segment.last = clause;
      next.set(agent, segment);
    }
    open = next;
  });
  return segments;
}
