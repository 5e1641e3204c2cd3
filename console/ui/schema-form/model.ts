import { isJson, type JsonValue } from '../../api/json.ts';

/** A JSON Schema, as a caller wrote it. */
export type Schema = Readonly<Record<string, unknown>>;

/** The editor of a value. `raw` is JSON as text: for values that no fields can show. */
export type FormNode =
  | { readonly kind: 'object'; readonly members: readonly FormMember[] }
  | { readonly kind: 'list'; readonly item: FormNode; readonly itemHint: string }
  | { readonly kind: 'text'; readonly isLong: boolean; readonly placeholder: string | undefined }
  | { readonly kind: 'number' }
  | { readonly kind: 'choice'; readonly values: readonly JsonValue[] }
  | { readonly kind: 'raw' };

/** A member of an object in a form. */
export interface FormMember {
  readonly name: string;
  readonly label: string;
  /** The explanation of the value; empty without one. */
  readonly hint: string;
  readonly isRequired: boolean;
  readonly node: FormNode;
}

/** Members in all, and levels, up to which a schema becomes fields. */
const MAX_MEMBERS = 200;
const MAX_DEPTH = 6;

/** Keywords that decide about the shape of a value in ways that no fields can show. */
const shapeKeywords = [
  'oneOf',
  'anyOf',
  'allOf',
  'if',
  'patternProperties',
  'prefixItems',
  'dependentSchemas',
  '$dynamicRef',
] as const;

/** The form of a schema. What fields cannot show becomes `raw`, at its place. */
export function toForm(schema: Schema | null): FormNode {
  const budget = { members: MAX_MEMBERS };
  return schema === null ? { kind: 'raw' } : toNode(schema, { root: schema, depth: 0, budget });
}

interface Context {
  readonly root: Schema;
  readonly depth: number;
  readonly budget: { members: number };
}

function toNode(given: unknown, context: Context): FormNode {
  const schema = simplify(given, context.root);
  if (schema === undefined || context.depth > MAX_DEPTH) return { kind: 'raw' };
  if (isJson(schema['const'])) return { kind: 'choice', values: [schema['const']] };
  if (Array.isArray(schema['enum'])) return { kind: 'choice', values: schema['enum'] };
  switch (typeOf(schema)) {
    case 'object':
      return toObject(schema, context);
    case 'array':
      return toList(schema, context);
    case 'string':
      return {
        kind: 'text',
        isLong: typeof schema['maxLength'] === 'number' && schema['maxLength'] > 200,
        placeholder: placeholders[String(schema['format'])],
      };
    case 'number':
    case 'integer':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'choice', values: [true, false] };
    default:
      return { kind: 'raw' };
  }
}

const placeholders: Readonly<Record<string, string>> = {
  date: '2026-12-24',
  time: '18:00:00Z',
  'date-time': '2026-12-24T18:00:00Z',
  duration: 'PT15M',
  email: 'name@example.com',
  uri: 'https://example.com/',
};

function toObject(schema: Schema, context: Context): FormNode {
  const properties = schema['properties'];
  if (!isSchema(properties)) return { kind: 'raw' };
  const names = Object.keys(properties);
  context.budget.members -= names.length;
  if (names.length === 0 || context.budget.members < 0) return { kind: 'raw' };
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const members = names.map((name): FormMember => {
    const property = simplify(properties[name], context.root);
    return {
      name,
      label: textOf(property?.['title']) ?? name,
      hint: property === undefined ? '' : hintOf(property),
      isRequired: required.has(name),
      node: toNode(property, { ...context, depth: context.depth + 1 }),
    };
  });
  return { kind: 'object', members };
}

function toList(schema: Schema, context: Context): FormNode {
  const items = simplify(schema['items'], context.root);
  if (items === undefined) return { kind: 'raw' };
  const item = toNode(items, { ...context, depth: context.depth + 1 });
  return item.kind === 'raw' ? item : { kind: 'list', item, itemHint: hintOf(items) };
}

/** Follows references within the schema and takes "or null" away. Undefined where the shape is not one of fields. */
export function simplify(given: unknown, root: Schema): Schema | undefined {
  let at = given;
  for (let steps = 0; steps < 8 && isSchema(at); steps++) {
    const schema: Schema = at;
    const { $ref: reference, ...others } = schema;
    if (typeof reference === 'string') {
      const target = follow(root, reference);
      at = isSchema(target) ? { ...target, ...others } : undefined;
      continue;
    }
    const other = orNull(schema);
    if (other === undefined) return shapeKeywords.some((name) => name in schema) ? undefined : schema;
    at = other;
  }
  return undefined;
}

/** The other alternative of a schema that allows null or one thing. */
function orNull(schema: Schema): Schema | undefined {
  const { anyOf, oneOf, ...others } = schema;
  const alternatives = anyOf ?? oneOf;
  if (!Array.isArray(alternatives) || (anyOf !== undefined && oneOf !== undefined)) return undefined;
  const rest = alternatives.filter((one) => !(isSchema(one) && one['type'] === 'null'));
  const [only] = rest;
  return rest.length === 1 && isSchema(only) ? { ...others, ...only } : undefined;
}

function follow(root: Schema, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isSchema(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((name) => name !== 'null');
    return types.length === 1 ? types[0] : undefined;
  }
  return type ?? (isSchema(schema['properties']) ? 'object' : undefined);
}

/** The explanation of a value: its description, and its bounds in words. */
export function hintOf(schema: Schema): string {
  const parts = [textOf(schema['description'])?.replace(/\.$/, '')];
  const { format, pattern } = schema;
  if (typeof format === 'string') parts.push(format);
  if (typeof pattern === 'string') parts.push(`matches ${pattern}`);
  parts.push(
    schema['minLength'] === 1 && schema['maxLength'] === undefined
      ? 'not empty'
      : boundsOf(schema['minLength'], schema['maxLength'], 'characters'),
    boundsOf(schema['minItems'], schema['maxItems'], 'items'),
    boundsOf(schema['minimum'], schema['maximum'], ''),
  );
  if (schema['type'] === 'integer') parts.push('a whole number');
  if ('default' in schema) parts.push(`default ${JSON.stringify(schema['default'])}`);
  return parts.filter((part) => part !== undefined && part !== '').join('; ');
}

function boundsOf(least: unknown, most: unknown, unit: string): string | undefined {
  const [hasLeast, hasMost] = [typeof least === 'number', typeof most === 'number'];
  if (hasLeast && hasMost) return `${least} to ${most} ${unit}`.trim();
  if (hasLeast) return `at least ${least} ${unit}`.trim();
  return hasMost ? `at most ${most} ${unit}`.trim() : undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
