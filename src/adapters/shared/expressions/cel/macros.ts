import { ExpressionError, type Place } from '../error.ts';
import {
  type Code,
  type Context,
  compile,
  type Evaluation,
  foundKind,
  placeOf,
  requireKind,
  spendError,
  toBoolean,
  wrongKind,
} from './code.ts';
import type { Node } from './syntax.ts';
import { isList, isMap, isOptional, keysOf, kindOf, type Optional, optionalOf, type Value } from './value.ts';
import { spend } from './work.ts';

/** Runs a part for one item: the variable of the macro has that value. */
type Body = (item: Value, evaluation: Evaluation) => Value;

interface Macro {
  readonly name: string;
  readonly place: Place;
  readonly bodies: readonly Body[];
}

type Iterate = (items: readonly Value[], evaluation: Evaluation, macro: Macro) => Value;

const macros: Readonly<
  Record<string, { kind: 'boolean' | 'list'; parameters: readonly number[]; iterate: Iterate }>
> = {
  all: { kind: 'boolean', parameters: [2], iterate: (...rest) => decide(false, ...rest) },
  exists: { kind: 'boolean', parameters: [2], iterate: (...rest) => decide(true, ...rest) },
  exists_one: { kind: 'boolean', parameters: [2], iterate: (...rest) => select(...rest).length === 1 },
  filter: { kind: 'list', parameters: [2], iterate: select },
  map: { kind: 'list', parameters: [2, 3], iterate: map },
};

/** Compiles a call such as `x.all(y, …)` or `cel.bind(y, …, …)`; undefined where it is no macro. */
export function compileMacro(node: Node & { op: 'rcall' }, context: Context): Code | undefined {
  const [name, receiver, nodes] = node.args;
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel') {
    return compileBind(nodes, context, placeOf(context, node.pos));
  }
  const macro = Object.hasOwn(macros, name) ? macros[name] : undefined;
  if (macro === undefined) return undefined;
  const place = placeOf(context, node.pos);
  const [variable, ...bodyNodes] = nodes;
  if (!macro.parameters.includes(nodes.length) || variable?.op !== 'id') {
    throw new ExpressionError(
      `${name}() takes a variable and an expression, such as ${name}(x, x > 1)`,
      place,
    );
  }
  const list = compile(receiver, context);
  requireKind(list, ['list', 'object'], `${name}()`, place);
  const bodies = bodyNodes.map((body) => compileBody(variable.args, body, context, place));
  if (macro.kind === 'boolean' || name === 'filter') requireBoolean(bodies[0], name, place);
  if (bodies.length === 2) requireBoolean(bodies[0], name, place);
  const compiled = { name, place, bodies: bodies.map(({ body }) => body) };
  return {
    kind: macro.kind,
    evaluate: (evaluation) => macro.iterate(itemsOf(list, evaluation, compiled), evaluation, compiled),
  };
}

/** Lists give their items, objects their keys. */
function itemsOf(list: Code, evaluation: Evaluation, { name, place }: Macro): readonly Value[] {
  const value = list.evaluate(evaluation);
  if (isList(value)) return value;
  if (isMap(value)) return keysOf(value, evaluation.work, place);
  throw wrongKind(kindOf(value), ['list', 'object'], `${name}()`, place, foundKind(list, value));
}

interface CompiledBody {
  readonly code: Code;
  readonly body: Body;
}

function requireBoolean(compiled: CompiledBody | undefined, name: string, place: Place): void {
  if (compiled !== undefined) requireKind(compiled.code, ['boolean'], `the condition of ${name}()`, place);
}

/** Compiles a part that is evaluated with a variable; its rounds pay for all of it. */
function compileBody(variable: string, node: Node, context: Context, place: Place): CompiledBody {
  const slot = context.locals.size === 0 ? 0 : Math.max(...context.locals.values()) + 1;
  const before = context.parts.count;
  const code = compile(node, { ...context, locals: new Map(context.locals).set(variable, slot) });
  // Each round pays for all parts of the body; what else they do is paid by themselves.
  const cost = 2 + context.parts.count - before;
  return {
    code,
    body: (item, evaluation) => {
      spend(evaluation.work, cost, place);
      evaluation.locals[slot] = item;
      return code.evaluate(evaluation);
    },
  };
}

function compileBind(nodes: readonly Node[], context: Context, place: Place): Code {
  const [variable, valueNode, resultNode] = nodes;
  if (nodes.length !== 3 || variable?.op !== 'id' || valueNode === undefined || resultNode === undefined) {
    throw new ExpressionError('cel.bind() takes a variable, its value and an expression', place);
  }
  const value = compile(valueNode, context);
  const { code, body } = compileBody(variable.args, resultNode, context, place);
  return { kind: code.kind, evaluate: (evaluation) => body(value.evaluate(evaluation), evaluation) };
}

