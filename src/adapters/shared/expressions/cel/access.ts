import { getOwn } from '../../../../lib/json/json.ts';
import { ExpressionError, type Place } from '../error.ts';
import { type Code, type Context, placeOf } from './code.ts';
import { compile, compilePart, toKey } from './compile.ts';
import type { Node } from './syntax.ts';
import { describeKind, isList, isMap, kindOf, memberOf, toIndex, type Value } from './value.ts';
import { spendCharacters } from './work.ts';

type AccessNode = Node & { op: '.' | '[]' };

/** Compiles a variable of a macro or a root. Throws {@link ExpressionError} for other names. */
export function compileName(name: string, context: Context, place: Place): Code {
  const slot = context.locals.get(name);
  if (slot !== undefined) {
    return {
      kind: 'any',
      evaluate: ({ locals }) => {
        const value = locals[slot];
        if (value === undefined) throw new RangeError(`there is no variable in slot ${slot}`);
        return value;
      },
    };
  }
  if (!context.roots.includes(name)) {
    const known = context.roots.join(', ') || 'none';
    // `steps.my-step` is `steps.my` less `step`.
    const isAfterMinus = place.source.expression[place.offset - 1] === '-';
    const hint = isAfterMinus ? `; a name that has a "-" is written ["…-${name}"]` : '';
    throw new ExpressionError(`there is no "${name}" here; there is: ${known}${hint}`, place);
  }
  return {
    kind: 'any',
    path: [name],
    evaluate: ({ values }) => {
      const value = getOwn(values, name);
      if (value === undefined) throw new ExpressionError(`there is no value for "${name}"`, place);
      return value;
    },
  };
}

/** Compiles `x.name` and `x[index]`. */
export function compileAccess(node: AccessNode, context: Context): Code {
  const place = placeOf(context, node.pos);
  const { base, key, path } = compileSteps(node, context);
  const evaluate: Code['evaluate'] = (run) => {
    const container = base.evaluate(run);
    const wanted = typeof key === 'string' ? key : key.evaluate(run);
    const found = find(container, wanted, place);
    if (found === undefined) throw missing(container, node, place);
    return found;
  };
  return path === undefined ? { kind: 'any', evaluate } : { kind: 'any', path, evaluate };
}

/** Compiles `has(x.name)`, also with an index that is a text. */
export function compileHas(nodes: readonly Node[], context: Context, place: Place): Code {
  const [node] = nodes;
  if (nodes.length !== 1 || node === undefined || !isAccess(node)) {
    throw new ExpressionError('has() takes one member, such as has(a.b)', place);
  }
  const { base, key, path } = compileSteps(node, context);
  if (path !== undefined) context.references.push(path);
  return {
    kind: 'boolean',
    evaluate: (run) => {
      const wanted = typeof key === 'string' ? key : key.evaluate(run);
      return find(base.evaluate(run), wanted, place) !== undefined;
    },
  };
}

function isAccess(node: Node): node is AccessNode {
  return node.op === '.' || node.op === '[]';
}

interface Steps {
  readonly base: Code;
  /** The name, or what evaluates to the index. */
  readonly key: string | Code;
  readonly path: readonly string[] | undefined;
}

function compileSteps(node: AccessNode, context: Context): Steps {
  const place = placeOf(context, node.pos);
  const base = compilePart(node.args[0], context);
  const index = node.op === '.' ? node.args[1] : payingKey(compile(node.args[1], context), place);
  if (!['any', 'list', 'object'].includes(base.kind)) {
    throw new ExpressionError(`${describeKind(base.kind)} has no members`, place);
  }
  const name = typeof index === 'string' ? index : index.literal;
  if (base.path === undefined) return { base, key: index, path: undefined };
  if (name !== undefined) return { base, key: index, path: [...base.path, String(name)] };
  // What is read of the base is known only at the evaluation.
  context.references.push(base.path);
  return { base, key: index, path: undefined };
}

/** An index that pays for its length: looking up a very long text compares it with the names of members. */
function payingKey(index: Code, place: Place): Code {
  return {
    ...index,
    evaluate: (run) => {
      const key = index.evaluate(run);
      if (typeof key === 'string') spendCharacters(run.work, key.length, place);
      return key;
    },
  };
}

/** The member or item, or undefined. Throws {@link ExpressionError} for a wrong kind of container or index. */
function find(container: Value, wanted: Value, place: Place): Value | undefined {
  if (isMap(container)) {
    const key = typeof wanted === 'string' ? wanted : toKey(wanted);
    return key === undefined ? undefined : memberOf(container, key);
  }
  if (!isList(container)) {
    throw new ExpressionError(`${describeKind(kindOf(container))} has no members`, place);
  }
  const index = toIndex(wanted);
  if (index === undefined) {
    const hint = wanted === 'length' ? '; size(list) is its length' : '';
    throw new ExpressionError(`the index of a list must be an integer${hint}`, place);
  }
  return container[index];
}

function missing(container: Value, node: AccessNode, place: Place): ExpressionError {
  if (isList(container)) {
    return new ExpressionError(`the list of ${container.length} items has no item at this index`, place);
  }
  const key = node.op === '.' ? node.args[1] : node.args[1].op === 'value' ? node.args[1].args : undefined;
  return new ExpressionError(
    typeof key === 'string' ? `there is no member "${key}"` : 'there is no such member',
    place,
  );
}
