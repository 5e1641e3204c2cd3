import { itemAt } from '../../lib/array.ts';
import { clauseSpans } from '../../lib/text/clauses.ts';
import type { TextSpan } from '../../lib/text/sentences.ts';
import { eachWord, memoize, stemWord } from '../../lib/text/words.ts';
import type { SubTask } from './routing.ts';

/** The part of an agent that the keyword decomposer uses. */
export interface KeywordAgent {
  readonly name: string;
  readonly keywords?: readonly string[];
}

/** A keyword of an agent as stems; most have one word. */
interface Phrase {
  readonly agent: KeywordAgent;
  readonly stems: readonly string[];
}

/** The phrases by their first stem. */
type Phrases = ReadonlyMap<string, readonly Phrase[]>;

/** Adjacent clauses for one agent, by index. */
interface Segment {
  readonly agent: KeywordAgent;
  readonly first: number;
  last: number;
}

/**
 * Assigns each clause of a goal to the agents whose keywords it has, in the order of the goal (decisions, section 4).
 * Keywords match complete words and their inflections, case-insensitively; several words match as a phrase. The agents
 * of one clause are in the order of their keywords. Adjacent clauses of one agent become one subtask. A clause without
 * a match joins the one before, or the first match. Above `maxSubtasks`, each agent gets all of its clauses in one
 * subtask. Without any match there are no subtasks. The time is at worst the length of the goal times the agents.
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
  const textOf = ({ first, last }: Segment): string =>
    goal.slice(itemAt(clauses, first).start, itemAt(clauses, last).end);
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

/** The agents whose keywords a clause has, in the order of the keywords. */
function agentsFor(stems: readonly string[], phrases: Phrases): Set<KeywordAgent> {
  const found = new Set<KeywordAgent>();
  stems.forEach((stem, at) => {
    for (const phrase of phrases.get(stem) ?? []) {
      if (phrase.stems.every((part, index) => part === stems[at + index])) found.add(phrase.agent);
    }
  });
  return found;
}

/** Joins adjacent clauses by the agents of each. */
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