/** `exists` and `all`: as in CEL, an error on one item does not count where another item decides. */
function decide(
  decisive: boolean,
  items: readonly Value[],
  evaluation: Evaluation,
  { name, place, bodies }: Macro,
): boolean {
  let failure: { readonly error: unknown } | undefined;
  for (const item of items) {
    try {
      for (const body of bodies) {
        if (toBoolean(body(item, evaluation), `${name}()`, place) === decisive) return decisive;
      }
    } catch (error) {
      spendError(error, evaluation, place);
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
  return !decisive;
}

function select(
  items: readonly Value[],
  evaluation: Evaluation,
  { name, place, bodies: [condition] }: Macro,
): Value[] {
  if (condition === undefined) throw new RangeError(`${name}() has no condition`);
  return items.filter((item) => toBoolean(condition(item, evaluation), `the condition of ${name}()`, place));
}

function map(items: readonly Value[], evaluation: Evaluation, macro: Macro): readonly Value[] {
  const [first, second] = macro.bodies;
  if (first === undefined) throw new RangeError('map() has no body');
  if (second === undefined) return items.map((item) => first(item, evaluation));
  return select(items, evaluation, macro).map((item) => second(item, evaluation));
}

/** The methods of optionals, with the number of their arguments. */
const optionalMethods: Readonly<Record<string, number>> = {
  hasValue: 0,
  value: 0,
  or: 1,
  orValue: 1,
  optMap: 2,
};

/**
 * Compiles `optional.of(x)`, `optional.none()` and the methods of optionals, whose arguments are evaluated only where
 * they are needed; undefined where it is none of them.
 */
export function compileOptional(node: Node & { op: 'rcall' }, context: Context): Code | undefined {
  const [name, receiver, nodes] = node.args;
  const place = placeOf(context, node.pos);
  const isNamespace = receiver.op === 'id' && receiver.args === 'optional' && !context.locals.has('optional');
  if (isNamespace && !context.roots.includes('optional')) return compileMaker(name, nodes, context, place);
  const count = Object.hasOwn(optionalMethods, name) ? optionalMethods[name] : undefined;
  if (count === undefined) return undefined;
  if (nodes.length !== count) throw wrongCount(name, count, nodes.length, place);
  const target = compile(receiver, context);
  requireKind(target, ['optional'], `${name}()`, place);
  const optional = (evaluation: Evaluation): Optional => {
    const value = target.evaluate(evaluation);
    if (isOptional(value)) return value;
    throw wrongKind(kindOf(value), ['optional'], `${name}()`, place, foundKind(target, value));
  };
  const [first, second] = nodes;
  if (name === 'optMap' && first !== undefined && second !== undefined) {
    return compileOptMap(optional, first, second, context, place);
  }
  if (name === 'hasValue') {
    return { kind: 'boolean', evaluate: (evaluation) => optional(evaluation).value !== undefined };
  }
  if (name === 'value' || first === undefined) {
    return {
      kind: 'any',
      evaluate: (evaluation) => {
        const { value } = optional(evaluation);
        if (value !== undefined) return value;
        const found = target.name === undefined ? 'the optional has' : `${target.name} is absent: it has`;
        throw new ExpressionError(`${found} no value`, place);
      },
    };
  }
  const other = compile(first, context);
  if (name === 'orValue') {
    return {
      kind: 'any',
      evaluate: (evaluation) => optional(evaluation).value ?? other.evaluate(evaluation),
    };
  }
  requireKind(other, ['optional'], 'or()', place);
  return {
    kind: 'optional',
    evaluate: (evaluation) => {
      const one = optional(evaluation);
      if (one.value !== undefined) return one;
      const value = other.evaluate(evaluation);
      if (isOptional(value)) return value;
      throw wrongKind(kindOf(value), ['optional'], 'or()', place, foundKind(other, value));
    },
  };
}

function compileMaker(name: string, nodes: readonly Node[], context: Context, place: Place): Code {
  const [node] = nodes;
  if (name === 'none') {
    if (nodes.length > 0) throw wrongCount(name, 0, nodes.length, place);
    return { kind: 'optional', evaluate: () => optionalOf() };
  }
  if (name !== 'of') throw new ExpressionError(`there is no optional.${name}()`, place);
  if (node === undefined || nodes.length !== 1) throw wrongCount(name, 1, nodes.length, place);
  const value = compile(node, context);
  return { kind: 'optional', evaluate: (evaluation) => optionalOf(value.evaluate(evaluation)) };
}

/** `x.optMap(y, …)`: an optional of the expression, in which `y` is the value; none where there is none. */
function compileOptMap(
  optional: (evaluation: Evaluation) => Optional,
  variable: Node,
  result: Node,
  context: Context,
  place: Place,
): Code {
  if (variable.op !== 'id') throw new ExpressionError('optMap() takes a variable and an expression', place);
  const { body } = compileBody(variable.args, result, context, place);
  return {
    kind: 'optional',
    evaluate: (evaluation) => {
      const one = optional(evaluation);
      return one.value === undefined ? one : optionalOf(body(one.value, evaluation));
    },
  };
}

function wrongCount(name: string, count: number, given: number, place: Place): ExpressionError {
  const takes = `${count} ${count === 1 ? 'argument' : 'arguments'}`;
  return new ExpressionError(`${name}() takes ${takes}, not ${given}`, place);
}
