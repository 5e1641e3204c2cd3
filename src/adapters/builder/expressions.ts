import { isPlainObject, type JsonValue } from '../../lib/json/json.ts';

/**
 * An expression in CEL, as it is written between the backticks; backslashes are those of CEL. What is inserted by
 * `${…}` is one value: a reference, another expression (in parentheses), or JSON, which becomes a literal, so that a
 * text is never code. Throws `TypeError` for an insertion within quotes or a comment, and for a value that is not JSON.
 *
 *     when: ({ steps, input }) => cel`${steps.order.total} > ${input.limit} && ${steps.order.state} != ${'closed'}`
 */
export function cel(strings: TemplateStringsArray, ...parts: readonly Part[]): CelExpression<never> {
  const sources = parts.map(expressionOf);
  let text = '';
  for (const [index, chunk] of strings.raw.entries()) {
    checkChunk(chunk);
    const source = sources[index - 1];
    if (source !== undefined) text += separated(text, source, chunk);
    text += chunk;
  }
  return {
    [built]: {
      kind: 'expression',
      cel: text,
      reads: sources.flatMap(({ reads }) => reads),
      readsItem: sources.some(({ readsItem }) => readsItem),
      form: 'computed',
    },
  };
}

/** A part as an expression: values become literals. Throws `TypeError` for a text with references. */
function expressionOf(part: unknown): ExpressionSource {
  const source = builtSource(part);
  if (source?.kind === 'expression') return source;
  if (source?.kind === 'text') throw new TypeError('text`…` cannot be a part of cel`…`');
  if (source?.kind === 'shape') throw new TypeError('a shape is a type, not a value');
  const cel = celLiteral(source === undefined ? part : source.value);
  return { kind: 'expression', cel, reads: [], readsItem: false, form: 'path' };
}

