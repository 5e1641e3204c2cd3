import { ExpressionError, type Place } from '../error.ts';
import { type Code, type Evaluation, foundKind, wrongKind } from './code.ts';
import { addTimes, subtractTimes } from './time.ts';
import {
  checkFinite,
  checkInteger,
  describeKind,
  isDuration,
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

/** The result; undefined for kinds that it does not take. */
type Operation = (left: Value, right: Value, work: Work, place: Place) => Value | undefined;

interface Operator {
  readonly result: Kind;
  /** The pairs of kinds that it takes; all when absent. */
  readonly takes?: readonly (readonly [Kind, Kind])[];
  readonly apply: Operation;
}

const numbers = [['number', 'number']] as const;
const ordered = [
  ['number', 'number'],
  ['text', 'text'],
  ['boolean', 'boolean'],
  ['timestamp', 'timestamp'],
  ['duration', 'duration'],
] as const;
const joined = [
  ['number', 'number'],
  ['text', 'text'],
  ['list', 'list'],
  ['timestamp', 'duration'],
  ['duration', 'timestamp'],
  ['duration', 'duration'],
] as const;
const subtracted = [
  ['number', 'number'],
  ['timestamp', 'timestamp'],
  ['timestamp', 'duration'],
  ['duration', 'duration'],
] as const;
const contained = (['list', 'object'] as const).flatMap((container) =>
  (['null', 'boolean', 'number', 'text', 'list', 'object', 'timestamp', 'duration', 'optional'] as const).map(
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

function add(left: Value, right: Value, work: Work, place: Place): Value | undefined {
  if (typeof left === 'string' && typeof right === 'string') {
    spendNewText(work, left.length + right.length, place);
    return left + right;
  }
  if (isList(left) && isList(right)) {
    spend(work, left.length + right.length, place);
    return [...left, ...right];
  }
  return sum(left, right, place) ?? addTimes(left, right, place);
}

function arithmetic(name: string, apply: typeof sum): Operation {
  const divides = name === '/' || name === '%';
  return (left, right, _work, place) => {
    if (divides && (right === 0 || right === 0n) && isNumber(left)) {
      throw new ExpressionError('division by zero', place);
    }
    return apply(left, right, place);
  };
}

function ordering(holds: (order: number) => boolean): Operation {
  return (left, right, work, place) => {
    if (typeof left === 'string' && typeof right === 'string') {
      spendText(work, Math.min(left.length, right.length), place);
    } else if (!(isNumber(left) && isNumber(right)) && !(isBoolean(left) && isBoolean(right))) {
      const [one, other] = [timeOf(left), timeOf(right)];
      if (one === undefined || other === undefined || kindOf(left) !== kindOf(right)) return undefined;
      return holds(one - other);
    }
    return holds(left < right ? -1 : left > right ? 1 : 0);
  };
}

function isBoolean(value: Value): value is boolean {
  return typeof value === 'boolean';
}

/** A timestamp or a duration as a number of milliseconds; undefined for other values. */
function timeOf(value: Value): number | undefined {
  if (value instanceof Date) return value.getTime();
  return isDuration(value) ? value.ms : undefined;
}

function isIn(left: Value, right: Value, work: Work, place: Place): Value | undefined {
  if (isList(right)) {
    spend(work, right.length, place);
    return right.some((item) => isEqual(left, item, work, place));
  }
  if (!isMap(right)) return undefined;
  if (typeof left === 'object') return false;
  const key = String(left);
  spendCharacters(work, key.length, place);
  return memberOf(right, key) !== undefined;
}

function mismatchError(name: string, left: Kind, right: Kind, place: Place, found = ''): ExpressionError {
  const hint = name === 'in' && right === 'text' ? '; use contains()' : '';
  const kinds = `${describeKind(left)} and ${describeKind(right)}`;
  return new ExpressionError(`"${name}" does not take ${kinds}${hint}${found}`, place);
}

const operators = {
  '==': { result: 'boolean', apply: isEqual },
  '!=': {
    result: 'boolean',
    apply: (left, right, work, place) => !isEqual(left, right, work, place),
  },
  '<': { result: 'boolean', takes: ordered, apply: ordering((order) => order < 0) },
  '<=': { result: 'boolean', takes: ordered, apply: ordering((order) => order <= 0) },
  '>': { result: 'boolean', takes: ordered, apply: ordering((order) => order > 0) },
  '>=': { result: 'boolean', takes: ordered, apply: ordering((order) => order >= 0) },
  in: { result: 'boolean', takes: contained, apply: isIn },
  '+': { result: 'any', takes: joined, apply: add },
  '-': {
    result: 'any',
    takes: subtracted,
    apply: (left, right, _work, place) => difference(left, right, place) ?? subtractTimes(left, right, place),
  },
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
    kind: result === 'any' ? resultOf(name, left, right) : result,
    evaluate: (evaluation: Evaluation) => {
      const [one, other] = [left.evaluate(evaluation), right.evaluate(evaluation)];
      const value = apply(one, other, evaluation.work, place);
      if (value !== undefined) return value;
      const found = foundKind(left, one) + foundKind(right, other);
      throw mismatchError(name, kindOf(one), kindOf(other), place, found);
    },
  };
}

/** The kind of a sum or a difference. */
function resultOf(name: OperatorName, left: Code, right: Code): Kind {
  const kinds = [left.kind, right.kind];
  const others: readonly Kind[] = ['any', 'timestamp', 'duration'];
  const known = kinds.find((kind) => !others.includes(kind));
  // Numbers, texts and lists go with their like only.
  if (known !== undefined) return known;
  // The input and outputs are JSON, which has no times.
  if (name === '-' && left.kind === 'any' && right.kind === 'any') {
    return isJson(left) || isJson(right) ? 'number' : 'any';
  }
  if (kinds.includes('any')) return name === '+' && kinds.includes('timestamp') ? 'timestamp' : 'any';
  const timestamps = kinds.filter((kind) => kind === 'timestamp').length;
  return timestamps === 1 ? 'timestamp' : 'duration';
}

function isJson({ path: [root] = [] }: Code): boolean {
  return root !== undefined && root !== 'run' && root !== 'schedule';
}

function mayBe(kind: Kind, wanted: Kind): boolean {
  return kind === 'any' || kind === wanted;
}

/** Compiles `-x`. */
export function compileNegation(operand: Code, place: Place): Code {
  return {
    kind: 'number',
    evaluate: (evaluation) => {
      const value = operand.evaluate(evaluation);
      if (typeof value === 'bigint') return checkInteger(-value, place);
      if (typeof value === 'number') return -value;
      throw wrongKind(kindOf(value), ['number'], '"-"', place, foundKind(operand, value));
    },
  };
}
