import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import type { SchemaIssue } from './error.ts';
import { applicators, type Holder, isSchema, rules } from './keywords.ts';
import { joinPointer, localPointer } from './pointer.ts';

/** A schema within a schema. */
export interface Subschema {
  readonly pointer: string;
  readonly schema: JsonObject | boolean;
  /** The pointers of the schemas that apply to the same value. */
  readonly inPlace: readonly string[];
  /** The pointer that `$ref` names. */
  readonly ref: string | undefined;
}

/** Maximum number of subschemas and references. */
const MAX_SUBSCHEMAS = 256;

/** Maximum number of schemas that apply to one value, each counted as often as it is reached. */
const MAX_IN_PLACE = 2_000;

/** Collects all subschemas by their pointers, and the issues of their keywords. */
export function collectSubschemas(root: JsonObject, issues: SchemaIssue[]): ReadonlyMap<string, Subschema> {
  const found = new Map<string, Subschema>();
  const waiting: (readonly [string, JsonValue])[] = [['', root]];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [pointer, schema] = next;
    if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
      issues.push({ pointer, message: 'must be a schema: an object, true or false' });
      continue;
    }
    const members = typeof schema === 'boolean' ? {} : schema;
    const children = childrenOf(members, pointer, issues);
    const ref = typeof schema === 'boolean' ? undefined : refOf(schema, pointer, issues);
    count += ref === undefined ? 1 : 2;
    if (count > MAX_SUBSCHEMAS) {
      issues.push({ pointer: '', message: `has more than ${MAX_SUBSCHEMAS} subschemas and references` });
      return found;
    }
    const inPlace = children.filter((child) => child.inPlace).map((child) => child.pointer);
    found.set(pointer, { pointer, schema, inPlace: ref === undefined ? inPlace : [...inPlace, ref], ref });
    waiting.push(...children.map((child) => [child.pointer, child.schema] as const).reverse());
  }
  return found;
}

interface Child {
  readonly pointer: string;
  readonly schema: JsonValue;
  readonly inPlace: boolean;
}

function childrenOf(schema: JsonObject, pointer: string, issues: SchemaIssue[]): Child[] {
  const children: Child[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const at = joinPointer(pointer, keyword);
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
    if (rule !== undefined && !rule.holds(value)) issues.push({ pointer: at, message: rule.must });
    if (keyword === '$id' && pointer !== '') {
      issues.push({ pointer: at, message: 'is supported only at the top' });
    }
    const applicator = Object.hasOwn(applicators, keyword) ? applicators[keyword] : undefined;
    if (applicator === undefined) continue;
    const { holder, inPlace } = applicator;
    const held = heldSchemas(holder, value);
    if (held === undefined) issues.push({ pointer: at, message: holderMessages[holder] });
    for (const [key, child] of held ?? []) {
      const childPointer = key === undefined ? at : joinPointer(at, key);
      children.push({ pointer: childPointer, schema: child, inPlace });
    }
  }
  return children;
}

const holderMessages: Readonly<Record<Holder, string>> = {
  schema: 'must be a schema: an object, true or false',
  list: 'must be a list of schemas that is not empty',
  map: 'must be an object of schemas',
};

type Held = readonly (readonly [string | number | undefined, JsonValue])[];

function heldSchemas(holder: Holder, value: JsonValue): Held | undefined {
  if (holder === 'schema') return isSchema(value) ? [[undefined, value]] : undefined;
  if (holder === 'list') return isJsonArray(value) && value.length > 0 ? [...value.entries()] : undefined;
  return isJsonObject(value) ? Object.entries(value) : undefined;
}

function refOf({ $ref }: JsonObject, pointer: string, issues: SchemaIssue[]): string | undefined {
  if (typeof $ref !== 'string') return undefined;
  const target = localPointer($ref);
  if (target === undefined) {
    const message = 'must name a place in this schema, such as "#/$defs/address"';
    issues.push({ pointer: joinPointer(pointer, '$ref'), message });
  }
  return target;
}

/** Finds references that lead nowhere, that apply a schema to the same value for ever, or do so too often. */
export function checkReferences(subschemas: ReadonlyMap<string, Subschema>, issues: SchemaIssue[]): void {
  const sizes = new Map<string, number>();
  const open = new Set<string>();
  const sizeOf = ({ pointer, inPlace, ref }: Subschema): number => {
    const known = sizes.get(pointer);
    if (known !== undefined) return known;
    open.add(pointer);
    let size = 1;
    for (const next of inPlace) {
      const target = subschemas.get(next);
      const at = next === ref ? joinPointer(pointer, '$ref') : next;
      if (target === undefined) issues.push({ pointer: at, message: 'leads to no schema' });
      else if (open.has(next)) issues.push({ pointer: at, message: 'leads back to itself without an end' });
      else size += sizeOf(target);
    }
    open.delete(pointer);
    if (size > MAX_IN_PLACE) {
      issues.push({ pointer, message: `applies more than ${MAX_IN_PLACE} schemas to one value` });
      size = 1;
    }
    sizes.set(pointer, size);
    return size;
  };
  for (const subschema of subschemas.values()) sizeOf(subschema);
}
