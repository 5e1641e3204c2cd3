import type { ExpressionValues } from '../../../../domain/workflow/expression.ts';
import { ExpressionError, type Place, type Source, WorkLimitError } from '../error.ts';
import type { Node } from './syntax.ts';
import { describeKind, type Kind, kindOf, type Value } from './value.ts';
import { spend, type Work } from './work.ts';

/** One evaluation. */
export interface Evaluation {
  readonly values: ExpressionValues;
  /** The variables of macros, by the slot that each got when it was compiled. */
  readonly locals: Value[];
  readonly work: Work;
}

/** A compiled part of an expression. */
export interface Code {
  /** The kind of its value, as far as the expression alone shows it. */
  readonly kind: Kind;
  /** The value, for literals. */
  readonly literal?: string | bigint;
  /** The path from a root, for members and indexes that are literals; the path is a reference where nothing follows. */
  readonly path?: readonly string[];
  /** The name of its value in errors: `steps.ask.data`. Undefined for what is computed. */
  readonly name?: string;
  /**
   * For a member or item: the same as `evaluate`, but undefined where it, or a container before it, is not there, and
   * where a container is null.
   */
  readonly lookUp?: (evaluation: Evaluation) => Value | undefined;
  evaluate(evaluation: Evaluation): Value;
}

/** The state of compiling an expression. */
export interface Context {
  readonly source: Source;
  readonly roots: readonly string[];
  /** The slots of the variables of macros around this place. */
  readonly locals: ReadonlyMap<string, number>;
  /** The work of compiling. */
  readonly work: Work;
  readonly references: (readonly string[])[];
  /** The number of parts compiled so far. */
  readonly parts: { count: number };
  readonly depth: number;
  /** Compiles any part, without recording a path that the part around it may lengthen. */
  readonly compilePart: (node: Node, context: Context) => Code;
}

/** Compiles a part of an expression, and records what it reads. Throws {@link ExpressionError}. */
export function compile(node: Node, context: Context): Code {
  const code = context.compilePart(node, context);
  if (code.path !== undefined) context.references.push(code.path);
  return code;
}

/** Units for an error that another part makes up for: making one costs far more than evaluating a part. */
const ERROR_COST = 500;

/** The place of a part. */
export function placeOf(context: Context, offset: number): Place {
  return { source: context.source, offset };
}

/** Refuses a part that can never be of one of the kinds. `what` names the part: `"+" takes …`. */
export function requireKind(code: Code, kinds: readonly Kind[], what: string, place: Place): void {
  if (code.kind !== 'any' && !kinds.includes(code.kind)) throw wrongKind(code.kind, kinds, what, place);
}

/** The end of a message: `; steps.ask.data is null`. Empty for what has no name. */
export function foundKind({ name }: Code, value: Value): string {
  return name === undefined ? '' : `; ${name} is ${describeKind(kindOf(value))}`;
}

/** The boolean that a part, `code`, evaluates to. Throws {@link ExpressionError} for other values. */
export function toBoolean(value: Value, what: string, place: Place, code?: Code): boolean {
  if (typeof value === 'boolean') return value;
  const found = code === undefined ? '' : foundKind(code, value);
  throw wrongKind(kindOf(value), ['boolean'], what, place, found);
}

/** The error for a value of the wrong kind; `found` is what {@link foundKind} tells of it. */
export function wrongKind(
  kind: Kind,
  kinds: readonly Kind[],
  what: string,
  place: Place,
  found = '',
): ExpressionError {
  const wanted = kinds.map(describeKind).join(' or ');
  return new ExpressionError(`${what} takes ${wanted}, not ${describeKind(kind)}${found}`, place);
}

/**
 * Pays for an error that does not count where another part decides. Throws the errors that always count: those of too
 * much work, and those of this code.
 */
export function spendError(error: unknown, evaluation: Evaluation, place: Place): void {
  if (!(error instanceof ExpressionError) || error instanceof WorkLimitError) throw error;
  spend(evaluation.work, ERROR_COST, place);
}
