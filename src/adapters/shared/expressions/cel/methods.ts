import { itemAt } from '../../../../lib/array.ts';
import { ExpressionError, type Place } from '../error.ts';
import { type Code, type Context, foundKind, placeOf, type Run, requireKind, wrongKind } from './code.ts';
import { compile } from './compile.ts';
import { sizeOf } from './size.ts';
import type { Node } from './syntax.ts';
import { type Method, textMethods, textOf } from './text-methods.ts';
import { isDuration, kindOf, type Value } from './value.ts';
import { matchPattern, patternOf } from './work.ts';

const methods: Readonly<Record<string, Method>> = {
  ...textMethods,
  getHours: durationMethod(3_600_000),
  getMinutes: durationMethod(60_000),
  getSeconds: durationMethod(1_000),
  getMilliseconds: durationMethod(1),
  size: {
    receiver: ['text', 'list', 'object'],
    takes: [],
    result: 'number',
    apply: (receiver, _values, work, place) => sizeOf(receiver, work, place) ?? 0n,
  },
  matches: {
    receiver: ['text'],
    takes: ['text'],
    result: 'boolean',
    apply: (text, [pattern], work, place) =>
      matchPattern(work, patternOf(work, textOf(pattern), place), textOf(text), place),
  },
};

/** A method that gives a whole duration in a unit, without its fraction. */
function durationMethod(unitMs: number): Method {
  return {
    receiver: ['duration'],
    takes: [],
    result: 'number',
    apply: (receiver) => BigInt(isDuration(receiver) ? Math.trunc(receiver.ms / unitMs) : 0),
  };
}

/** Compiles `x.name(…)`. Throws {@link ExpressionError} for unknown methods and wrong arguments. */
export function compileMethod(node: Node & { op: 'rcall' }, context: Context): Code {
  const [name, receiverNode, nodes] = node.args;
  const place = placeOf(context, node.pos);
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new ExpressionError(`there is no method ${name}()`, place);
  const { takes, required = takes.length } = method;
  if (nodes.length < required || nodes.length > takes.length) {
    const count = required === takes.length ? `${required}` : `${required} to ${takes.length}`;
    throw new ExpressionError(
      `${name}() takes ${count} ${count === '1' ? 'argument' : 'arguments'}, not ${nodes.length}`,
      place,
    );
  }
  const receiver = compile(receiverNode, context);
  requireKind(receiver, method.receiver, `${name}()`, place);
  const values = nodes.map((argument) => compile(argument, context));
  for (const [index, value] of values.entries()) {
    requireKind(value, [itemAt(takes, index)], `${name}()`, place);
  }
  const [first] = values;
  if (name === 'matches' && typeof first?.literal === 'string') {
    return compileMatches(receiver, first.literal, context, place);
  }
  const compiled = { name, method, receiver, values, place };
  return { kind: method.result, evaluate: (run) => call(compiled, run) };
}

interface Call {
  readonly name: string;
  readonly method: Method;
  readonly receiver: Code;
  readonly values: readonly Code[];
  readonly place: Place;
}

function call({ name, method, receiver, values, place }: Call, run: Run): Value {
  const target = receiver.evaluate(run);
  if (!method.receiver.includes(kindOf(target))) {
    throw wrongKind(kindOf(target), method.receiver, `${name}()`, place, foundKind(receiver, target));
  }
  const given = values.map((argument, index) => {
    const value = argument.evaluate(run);
    const wanted = itemAt(method.takes, index);
    if (kindOf(value) !== wanted) {
      throw wrongKind(kindOf(value), [wanted], `${name}()`, place, foundKind(argument, value));
    }
    return value;
  });
  return method.apply(target, given, run.work, place);
}

/** A pattern that the expression states is compiled, and checked, with the expression. */
function compileMatches(receiver: Code, source: string, context: Context, place: Place): Code {
  const pattern = patternOf(context.work, source, place, true);
  return {
    kind: 'boolean',
    evaluate: (run) => {
      const text = receiver.evaluate(run);
      if (typeof text !== 'string') {
        throw wrongKind(kindOf(text), ['text'], 'matches()', place, foundKind(receiver, text));
      }
      return matchPattern(run.work, pattern, text, place);
    },
  };
}
