import { built, builtSource, type CelExpression, type ExpressionSource } from './built.ts';
import { celAccess } from './cel-text.ts';

/** A key of an object, an index of a list, or a reference to one. */
export type ReferenceKey = string | number | Reference<unknown>;

/**
 * A reference to a value of a run. It can be called with keys and indexes to refer to a part of that value, whatever
 * its type says: `steps.order('lines', 0, 'price')`.
 */
export interface Reference<T> extends CelExpression<T> {
  (...keys: readonly [ReferenceKey, ...ReferenceKey[]]): UntypedReference;
}

/**
 * A reference to a value whose type is not known: `returns` of its step tells it. Its parts are found by calling it.
 */
export interface UntypedReference extends Reference<never> {}

/**
 * A reference with a member for each member of the value: `input.customer.name`. The items of a list are `lines(0)`.
 */
export type Ref<T> = unknown extends T ? UntypedReference : ReferenceMembers<NonNullable<T>> & Reference<T>;

/** The members of a {@link Ref}. */
export type ReferenceMembers<T> = T extends readonly (infer Item)[]
  ? ListReference<Item>
  : T extends object
    ? { readonly [K in keyof T]-?: Ref<T[K]> }
    : unknown;

/** The items of a list. */
export interface ListReference<Item> {
  (index: number | Reference<number>): Ref<Item>;
  /** A list has no such member: use `size()` in an expression. */
  readonly length?: never;
  readonly name?: never;
}

/** A reference to the value of a source. Its members are found as they are asked for. */
export function createReference<T>(source: ExpressionSource<T>): Reference<T> {
  const call = (...keys: readonly unknown[]): UntypedReference => createReference(partOf(source, keys));
  return new Proxy(Object.assign(call, { [built]: source }), {
    get(_target, key) {
      if (key === built) return source;
      if (key === Symbol.toPrimitive) return refuseText;
      return typeof key === 'string' ? createReference(extend(source, key)) : undefined;
    },
  });
}

/** A part of the value of a source, whose type is not known. */
function partOf({ type: _, ...source }: ExpressionSource, keys: readonly unknown[]): ExpressionSource<never> {
  return keys.reduce<ExpressionSource<never>>(extend, source);
}

function extend({ type: _, ...source }: ExpressionSource, key: unknown): ExpressionSource<never> {
  const { cel, form, reads } = source;
  const index = builtSource(key);
  if (index?.kind === 'expression') {
    const readsItem = source.readsItem || index.readsItem;
    return {
      ...source,
      cel: `${cel}[${index.cel}]`,
      form: 'path',
      reads: [...reads, ...index.reads],
      readsItem,
    };
  }
  if (typeof key !== 'string' && typeof key !== 'number') {
    throw new TypeError('a reference takes keys and indexes: texts, numbers, and references to them');
  }
  const read = form === 'output' ? reads.map((of) => ({ ...of, member: String(key) })) : reads;
  return { ...source, cel: cel + celAccess(key), form: 'path', reads: read };
}

function refuseText(): never {
  throw new TypeError(
    'a reference has a value only in a run: use text`…` for texts, and cel`…` to compute with it',
  );
}