const wordOrQuote = /[A-Za-z0-9_'"]/;

/** The source with spaces where it would otherwise become a part of its neighbours, such as `r'…'`. */
function separated(before: string, { cel, form }: ExpressionSource, after: string): string {
  const start = wordOrQuote.test(before.slice(-1)) ? ' ' : '';
  const end = wordOrQuote.test(after.slice(0, 1)) ? ' ' : '';
  return `${start}${form === 'computed' ? `(${cel})` : cel}${end}`;
}

/** Complete texts and comments of CEL. */
const complete =
  /"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*'|\/\/[^\n]*\n/g;

/** Throws where a text or a comment is open at the end of the chunk: what follows would be a part of it. */
function checkChunk(chunk: string): void {
  const rest = chunk.replace(complete, ' ');
  if (/["']/.test(rest)) {
    throw new TypeError(`an expression has an insertion within quotes, or quotes without an end: ${chunk}`);
  }
  if (rest.includes('//')) throw new TypeError(`a comment in an expression must end with its line: ${chunk}`);
}

/** A value that is taken as it is: texts in it that look like templates, such as `$input.x` or `${{ x }}`, are none. */
export function literal(value: JsonValue): Literal {
  return { [built]: { kind: 'literal', value } };
}

/**
 * A text. What is inserted by `${…}` becomes a part of it when the step runs: references and expressions by their
 * values, as JSON where they are no texts. Everything else is taken as it is, whatever it looks like. Throws
 * `TypeError` for a value that is not JSON.
 *
 *     title: ({ steps }) => text`Refund ${steps.order.total} EUR?`
 */
export function text(strings: TemplateStringsArray, ...parts: readonly Part[]): TextTemplate {
  const merged: (string | CelExpression)[] = [];
  for (const [index, chunk] of strings.entries()) {
    append(merged, chunk);
    const part = parts[index];
    if (part !== undefined) append(merged, isExpression(part) ? part : textOf(part));
    else if (index < parts.length) throw new TypeError('undefined is not JSON');
  }
  const expressions = merged.filter((part) => typeof part !== 'string');
  const template = expressions.length === 0 ? escapeText(merged.join('')) : templateOf(merged);
  return { [built]: { kind: 'text', template, expressions } };
}

/** Adds a part; texts beside each other become one, because an escape may span them. */
function append(parts: (string | CelExpression)[], part: string | CelExpression): void {
  const last = parts.at(-1);
  if (part === '') return;
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
  else parts.push(part);
}

function textOf(part: Literal | JsonValue): string {
  const source = builtSource(part);
  const value = source?.kind === 'literal' ? source.value : part;
  if (typeof value === 'string') return value;
  // Refuses what is not JSON.
  celLiteral(value);
  return JSON.stringify(value);
}

function templateOf(parts: readonly (string | CelExpression)[]): string {
  const texts = parts.map((part, index) =>
    typeof part === 'string'
      ? escapePart(part, index === 0, index === parts.length - 1)
      : embed(part[built].cel),
  );
  // A string that is wholly one expression has the type of its value: an empty text beside it makes it a text.
  return (parts.length === 1 ? embed(celText('')) : '') + texts.join('');
}

/**
 * A literal beside expressions. A `$` at the start or before an expression would be an escape: it becomes an
 * expression.
 */
function escapePart(part: string, isFirst: boolean, isLast: boolean): string {
  const end = isLast ? '' : (/\$+$/.exec(part)?.[0] ?? '');
  const rest = part.slice(0, part.length - end.length);
  const start = isFirst && rest.startsWith('$') ? '$' : '';
  return [dollars(start), escapeOpenings(rest.slice(start.length)), dollars(end)].join('');
}

function dollars(signs: string): string {
  return signs === '' ? '' : embed(celText(signs));
}

function escapeOpenings(part: string): string {
  return part.replaceAll(OPENING, () => `$${OPENING}`);
}

const OPENING = '$'.concat('{{');

/** The string of a definition whose value is that of the expression. */
export function embed(source: string): string {
  return `${OPENING} ${source} }}`;
}

/** The string of a definition that stands for exactly this text. */
export function escapeText(value: string): string {
  const escaped = escapeOpenings(value);
  if (!value.startsWith('$')) return escaped;
  const prefixed = `$${value}`;
  if (escaped === value || escaped === prefixed) return prefixed;
  // With both escapes in one string it would matter which is read first: the first `$` becomes an expression.
  return dollars('$') + escapeOpenings(value.slice(1));
}

/** Where the values of the builder keep what they stand for. No JSON has it. */
export const built: unique symbol = Symbol('built');

/** A read of the output of a step. */
export interface StepRead {
  readonly stepId: string;
  /** The member of the output; undefined where all of it is read, or a member that is known only in a run. */
  readonly member?: string | undefined;
}

/** The source of an expression, and what it reads. */
export interface ExpressionSource<T = unknown> {
  readonly kind: 'expression';
  /** CEL. */
  readonly cel: string;
  readonly reads: readonly StepRead[];
  /** True where it reads `item` or `index`. */
  readonly readsItem: boolean;
  /** `output` for a reference to a complete output, `path` for one to a part of a value; else it is computed. */
  readonly form: 'output' | 'path' | 'computed';
  /** The type of the value. It exists only for the compiler. */
  readonly type?: T;
}

/** The parts of a text. */
export interface TextSource {
  readonly kind: 'text';
  /** As in the JSON form, with `${{ … }}`. */
  readonly template: string;
  readonly expressions: readonly CelExpression[];
}

/** The value of a literal. */
export interface LiteralSource {
  readonly kind: 'literal';
  readonly value: JsonValue;
}

/** The source of a type for the compiler alone. */
export interface ShapeSource<T = unknown> {
  readonly kind: 'shape';
  readonly type?: T;
}

/**
 * A value that is computed when the step runs: an expression, or a reference. `T` is its type; one whose type is not
 * known fits everywhere, as `never` does.
 */
export interface CelExpression<T = unknown> {
  readonly [built]: ExpressionSource<T>;
}

/** A text with references. */
export interface TextTemplate {
  readonly [built]: TextSource;
}

/** A value that is taken as it is, whatever its texts look like. */
export interface Literal {
  readonly [built]: LiteralSource;
}

/** A type without a schema. */
export interface Shape<T> {
  readonly [built]: ShapeSource<T>;
}

/** The values that can be inserted into an expression or a text: references, other expressions, and values. */
export type Part = CelExpression | Literal | JsonValue;

/** The source of a value of the builder; undefined for JSON. */
export function builtSource(
  value: unknown,
): ExpressionSource | TextSource | LiteralSource | ShapeSource | undefined {
  return isBuilt(value) ? value[built] : undefined;
}

/** True for references and expressions. */
export function isExpression(value: unknown): value is CelExpression {
  return builtSource(value)?.kind === 'expression';
}

function isBuilt(value: unknown): value is CelExpression | TextTemplate | Literal | Shape<unknown> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && built in value;
}

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

/** Names that need no quotes after a dot. */
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words that CEL keeps for itself; as keys they are written with quotes. */
const reserved = new Set(
  'as break const continue else false for function if import in let loop namespace null package prototype return true var void while __proto__'.split(
    ' ',
  ),
);

/** The signs that end a text or a line in CEL, and those without a visible form. */
const special = /['\\\p{Cc}\u2028\u2029]/gu;

const escapes: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** The access to a member or an item: `.total`, `['my-step']`, `[0]`. Throws `TypeError` for other keys. */
export function celAccess(key: string | number): string {
  if (typeof key === 'string') {
    return identifier.test(key) && !reserved.has(key) ? `.${key}` : `[${celText(key)}]`;
  }
  if (Number.isSafeInteger(key) && key >= 0) return `[${key}]`;
  throw new TypeError(`${key} is not the index of an item: it must be a whole number from 0`);
}

/** A text as a literal of CEL. Throws `TypeError` for a text that is not valid Unicode. */
function celText(text: string): string {
  if (!text.isWellFormed())
    throw new TypeError('a text is not valid Unicode: it has half of a surrogate pair');
  return `'${text.replace(special, escapeOf)}'`;
}

/** A JSON value as a literal of CEL; whole numbers become integers. Throws `TypeError` for what is not JSON. */
function celLiteral(value: unknown): string {
  if (typeof value === 'string') return celText(value);
  if (typeof value === 'number') return celNumber(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, celLiteral).join(', ')}]`;
  if (!isPlainObject(value) || Object.getOwnPropertySymbols(value).length > 0)
    throw new TypeError(`a value of type ${typeof value} is not JSON`);
  const members = Object.entries(value).map(([key, member]) => `${celText(key)}: ${celLiteral(member)}`);
  return `{${members.join(', ')}}`;
}

function celNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is not JSON`);
  // Integers of CEL have 64 bits, so that a larger one is written as a floating-point number.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

function escapeOf(character: string): string {
  return escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
