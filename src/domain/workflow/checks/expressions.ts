import type { Step } from '../definition.ts';
import type { ExpressionLanguage, ParseBudget } from '../expression.ts';
import type { DefinitionIssue, DefinitionIssues } from '../issues.ts';
import {
  type ExpressionMember,
  inputExpression,
  MAX_TEXTS,
  type Parsing,
  parseMember,
  parseMemberTexts,
  type Reads,
  type StepTemplates,
  type TemplateMember,
  unreadable,
} from '../members.ts';
import { isLiteralTime, timeOf } from '../plan.ts';
import { InputError } from '../template.ts';

/** A reference of an expression to the output of a step, by their indexes. */
export interface ExpressionReference {
  readonly step: number;
  readonly target: number;
  readonly targetId: string;
  readonly path: DefinitionIssue['path'];
}

const noReads: Reads = { steps: [], facts: false };

/** The context of checking the expressions of a definition. */
export interface ExpressionChecks {
  readonly language: ExpressionLanguage;
  readonly indexes: ReadonlyMap<string, number>;
  readonly issues: DefinitionIssues;
  /** Collects the references, which are checked together when all expressions are known. */
  readonly references: ExpressionReference[];
  readonly budget: ParseBudget;
}

/**
 * Units of work for parsing all expressions of a definition: about as much as 100 patterns of the largest size take,
 * less than a second.
 */
export const MAX_PARSE_WORK = 10_000_000;

/**
 * Parses the expressions of a step and adds their issues, until so many are known that more are not told. Yields
 * between parts that may take some milliseconds.
 */
export function* checkExpressions(
  step: Step,
  index: number,
  { input, items, title }: StepTemplates,
  checks: ExpressionChecks,
): Generator<void, void> {
  if (checks.issues.isFull) return;
  for (const member of expressionMembers(step)) {
    check(index, member.name.split('.'), checks, (parsing) => parseMember(member, parsing).reads);
    yield;
  }
  if (step.kind === 'wait' && step.until !== undefined && isLiteralTime(step.until)) {
    const { until } = step;
    check(index, ['until'], checks, () => {
      timeOf(until);
      return noReads;
    });
  }
  for (const member of [items, title, input]) {
    if (member !== undefined) yield* checkTexts(member, index, checks);
  }
}

function expressionMembers(step: Step): readonly ExpressionMember[] {
  const { when, foreach } = step;
  const perItem = foreach !== undefined;
  const members: ExpressionMember[] = [];
  if (when !== undefined) members.push({ name: 'when', source: when, kind: 'boolean', perItem: false });
  if (typeof foreach?.items === 'string') {
    members.push({ name: 'foreach.items', source: foreach.items, kind: 'list', perItem: false });
  }
  const input = inputExpression(step);
  if (input !== undefined) members.push(input);
  if (step.kind === 'wait' && step.until !== undefined && !isLiteralTime(step.until)) {
    members.push({ name: 'until', source: step.until, kind: 'text', perItem });
  }
  return members;
}

/** Parses the texts of a member together, and each by itself where that fails, so that all issues are told. */
export function* checkTexts(
  member: TemplateMember,
  index: number | null,
  checks: ExpressionChecks,
): Generator<void, void> {
  const { texts } = member.compiled;
  if (texts.length === 0) return;
  const before = checks.issues.count;
  const path = member.name.split('.');
  const isValid = tryParse(() => parseMemberTexts(member, parsingOf(checks)).reads);
  yield;
  if (isValid.reads !== undefined) {
    addReferences(index, path, isValid.reads, checks);
    return;
  }
  if (texts.length > MAX_TEXTS) {
    addIssue(index, path, checks, isValid.error);
    return;
  }
  for (const text of texts) {
    if (checks.issues.isFull) return;
    const textPath = [...member.prefix, ...text.path];
    check(index, textPath, checks, (parsing) => parseMemberTexts(member, parsing, [text]).reads);
    yield;
  }
  // Each text is valid by itself, but together they are too much.
  if (checks.issues.count === before) addIssue(index, path, checks, isValid.error);
}

function tryParse(parse: () => Reads): { readonly reads?: Reads; readonly error: string } {
  try {
    return { reads: parse(), error: '' };
  } catch (error) {
    if (error instanceof InputError) return { error: error.message };
    throw error;
  }
}

function check(
  index: number | null,
  path: readonly string[],
  checks: ExpressionChecks,
  parse: (parsing: Parsing) => Reads,
): void {
  const { reads, error } = tryParse(() => parse(parsingOf(checks)));
  if (reads === undefined) addIssue(index, path, checks, error);
  else addReferences(index, path, reads, checks);
}

function parsingOf({ language, indexes, budget }: ExpressionChecks): Parsing {
  if (budget.left <= 0) throw new InputError('the expressions of the definition take too much work together');
  const findStep: Parsing['findStep'] = (id) => {
    const found = indexes.get(id);
    if (found === undefined) throw unreadable(id, 'unknown');
    return found;
  };
  return { language, findStep, budget };
}

/** The path in the request; `index` is null for a member of the definition. */
function fullPath(index: number | null, path: readonly string[]): DefinitionIssue['path'] {
  return index === null ? path : ['steps', index, ...path];
}

/** The messages of a plan begin with the place within the step, which the path of the issue tells. */
function addIssue(
  index: number | null,
  path: readonly string[],
  { issues }: ExpressionChecks,
  message: string,
): void {
  const prefix = `${path.join('.')}: `;
  issues.add(fullPath(index, path), () =>
    message.startsWith(prefix) ? message.slice(prefix.length) : message,
  );
}

function addReferences(
  index: number | null,
  path: readonly string[],
  reads: Reads,
  { references }: ExpressionChecks,
): void {
  if (index === null) return;
  for (const [targetId, target] of reads.steps) {
    references.push({ step: index, target, targetId, path: fullPath(index, path) });
  }
}
