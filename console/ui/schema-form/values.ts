import { isJson, isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts';
import { type FormNode, type Schema, simplify } from './model.ts';

/** A value that JSON can have. */
export type Json = JsonValue;

/** True for two values that are the same JSON. */
export const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** True for a value that the fields of a form can show: an absent one, or one of its kind. */
export function fits(node: FormNode, value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  switch (node.kind) {
    case 'object':
      return isJsonObject(value) && node.members.every((member) => fits(member.node, value[member.name]));
    case 'list':
      return (
        Array.isArray(value) && value.length <= MAX_ITEMS && value.every((item) => fits(node.item, item))
      );
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' || typeof value === 'string';
    default:
      return true;
  }
}

/** Items that a list shows as fields. */
const MAX_ITEMS = 100;

/** An object with a member set, or without it for undefined. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value === undefined) {
    return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
  }
  return { ...object, [name]: value };
}

/**
 * The value of a number field: a number, undefined for nothing, and else the text itself, which the service refuses.
 */
export function readNumber(text: string): Json | undefined {
  const plain = text.trim();
  if (plain === '') return undefined;
  const value = Number(plain);
  return /^[-+]?[\d.]/.test(plain) && Number.isFinite(value) ? value : text;
}

/** Where a new value begins: with its defaults, its constants, and the objects that it must have. */
export function startValue(schema: Schema | null): Json {
  return (schema === null ? undefined : startOf(schema, schema, 0)) ?? {};
}

function startOf(given: unknown, root: Schema, depth: number): Json | undefined {
  const schema = simplify(given, root);
  if (schema === undefined || depth > 6) return undefined;
  const fixed = 'default' in schema ? schema['default'] : schema['const'];
  if (isJson(fixed)) return fixed;
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return undefined;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = Object.entries(properties).flatMap(([name, property]) => {
    const start =
      required.includes(name) || hasDefault(property) ? startOf(property, root, depth + 1) : undefined;
    return start === undefined ? [] : [[name, start] as const];
  });
  return Object.fromEntries(members);
}

const hasDefault = (property: unknown): boolean =>
  typeof property === 'object' && property !== null && 'default' in property;

/** A value for a new item of a list. */
export function startItem(node: FormNode): Json {
  if (node.kind === 'object') return {};
  if (node.kind === 'list') return [];
  if (node.kind === 'choice') return node.values[0] ?? null;
  return node.kind === 'number' ? 0 : '';
}
