import { ExpressionError, type Place } from '../error.ts';
import {
  type Code,
  type Context,
  foundKind,
  placeOf,
  type Run,
  requireKind,
  spendError,
  toBoolean,
  wrongKind,
} from './code.ts';
import { compile } from './compile.ts';
import type { Node } from './syntax.ts';
import { isList, isMap, keysOf, kindOf, type Value } from './value.ts';
import { spend } from './work.ts';

/** Runs a part for one item: the variable of the macro has that value. */
type Body = (item: Value, run: Run) => Value;

interface Macro {
  readonly name: string;
  readonly place: Place;
  readonly bodies: readonly Body[];
}

type Iterate = (items: readonly Value[], run: Run, macro: Macro) => Value;

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
    evaluate: (run) => macro.iterate(itemsOf(list, run, compiled), run, compiled),
  };
}

/** Lists give their items, objects their keys. */
function itemsOf(list: Code, run: Run, { name, place }: Macro): readonly Value[] {
  const value = list.evaluate(run);
  if (isList(value)) return value;
  if (isMap(value)) return keysOf(value, run.work, place);
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
export function compileBody(variable: string, node: Node, context: Context, place: Place): CompiledBody {
  const slot = context.locals.size === 0 ? 0 : Math.max(...context.locals.values()) + 1;
  const before = context.parts.count;
  const code = compile(node, { ...context, locals: new Map(context.locals).set(variable, slot) });
  // Each round pays for all parts of the body; what else they do is paid by themselves.
  const cost = 2 + context.parts.count - before;
  return {
    code,
    body: (item, run) => {
      spend(run.work, cost, place);
      run.locals[slot] = item;
      return code.evaluate(run);
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
  return { kind: code.kind, evaluate: (run) => body(value.evaluate(run), run) };
}

/** `exists` and `all`: as in CEL, an error on one item does not count where another item decides. */
function decide(
  decisive: boolean,
  items: readonly Value[],
  run: Run,
  { name, place, bodies }: Macro,
): boolean {
  let failure: { readonly error: unknown } | undefined;
  for (const item of items) {
    try {
      for (const body of bodies) {
        if (toBoolean(body(item, run), `${name}()`, place) === decisive) return decisive;
      }
    } catch (error) {
      spendError(error, run, place);
      failure ??= { error };
    }
  }
  if (failure !== undefined) throw failure.error;
  return !decisive;
}

function select(items: readonly Value[], run: Run, { name, place, bodies: [condition] }: Macro): Value[] {
  if (condition === undefined) throw new RangeError(`${name}() has no condition`);
  return items.filter((item) => toBoolean(condition(item, run), `the condition of ${name}()`, place));
}

function map(items: readonly Value[], run: Run, macro: Macro): readonly Value[] {
  const [first, second] = macro.bodies;
  if (first === undefined) throw new RangeError('map() has no body');
  if (second === undefined) return items.map((item) => first(item, run));
  return select(items, run, macro).map((item) => second(item, run));
}
