import type { TextSpan } from '../../lib/text/sentences.ts';
import { type GoalClause, readGoal } from './reading.ts';

/**
 * The material of an agent: the text without the instructions for that agent, which are known by its keywords. The text
 * of a subtask (`isSubTask`) loses every such clause, and those about the manner of the work, and keeps the material.
 * Another text may speak of the same things without being an instruction, and loses only a first clause that announces
 * or quotes its material, such as `Summarize this:`. Empty where a text has nothing but instructions.
 */
export function materialOf(text: string, keywords: readonly string[], isSubTask: boolean): string {
  const clauses = readGoal(text, [{ name: '', keywords }]);
  const omitted = isSubTask ? instructionsOf(clauses) : announcementOf(clauses);
  if (omitted.size === 0) return text;
  return partsOf(clauses, omitted)
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((part) => part !== '')
    .join('\n');
}

/** The clauses that instruct the agent. What stands before one that brings its material only introduces it. */
function instructionsOf(clauses: readonly GoalClause[]): Set<GoalClause> {
  const omitted = new Set(clauses.filter(({ matches, saysHow }) => matches.length > 0 || saysHow));
  const bringing = clauses.findIndex(({ matches, material }) => matches.length > 0 && material.length > 0);
  for (const clause of clauses.slice(0, Math.max(0, bringing))) {
    if (clause.material.length === 0) omitted.add(clause);
  }
  return omitted;
}

function announcementOf(clauses: readonly GoalClause[]): Set<GoalClause> {
  const [first] = clauses;
  const isOne =
    first !== undefined && first.matches.length > 0 && first.isInstruction && first.material.length > 0;
  return new Set(isOne ? [first] : []);
}

/** The material of the clauses that are omitted, and the others. Adjacent others are one part. */
function partsOf(clauses: readonly GoalClause[], omitted: ReadonlySet<GoalClause>): TextSpan[] {
  const parts: TextSpan[] = [];
  let joins = false;
  for (const clause of clauses) {
    const last = parts.at(-1);
    if (omitted.has(clause)) parts.push(...clause.material);
    else if (joins && last !== undefined) parts[parts.length - 1] = { start: last.start, end: clause.end };
    else parts.push(clause);
    joins = !omitted.has(clause);
  }
  return parts;
}
