import { ExpressionError, type Place } from '../error.ts';
import { compileHas } from './access.ts';
import { type Code, type Context, compile, foundKind, requireKind, wrongKind } from './code.ts';
import type { Node } from './syntax.ts';
import { toDuration, toTimestamp } from './time.ts';
import { compileZoned } from './time-functions.ts';
import {
  checkFinite,
  checkInteger,
  isDuration,
  type Kind,
  kindOf,
  sizeOf,
  textOfDuration,
  type Value,
} from './value.ts';
import { spend, type Work } from './work.ts';

/** A function of one value, such as `size(x)`. */
interface GlobalFunction {
  readonly takes: readonly Kind[];
  readonly result: Kind;
  /** True where it is applied to a literal with the compilation, which refuses wrong ones. */
  readonly isChecked?: true;
  /** The result; undefined where the value has the right kind but cannot be converted. */
  readonly apply: (value: Value, work: Work, place: Place) => Value | undefined;
}

const integerText = /^[+-]?\d{1,19}$/;
const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** Maximum length of a text that becomes a number. */
const MAX_NUMBER_LENGTH = 400;

const functions: Readonly<Record<string, GlobalFunction>> = {
  size: { takes: ['text', 'list', 'object'], result: 'number', apply: sizeOf },
  int: { takes: ['number', 'text', 'timestamp'], result: 'number', apply: toInteger },
  double: { takes: ['number', 'text'], result: 'number', apply: toDouble },
  string: {
    takes: ['text', 'number', 'boolean', 'timestamp', 'duration'],
    result: 'text',
    apply: (value) => {
      if (value instanceof Date) return value.toISOString();
      if (isDuration(value)) return textOfDuration(value);
      return typeof value === 'object' ? undefined : String(value);
    },
  },
  bool: {
    takes: ['boolean', 'text'],
    result: 'boolean',
    apply: (value) => (value === true || value === 'true' ? true : isFalse(value) ? false : undefined),
  },
  dyn: {
    takes: ['null', 'boolean', 'number', 'text', 'list', 'object', 'timestamp', 'duration', 'optional'],
    result: 'any',
    apply: (value) => value,
  },
  timestamp: {
    takes: ['text', 'number', 'timestamp'],
    result: 'timestamp',
    isChecked: true,
    apply: toTimestamp,
  },
  duration: { takes: ['text', 'duration'], result: 'duration', isChecked: true, apply: toDuration },
};

function isFalse(value: Value): boolean {
  return value === false || value === 'false';
}

function toInteger(value: Value, _work: Work, place: Place): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (value instanceof Date) return BigInt(Math.floor(value.getTime() / 1_000));
  if (typeof value === 'number') return checkInteger(BigInt(Math.trunc(value)), place);
  if (typeof value !== 'string' || !integerText.test(value)) return undefined;
  return checkInteger(BigInt(value.replace('+', '')), place);
}

function toDouble(value: Value, work: Work, place: Place): number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  // Rounding the digits of a long text right takes far longer than reading them.
  if (typeof value === 'string') spend(work, Math.min(value.length, MAX_NUMBER_LENGTH) / 4, place);
  const isText = typeof value === 'string' && value.length <= MAX_NUMBER_LENGTH && numberText.test(value);
  return isText ? checkFinite(Number(value), place) : undefined;
}

/** Compiles `name(…)`. Throws {@link ExpressionError} for unknown functions and wrong arguments. */
export function compileCall(name: string, nodes: readonly Node[], context: Context, place: Place): Code {
  if (name === 'has') return compileHas(nodes, context, place);
  const zoned = compileZoned(name, nodes, context, place);
  if (zoned !== undefined) return zoned;
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (called === undefined) throw new ExpressionError(`there is no function ${name}()`, place);
  const [node] = nodes;
  if (nodes.length !== 1 || node === undefined) {
    throw new ExpressionError(`${name}() takes one value`, place);
  }
  const argument = compile(node, context);
  requireKind(argument, called.takes, `${name}()`, place);
  if (called.isChecked && argument.literal !== undefined) {
    const value = called.apply(argument.literal, context.work, place);
    if (value !== undefined) return { kind: called.result, evaluate: () => value };
  }
  return {
    kind: called.result,
    evaluate: (evaluation) => {
      const value = argument.evaluate(evaluation);
      const result = called.apply(value, evaluation.work, place);
      if (result !== undefined) return result;
      const kind = kindOf(value);
      if (!called.takes.includes(kind)) {
        throw wrongKind(kind, called.takes, `${name}()`, place, foundKind(argument, value));
      }
      throw new ExpressionError(`${name}() cannot convert this ${kind}`, place);
    },
  };
}
