import { ExpressionError, type Place } from '../error.ts';
import { type Code, type Context, compile, type Evaluation, placeOf } from './code.ts';
import type { Node } from './syntax.ts';
import {
  describeKind,
  isList,
  isMap,
  isOptional,
  kindOf,
  memberOf,
  optionalOf,
  toIndex,
  toKey,
  type Value,
} from './value.ts';
import { spendCharacters } from './work.ts';

type AccessNode = Node & { op: '.' | '[]' | '.?' | '[?]' };

/** Compiles a variable of a macro or a root. Throws {@link ExpressionError} for other names. */
export function compileName(name: string, context: Context, place: Place): Code {
  const slot = context.locals.get(name);
  if (slot !== undefined) {
    return {
      kind: 'any',
      name,
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
    name,
    path: [name],
    evaluate: ({ values }) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) throw new ExpressionError(`there is no value for "${name}"`, place);
      return value;
    },
  };
}

/** Compiles `x.name` and `x[index]`, and the same with `?`, which give an optional. */
export function compileAccess(node: AccessNode, context: Context): Code {
  const access = compileSteps(node, context);
  const { base, key, path, name, lookUp } = access;
  const named = { ...(path === undefined ? {} : { path }), ...(name === undefined ? {} : { name }), lookUp };
  if (node.op === '.?' || node.op === '[?]' || base.kind === 'optional') {
    return {
      ...named,
      kind: 'optional',
      evaluate: (evaluation) => optionalOf(lookUp(evaluation) ?? undefined),
    };
  }
  const evaluate: Code['evaluate'] = (evaluation) => {
    const container = base.evaluate(evaluation);
    const found = find(container, keyOf(key, evaluation), access);
    if (found === undefined) throw missing(container, access);
    return found;
  };
  return { ...named, kind: 'any', evaluate };
}

/** Compiles `has(x.name)`, also with an index that is a text: false as well where `x` is null or not there. */
export function compileHas(nodes: readonly Node[], context: Context, place: Place): Code {
  const [node] = nodes;
  if (nodes.length !== 1 || node === undefined || !isAccess(node)) {
    throw new ExpressionError('has() takes one member, such as has(a.b)', place);
  }
  const { path, lookUp } = compileSteps(node, context);
  if (path !== undefined) context.references.push(path);
  return { kind: 'boolean', evaluate: (evaluation) => lookUp(evaluation) !== undefined };
}

function isAccess(node: Node): node is AccessNode {
  return node.op === '.' || node.op === '[]' || node.op === '.?' || node.op === '[?]';
}

interface Steps {
  readonly base: Code;
  /** The name, or the code of the index. */
  readonly key: string | Code;
  readonly path: readonly string[] | undefined;
  /** The member as errors name it; undefined where it has no short name. */
  readonly name: string | undefined;
  /** The member; undefined where it, or a container before it, is not there, and where a container is null. */
  readonly lookUp: (evaluation: Evaluation) => Value | undefined;
  readonly place: Place;
}

function compileSteps(node: AccessNode, context: Context): Steps {
  const place = placeOf(context, node.pos);
  const base = context.compilePart(node.args[0], context);
  const isName = node.op === '.' || node.op === '.?';
  const index = isName ? node.args[1] : payingKey(compile(node.args[1], context), place);
  if (!['any', 'list', 'object', 'optional'].includes(base.kind)) {
    throw new ExpressionError(`${describeKind(base.kind)} has no members`, place);
  }
  const key = typeof index === 'string' ? index : index.literal;
  const name = base.name === undefined || key === undefined ? undefined : nameOf(base.name, key);
  const lookUp = (evaluation: Evaluation): Value | undefined => {
    const container = base.lookUp === undefined ? unwrap(base.evaluate(evaluation)) : base.lookUp(evaluation);
    if (container === undefined || container === null) return undefined;
    return find(container, keyOf(index, evaluation), found);
  };
  const found = { base, key: index, place };
  const steps = { ...found, name, lookUp };
  if (base.path === undefined) return { ...steps, path: undefined };
  if (key !== undefined) return { ...steps, path: [...base.path, String(key)] };
  // The part of the base that is read is known only at the evaluation.
  context.references.push(base.path);
  return { ...steps, path: undefined };
}

/** An index that pays for its length: looking up a very long text compares it with the names of members. */
function payingKey(index: Code, place: Place): Code {
  return {
    ...index,
    evaluate: (evaluation) => {
      const key = index.evaluate(evaluation);
      if (typeof key === 'string') spendCharacters(evaluation.work, key.length, place);
      return key;
    },
  };
}

/** The value of an optional; undefined for none. Other values are taken as they are. */
function unwrap(value: Value): Value | undefined {
  return isOptional(value) ? value.value : value;
}

function keyOf(key: string | Code, evaluation: Evaluation): Value {
  return typeof key === 'string' ? key : key.evaluate(evaluation);
}

/** The longest name of a member in an error, in characters. */
const MAX_NAME_LENGTH = 200;

function nameOf(base: string, key: string | bigint): string | undefined {
  const isPlain = typeof key === 'string' && /^[A-Za-z_]\w*$/.test(key);
  const name = isPlain ? `${base}.${key}` : `${base}[${typeof key === 'string' ? JSON.stringify(key) : key}]`;
  return name.length <= MAX_NAME_LENGTH ? name : undefined;
}

/** The parts of an access that {@link find} takes. */
type Access = Pick<Steps, 'base' | 'key' | 'place'>;

/**
 * The member or item, or undefined; of an optional an optional. Throws {@link ExpressionError} for a wrong kind of
 * container or index.
 */
function find(container: Value, wanted: Value, access: Access): Value | undefined {
  if (isMap(container)) {
    const key = typeof wanted === 'string' ? wanted : toKey(wanted);
    return key === undefined ? undefined : memberOf(container, key);
  }
  const { base, place } = access;
  if (isOptional(container)) {
    const { value = null } = container;
    return optionalOf(value === null ? undefined : (find(value, wanted, access) ?? undefined));
  }
  if (!isList(container)) {
    const kind = describeKind(kindOf(container));
    const has = typeof wanted === 'string' ? `has ${noMember(access)}` : 'has no items';
    throw new ExpressionError(
      base.name === undefined ? `${kind} ${has}` : `${base.name} is ${kind}: it ${has}`,
      place,
    );
  }
  const index = toIndex(wanted);
  if (index === undefined) {
    const hint = wanted === 'length' ? '; size(list) is its length' : '';
    throw new ExpressionError(`the index of a list must be an integer${hint}`, place);
  }
  return container[index];
}

/** The member that an expression asks for. A key that it computes is a value, which errors do not show. */
function noMember({ key }: Access): string {
  const name = typeof key === 'string' ? key : key.literal;
  return typeof name === 'string' ? `no member ${JSON.stringify(name)}` : 'no such member';
}

function missing(container: Value, access: Access): ExpressionError {
  const { base, place } = access;
  if (isList(container)) {
    const list = `the list ${base.name === undefined ? '' : `${base.name} `}of ${container.length} items`;
    return new ExpressionError(`${list} has no item at this index`, place);
  }
  const where = base.name === undefined ? '' : ` in ${base.name}`;
  return new ExpressionError(`there is ${noMember(access)}${where}`, place);
}
