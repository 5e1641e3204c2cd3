import { ExpressionError, type Place } from '../error.ts';
import { compileHas } from './access.ts';
import { type Code, type Context, requireKind, wrongKind } from './code.ts';
import { compile } from './compile.ts';
import { sizeOf } from './size.ts';
import type { Node } from './syntax.ts';
import { checkFinite, checkInteger, type Kind, kindOf, type Value } from './value.ts';
import { spend, type Work } from './work.ts';

/** A function of one value, such as `size(x)`. */
interface GlobalFunction {
  readonly takes: readonly Kind[];
  readonly result: Kind;
  /** The result; undefined where the value has the right kind but cannot be converted. */
  readonly apply: (value: Value, work: Work, place: Place) => Value | undefined;
}

const integerText = /^[+-]?\d{1,19}$/;
const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** Maximum length of a text that becomes a number. */
const MAX_NUMBER_LENGTH = 400;

const functions: Readonly<Record<string, GlobalFunction>> = {
  size: { takes: ['text', 'list', 'object'], result: 'number', apply: sizeOf },
  int: { takes: ['number', 'text'], result: 'number', apply: toInteger },
  double: { takes: ['number', 'text'], result: 'number', apply: toDouble },
  string: {
    takes: ['text', 'number', 'boolean'],
    result: 'text',
    apply: (value) => (typeof value === 'object' ? undefined : String(value)),
  },
  bool: {
    takes: ['boolean', 'text'],
    result: 'boolean',
    apply: (value) => (value === true || value === 'true' ? true : isFalse(value) ? false : undefined),
  },
  dyn: {
    takes: ['null', 'boolean', 'number', 'text', 'list', 'object'],
    result: 'any',
    apply: (value) => value,
  },
};

function isFalse(value: Value): boolean {
  return value === false || value === 'false';
}

function toInteger(value: Value, _work: Work, place: Place): bigint | undefined {
  if (typeof value === 'bigint') return value;
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
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (called === undefined) throw new ExpressionError(`there is no function ${name}()`, place);
  const [node] = nodes;
  if (nodes.length !== 1 || node === undefined) {
    throw new ExpressionError(`${name}() takes one value`, place);
  }
  const argument = compile(node, context);
  requireKind(argument, called.takes, `${name}()`, place);
  return {
    kind: called.result,
    evaluate: (run) => {
      const value = argument.evaluate(run);
      const result = called.apply(value, run.work, place);
      if (result !== undefined) return result;
      const kind = kindOf(value);
      if (!called.takes.includes(kind)) throw wrongKind(kind, called.takes, `${name}()`, place);
      throw new ExpressionError(`${name}() cannot convert this ${kind}`, place);
    },
  };
}
