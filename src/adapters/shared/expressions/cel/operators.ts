import { ExpressionError, type Place } from '../error.ts';
import type { Code, Run } from './code.ts';
import {
  checkFinite,
  checkInteger,
  describeKind,
  isEqual,
  isList,
  isMap,
  isNumber,
  type Kind,
  kindOf,
  memberOf,
  type Value,
} from './value.ts';
import { spend, spendCharacters, spendNewText, spendText, type Work } from './work.ts';

type Operation = (left: Value, right: Value, work: Work, place: Place) => Value;

interface Operator {
  readonly result: Kind;
  /** The pairs of kinds that it takes; all when absent. The result has the kind of the left one where it is `any`. */
  readonly takes?: readonly (readonly [Kind, Kind])[];
  readonly apply: Operation;
}

const numbers = [['number', 'number']] as const;
const ordered = [
  ['number', 'number'],
  ['text', 'text'],
  ['boolean', 'boolean'],
] as const;
const joined = [
  ['number', 'number'],
  ['text', 'text'],
  ['list', 'list'],
] as const;
const contained = (['list', 'object'] as const).flatMap((container) =>
  (['null', 'boolean', 'number', 'text', 'list', 'object'] as const).map(
    (kind) => [kind, container] as const,
  ),
);

/** Arithmetic on two numbers: of two integers as in CEL, else of doubles. Undefined for other values. */
function calculate(
  integers: (left: bigint, right: bigint) => bigint,
  doubles: (left: number, right: number) => number,
): (left: Value, right: Value, place: Place) => Value | undefined {
  return (left, right, place) => {
    if (typeof left === 'bigint' && typeof right === 'bigint') {
      return checkInteger(integers(left, right), place);
    }
    if (!isNumber(left) || !isNumber(right)) return undefined;
    return checkFinite(doubles(Number(left), Number(right)), place);
  };
}

const sum = calculate(
  (left, right) => left + right,
  (left, right) => left + right,
);
const difference = calculate(
  (left, right) => left - right,
  (left, right) => left - right,
);
const product = calculate(
  (left, right) => left * right,
  (left, right) => left * right,
);
const quotient = calculate(
  (left, right) => left / right,
  (left, right) => left / right,
);
const remainder = calculate(
  (left, right) => left % right,
  (left, right) => left % right,
);

function add(left: Value, right: Value, work: Work, place: Place): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    spendNewText(work, left.length + right.length, place);
    return left + right;
  }
  if (isList(left) && isList(right)) {
    spend(work, left.length + right.length, place);
    return [...left, ...right];
  }
  return sum(left, right, place) ?? mismatch('+', left, right, place);
}

function arithmetic(name: string, apply: typeof sum): Operation {
  const divides = name === '/' || name === '%';
  return (left, right, _work, place) => {
    if (divides && (right === 0 || right === 0n) && isNumber(left)) {
      throw new ExpressionError('division by zero', place);
    }
    return apply(left, right, place) ?? mismatch(name, left, right, place);
  };
}

function ordering(name: string, holds: (order: number) => boolean): Operation {
  return (left, right, work, place) => {
    if (typeof left === 'string' && typeof right === 'string') {
      spendText(work, Math.min(left.length, right.length), place);
    } else if (!(isNumber(left) && isNumber(right)) && !(isBoolean(left) && isBoolean(right))) {
      return mismatch(name, left, right, place);
    }
    return holds(left < right ? -1 : left > right ? 1 : 0);
  };
}

function isBoolean(value: Value): value is boolean {
  return typeof value === 'boolean';
}

function isIn(left: Value, right: Value, work: Work, place: Place): Value {
  if (isList(right)) {
    spend(work, right.length, place);
    return right.some((item) => isEqual(left, item, work, place));
  }
  if (!isMap(right)) return mismatch('in', left, right, place);
  if (typeof left === 'object') return false;
  const key = String(left);
  spendCharacters(work, key.length, place);
  return memberOf(right, key) !== undefined;
}

function mismatch(name: string, left: Value, right: Value, place: Place): never {
  throw mismatchError(name, kindOf(left), kindOf(right), place);
}

function mismatchError(name: string, left: Kind, right: Kind, place: Place): ExpressionError {
  const hint = name === 'in' && right === 'text' ? '; use contains()' : '';
  const kinds = `${describeKind(left)} and ${describeKind(right)}`;
  return new ExpressionError(`"${name}" does not take ${kinds}${hint}`, place);
}

const operators = {
  '==': { result: 'boolean', apply: isEqual },
  '!=': {
    result: 'boolean',
    apply: (left, right, work, place) => !isEqual(left, right, work, place),
  },
  '<': { result: 'boolean', takes: ordered, apply: ordering('<', (order) => order < 0) },
  '<=': { result: 'boolean', takes: ordered, apply: ordering('<=', (order) => order <= 0) },
  '>': { result: 'boolean', takes: ordered, apply: ordering('>', (order) => order > 0) },
  '>=': { result: 'boolean', takes: ordered, apply: ordering('>=', (order) => order >= 0) },
  in: { result: 'boolean', takes: contained, apply: isIn },
  '+': { result: 'any', takes: joined, apply: add },
  '-': { result: 'number', takes: numbers, apply: arithmetic('-', difference) },
  '*': { result: 'number', takes: numbers, apply: arithmetic('*', product) },
  '/': { result: 'number', takes: numbers, apply: arithmetic('/', quotient) },
  '%': { result: 'number', takes: numbers, apply: arithmetic('%', remainder) },
} as const satisfies Record<string, Operator>;

/** The name of a binary operator other than `&&` and `||`. */
export type OperatorName = keyof typeof operators;

/** Compiles a binary operator. Throws {@link ExpressionError} for kinds that it never takes. */
export function compileOperator(name: OperatorName, left: Code, right: Code, place: Place): Code {
  const { result, takes, apply }: Operator = operators[name];
  const isPossible = takes?.some(([one, other]) => mayBe(left.kind, one) && mayBe(right.kind, other)) ?? true;
  if (!isPossible) throw mismatchError(name, left.kind, right.kind, place);
  return {
    kind: result === 'any' && takes !== undefined ? (left.kind === 'any' ? right.kind : left.kind) : result,
    evaluate: (run: Run) => apply(left.evaluate(run), right.evaluate(run), run.work, place),
  };
}

function mayBe(kind: Kind, wanted: Kind): boolean {
  return kind === 'any' || kind === wanted;
}

/** Compiles `-x`. */
export function compileNegation(operand: Code, place: Place): Code {
  return {
    kind: 'number',
    evaluate: (run) => {
      const value = operand.evaluate(run);
      if (typeof value === 'bigint') return checkInteger(-value, place);
      if (typeof value === 'number') return -value;
      throw new ExpressionError(`"-" takes a number, not ${describeKind(kindOf(value))}`, place);
    },
  };
}
