import type { JsonValue } from '../../lib/json/json.ts';

/** Where the values of the builder keep what they stand for. No JSON has it. */
export const built: unique symbol = Symbol('built');

/** A read of the output of a step. */
export interface StepRead {
  readonly stepId: string;
  /** The member of the output; undefined where all of it is read, or a member that is known only in a run. */
  readonly member?: string | undefined;
}

/** The source of an expression, and what it reads. */
export interface ExpressionSource<T = unknown> {
  readonly kind: 'expression';
  /** CEL. */
  readonly cel: string;
  readonly reads: readonly StepRead[];
  /** True where it reads `item` or `index`. */
  readonly readsItem: boolean;
  /** `output` for a reference to a complete output, `path` for one to a part of a value; else it is computed. */
  readonly form: 'output' | 'path' | 'computed';
  /** The type of the value. It exists only for the compiler. */
  readonly type?: T;
}

/** What a text consists of. */
export interface TextSource {
  readonly kind: 'text';
  /** As in the JSON form, with `${{ … }}`. */
  readonly template: string;
  readonly expressions: readonly CelExpression[];
}

/** The value of a literal. */
export interface LiteralSource {
  readonly kind: 'literal';
  readonly value: JsonValue;
}

/** What gives a type to the compiler alone. */
export interface ShapeSource<T = unknown> {
  readonly kind: 'shape';
  readonly type?: T;
}

/**
 * A value that is computed when the step runs: an expression, or a reference. `T` is its type; one whose type is not
 * known fits everywhere, as `never` does.
 */
export interface CelExpression<T = unknown> {
  readonly [built]: ExpressionSource<T>;
}

/** A text with references. */
export interface TextTemplate {
  readonly [built]: TextSource;
}

/** A value that is taken as it is, whatever its texts look like. */
export interface Literal {
  readonly [built]: LiteralSource;
}

/** A type without a schema. */
export interface Shape<T> {
  readonly [built]: ShapeSource<T>;
}

/** What can be inserted into an expression or a text: references, other expressions, and values. */
export type Part = CelExpression | Literal | JsonValue;

/** What a value of the builder stands for; undefined for JSON. */
export function builtSource(
  value: unknown,
): ExpressionSource | TextSource | LiteralSource | ShapeSource | undefined {
  return isBuilt(value) ? value[built] : undefined;
}

/** True for references and expressions. */
export function isExpression(value: unknown): value is CelExpression {
  return builtSource(value)?.kind === 'expression';
}

function isBuilt(value: unknown): value is CelExpression | TextTemplate | Literal | Shape<unknown> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && built in value;
}
