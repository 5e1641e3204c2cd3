import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '../../lib/json/json.ts';
import {
  built,
  builtSource,
  type CelExpression,
  type ExpressionSource,
  isExpression,
  type Literal,
  type TextTemplate,
} from './built.ts';
import { embed, escapeText } from './text.ts';

/** A value of a definition: JSON that may contain references, expressions, texts and literals. */
export type Value =
  | string
  | number
  | boolean
  | null
  | CelExpression
  | TextTemplate
  | Literal
  | readonly Value[]
  | Values;

/** An object of a definition. */
export interface Values {
  readonly [key: string]: Value;
}

/** A part of a definition, or a function that makes it from references. */
export type Given<T, Context, Made = T> = T | ((context: Context) => Made);

/** Collects the expressions of a part of a definition while it becomes JSON. */
export interface Collector {
  readonly expressions: ExpressionSource[];
}

/** Calls the function where there is one. */
export function resolveGiven<T, Context, Made>(given: Given<T, Context, Made>, context: Context): T | Made {
  return isMaker(given) ? given(context) : given;
}

function isMaker<T, Context, Made>(given: Given<T, Context, Made>): given is (context: Context) => Made {
  return typeof given === 'function' && !isExpression(given);
}

/** An expression as text, for members that are CEL; a string is CEL already. */
export function toCel(value: string | CelExpression, { expressions }: Collector): string {
  if (typeof value === 'string') return value;
  const source = builtSource(value);
  if (source?.kind !== 'expression') throw new TypeError('an expression must be CEL, cel`…` or a reference');
  expressions.push(source);
  return source.cel;
}

/** A value as JSON with templates. `place` names it in errors. Throws `TypeError` for what is not JSON. */
export function toTemplate(value: unknown, place: string, collector: Collector): JsonValue {
  const source = builtSource(value);
  switch (source?.kind) {
    case 'expression':
      collector.expressions.push(source);
      return embed(source.cel);
    case 'text':
      collector.expressions.push(...source.expressions.map((part) => part[built]));
      return source.template;
    case 'literal':
      return copy(source.value, place, (text) => escapeText(text));
    case 'shape':
      throw new TypeError(`${place}: a shape is a type, not a value`);
    case undefined:
      return copy(
        value,
        place,
        (text) => text,
        (member, at) => toTemplate(member, at, collector),
      );
  }
}

type CopyMember = (value: unknown, place: string) => JsonValue;

/** Copies JSON, with `toText` applied to its texts, and `toMember` to what it contains. */
function copy(
  value: unknown,
  place: string,
  toText: (text: string) => string,
  toMember?: CopyMember,
): JsonValue {
  const copyMember: CopyMember = toMember ?? ((member, at) => copy(member, at, toText));
  if (typeof value === 'string') return toText(value);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return Array.from(value, (item, index) => copyMember(item, `${place}.${index}`));
  if (!isPlainObject(value)) throw new TypeError(`${place}: ${describe(value)} is not JSON`);
  const object: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value))
    setOwn(object, key, copyMember(member, `${place}.${key}`));
  return object;
}

/** As {@link toTemplate}, for an object. */
export function toTemplates(values: Values, place: string, collector: Collector): JsonObject {
  if (!isPlainObject(values) || builtSource(values) !== undefined) {
    throw new TypeError(`${place}: must be an object`);
  }
  const object: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(values)) {
    setOwn(object, key, toTemplate(value, `${place}.${key}`, collector));
  }
  return object;
}

function describe(value: unknown): string {
  return typeof value === 'number' || value === undefined ? String(value) : `a value of type ${typeof value}`;
}
