import { itemAt } from '../../lib/array.ts';
import type { KeywordAgent } from './keywords.ts';
import { type GoalClause, readGoal } from './reading.ts';
import type { PlannedSubTask } from './routing.ts';

/** The subtasks of a goal, and the clauses that belong to none. */
export interface KeywordDecomposition {
  readonly subtasks: readonly PlannedSubTask[];
  /** In the order of the goal. */
  readonly unassigned: readonly string[];
}

/** Adjacent clauses for one agent, by index. */
interface Segment {
  readonly agent: KeywordAgent;
  readonly first: number;
  last: number;
}

/** The clauses of a goal with the segments that they form. */
interface Assignment {
  readonly goal: string;
  readonly clauses: readonly GoalClause[];
  readonly segments: readonly Segment[];
}

/**
 * Assigns each clause of a goal to the agents whose keywords it has outside of its material, in the order of the goal
 * (decisions, section 4). The agents of one clause are in the order of their keywords. Adjacent clauses of one agent
 * become one subtask. A statement without a keyword joins the clause before, or the first match. An instruction without
 * a keyword, or with negated ones only, is not assigned. Above `maxSubtasks`, each agent gets all of its clauses in one
 * subtask. The time is at worst the length of the goal times the agents.
 */
export function decomposeGoal(
  goal: string,
  agents: readonly KeywordAgent[],
  maxSubtasks: number,
): KeywordDecomposition {
  const clauses = readGoal(goal, agents);
  const assignment: Assignment = { goal, clauses, segments: segmentsOf(clauses) };
  const kept = groups(assignment.segments, maxSubtasks);
  return {
    subtasks: kept.map((segments) => subtaskOf(assignment, segments)),
    unassigned: unassignedOf(assignment, kept.flat()),
  };
}

/** The segments of each subtask. */
function groups(segments: readonly Segment[], maxSubtasks: number): (readonly [Segment, ...Segment[]])[] {
  if (segments.length <= maxSubtasks) return segments.map((segment) => [segment]);
  const byAgent = new Map<KeywordAgent, [Segment, ...Segment[]]>();
  for (const segment of segments) {
    const known = byAgent.get(segment.agent);
    if (known === undefined) byAgent.set(segment.agent, [segment]);
    else known.push(segment);
  }
  return [...byAgent.values()].slice(0, maxSubtasks);
}

function subtaskOf(
  { goal, clauses }: Assignment,
  segments: readonly [Segment, ...Segment[]],
): PlannedSubTask {
  const [{ agent }] = segments;
  const text = segments
    .map(({ first, last }) => goal.slice(itemAt(clauses, first).start, itemAt(clauses, last).end))
    .join('\n');
  const words = new Map<string, string>();
  for (const { first, last } of segments) {
    for (const clause of clauses.slice(first, last + 1)) {
      for (const match of clause.matches) {
        const key = match.text.toLowerCase();
        if (match.agent === agent && !match.isNegated && !words.has(key)) words.set(key, match.text);
      }
    }
  }
  return { agentName: agent.name, payload: { text, message: text, goal }, matched: [...words.values()] };
}

function unassignedOf({ goal, clauses }: Assignment, segments: readonly Segment[]): string[] {
  const taken = new Set<number>();
  for (const { first, last } of segments) for (let index = first; index <= last; index++) taken.add(index);
  return clauses.filter((_, index) => !taken.has(index)).map(({ start, end }) => goal.slice(start, end));
}

/** Joins adjacent clauses by the agents of each. */
function segmentsOf(clauses: readonly GoalClause[]): Segment[] {
  const segments: Segment[] = [];
  let open = new Map<KeywordAgent, Segment>();
  // The first of the statements that belong to the next match, because there is no clause before them.
  let leading: number | undefined = 0;
  clauses.forEach((clause, index) => {
    const agents = agentsOf(clause);
    if (agents.size === 0) {
      if (clause.isInstruction || clause.matches.length > 0) {
        open = new Map();
        leading = undefined;
      } else for (const segment of open.values()) segment.last = index;
      return;
    }
    const next = new Map<KeywordAgent, Segment>();
    for (const agent of agents) {
      const segment = open.get(agent) ?? { agent, first: leading ?? index, last: index };
      if (!open.has(agent)) segments.push(segment);
      segment.last = index;
      next.set(agent, segment);
    }
    open = next;
    leading = undefined;
  });
  return segments;
}

/** The agents that a clause chooses, in the order of its keywords. */
function agentsOf({ matches }: GoalClause): Set<KeywordAgent> {
  const agents = new Set<KeywordAgent>();
  for (const { agent, isNegated } of matches) if (!isNegated) agents.add(agent);
  return agents;
}
