import { ExpressionError, type Place } from '../error.ts';
import { type Code, type Context, foundKind, placeOf, type Run, requireKind, wrongKind } from './code.ts';
import { compile } from './compile.ts';
import { compileBody } from './macros.ts';
import type { Node } from './syntax.ts';
import { isOptional, kindOf, type Optional, optionalOf } from './value.ts';

/** The methods of optionals, with the number of their arguments. */
const methods: Readonly<Record<string, number>> = { hasValue: 0, value: 0, or: 1, orValue: 1, optMap: 2 };

/**
 * Compiles `optional.of(x)`, `optional.none()` and the methods of optionals, whose arguments are evaluated only where
 * they are needed; undefined where it is none of them.
 */
export function compileOptional(node: Node & { op: 'rcall' }, context: Context): Code | undefined {
  const [name, receiver, nodes] = node.args;
  const place = placeOf(context, node.pos);
  const isNamespace = receiver.op === 'id' && receiver.args === 'optional' && !context.locals.has('optional');
  if (isNamespace && !context.roots.includes('optional')) return compileMaker(name, nodes, context, place);
  const count = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (count === undefined) return undefined;
  if (nodes.length !== count) throw wrongCount(name, count, nodes.length, place);
  const target = compile(receiver, context);
  requireKind(target, ['optional'], `${name}()`, place);
  const optional = (run: Run): Optional => {
    const value = target.evaluate(run);
    if (isOptional(value)) return value;
    throw wrongKind(kindOf(value), ['optional'], `${name}()`, place, foundKind(target, value));
  };
  const [first, second] = nodes;
  if (name === 'optMap' && first !== undefined && second !== undefined) {
    return compileMap(optional, first, second, context, place);
  }
  if (name === 'hasValue') {
    return { kind: 'boolean', evaluate: (run) => optional(run).value !== undefined };
  }
  if (name === 'value' || first === undefined) {
    return {
      kind: 'any',
      evaluate: (run) => {
        const { value } = optional(run);
        if (value !== undefined) return value;
        const found = target.name === undefined ? 'the optional has' : `${target.name} is absent: it has`;
        throw new ExpressionError(`${found} no value`, place);
      },
    };
  }
  const other = compile(first, context);
  if (name === 'orValue') {
    return { kind: 'any', evaluate: (run) => optional(run).value ?? other.evaluate(run) };
  }
  requireKind(other, ['optional'], 'or()', place);
  return {
    kind: 'optional',
    evaluate: (run) => {
      const one = optional(run);
      if (one.value !== undefined) return one;
      const value = other.evaluate(run);
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
  return { kind: 'optional', evaluate: (run) => optionalOf(value.evaluate(run)) };
}

/** `x.optMap(y, …)`: an optional of the expression, in which `y` is the value; none where there is none. */
function compileMap(
  optional: (run: Run) => Optional,
  variable: Node,
  result: Node,
  context: Context,
  place: Place,
): Code {
  if (variable.op !== 'id') throw new ExpressionError('optMap() takes a variable and an expression', place);
  const { body } = compileBody(variable.args, result, context, place);
  return {
    kind: 'optional',
    evaluate: (run) => {
      const one = optional(run);
      return one.value === undefined ? one : optionalOf(body(one.value, run));
    },
  };
}

function wrongCount(name: string, count: number, given: number, place: Place): ExpressionError {
  const takes = `${count} ${count === 1 ? 'argument' : 'arguments'}`;
  return new ExpressionError(`${name}() takes ${takes}, not ${given}`, place);
}
