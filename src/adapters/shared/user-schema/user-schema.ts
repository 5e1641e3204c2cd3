import { copyJsonObject, JsonError } from '../../../lib/json/copy.ts';
import { isJsonObject, isPlainObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { fragmentPointer, joinPointer } from '../../../lib/json/pointer.ts';
import type { InputIssue, InputSchema } from '../../../ports/tool.ts';
import { compilePattern, type LinearPattern, PatternError, patternCost } from '../linear-pattern.ts';
import { addChecks, checkInput, keywords, type Node, refuse } from './checks.ts';

/** One issue of a schema. */
interface SchemaIssue {
  /** A JSON pointer into the schema; empty for the schema as a whole. */
  readonly pointer: string;
  /** Safe to show. */
  readonly message: string;
}

/** A schema is not valid, or could take too much work. The message names the first issues. */
export class UserSchemaError extends Error {
  override readonly name = 'UserSchemaError';
  readonly issues: readonly SchemaIssue[];

  constructor(issues: readonly SchemaIssue[]) {
    super(
      issues.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`)).join('; '),
    );
    this.issues = issues;
  }
}

/** Maximum size of a schema as JSON text in UTF-8, in bytes. */
const MAX_SCHEMA_BYTES = 16_384;

/** Maximum number of issues of an error. */
const MAX_SCHEMA_ISSUES = 10;

/** Maximum number of subschemas and references. */
const MAX_SUBSCHEMAS = 256;

/** Maximum number of schemas that apply to one value, each counted as often as it is reached. */
const MAX_IN_PLACE = 2_000;

/** Units of work, of up to about 100 ns, for compiling all patterns of a schema. */
const MAX_PATTERNS_COST = 500_000;

/** Units of work for compiling a subschema without its patterns. */
const SUBSCHEMA_COST = 100;

/**
 * Makes a schema for inputs from a JSON Schema (2020-12) that a user wrote. References lead only into the schema
 * itself, patterns are those that can be matched in linear time, and common formats are checked. Checking an input
 * takes at most about 50 ms; one that needs more is refused. Throws {@link UserSchemaError} where the schema is not
 * valid, too large, or could apply itself without an end.
 */
export function createUserSchema(schema: JsonObject): InputSchema<JsonObject> {
  const { stated, root } = compile(schema);
  return {
    safeParse: (value) => {
      const issues = isObject(value) ? checkInput(root, value) : [{ path: [], message: 'must be an object' }];
      return issues.length === 0 && isObject(value)
        ? { success: true, data: value }
        : { success: false, error: { issues } };
    },
    toJSONSchema: () => stated,
  };
}

/**
 * As {@link createUserSchema}, for values of any kind: `issues` is empty where a value fits. Where the schema is not
 * valid, the result has its issues. Takes the work from `budget`.
 */
export function compileUserSchema(
  schema: JsonObject,
  budget: { left: number } = { left: Number.POSITIVE_INFINITY },
):
  | { readonly issues: (value: JsonValue) => readonly InputIssue[] }
  | { readonly invalid: readonly SchemaIssue[] } {
  if (budget.left <= 0) {
    return { invalid: [{ pointer: '', message: 'takes too much work, with all others together' }] };
  }
  try {
    const { root } = compile(schema, budget);
    return { issues: (value) => checkInput(root, value) };
  } catch (error) {
    if (error instanceof UserSchemaError) return { invalid: error.issues };
    throw error;
  }
}

/** Inputs are JSON. */
function isObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}

function compile(
  schema: JsonObject,
  budget?: { left: number },
): { readonly stated: JsonObject; readonly root: Node } {
  const stated = copySchema(schema);
  const issues: SchemaIssue[] = [];
  const nodes = collectNodes(stated, issues);
  refuseIssues(issues);
  checkReferences(nodes, issues);
  refuseIssues(issues);
  let patternsCost = 0;
  for (const node of nodes) {
    addChecks(node, (source, ...keys) => {
      try {
        patternsCost += patternCost(source, 'ecmascript').compileCost;
        return compileWithin(patternsCost, source);
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        issues.push({ pointer: keys.reduce(joinPointer, node.pointer), message: error.message });
        return undefined;
      }
    });
  }
  if (budget !== undefined) budget.left -= nodes.length * SUBSCHEMA_COST + patternsCost;
  refuseIssues(issues);
  const [root] = nodes;
  if (root === undefined) throw new RangeError('a schema has no node');
  return { stated, root };
}

function compileWithin(patternsCost: number, source: string): LinearPattern {
  if (patternsCost > MAX_PATTERNS_COST) throw new PatternError('the patterns are too large together');
  return compilePattern(source, 'ecmascript');
}

function copySchema(schema: JsonObject): JsonObject {
  try {
    return copyJsonObject(schema, MAX_SCHEMA_BYTES);
  } catch (error) {
    if (error instanceof JsonError) throw new UserSchemaError([{ pointer: '', message: error.message }]);
    throw error;
  }
}

function refuseIssues(issues: readonly SchemaIssue[]): void {
  if (issues.length > 0) throw new UserSchemaError(issues.slice(0, MAX_SCHEMA_ISSUES));
}

/** The nodes of all subschemas, the root first, with the issues of their keywords. */
function collectNodes(root: JsonObject, issues: SchemaIssue[]): readonly Node[] {
  const nodes = new Map<string, Node>();
  let count = 0;
  const collect = (pointer: string, schema: JsonValue): Node | undefined => {
    if (count > MAX_SUBSCHEMAS) return undefined;
    if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
      issues.push({ pointer, message: 'must be a schema: an object, true or false' });
      return undefined;
    }
    const stated = typeof schema === 'boolean' ? {} : schema;
    const held = heldSchemas(stated, pointer, issues);
    const ref = refOf(stated, pointer, issues);
    count += ref === undefined ? 1 : 2;
    if (count > MAX_SUBSCHEMAS) {
      issues.push({ pointer: '', message: `has more than ${MAX_SUBSCHEMAS} subschemas and references` });
      return undefined;
    }
    const checks = schema === false ? [refuse] : [];
    const children: Node['children'] = new Map();
    const node: Node = { pointer, stated, children, ref, referred: undefined, checks, lastChecks: [] };
    nodes.set(pointer, node);
    for (const [keyword, schemas] of held) {
      children.set(
        keyword,
        schemas.flatMap(([key, at, part]) => {
          const found = collect(at, part);
          return found === undefined ? [] : [[key, found] as const];
        }),
      );
    }
    return node;
  };
  collect('', root);
  for (const node of nodes.values()) if (node.ref !== undefined) node.referred = nodes.get(node.ref);
  return [...nodes.values()];
}

type Held = readonly (readonly [key: string, pointer: string, schema: JsonValue])[];

/** The subschemas by the keyword that holds them. Adds the issues of all keywords. */
function heldSchemas(
  schema: JsonObject,
  pointer: string,
  issues: SchemaIssue[],
): readonly (readonly [keyword: string, schemas: Held])[] {
  const found: [keyword: string, schemas: Held][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const at = joinPointer(pointer, keyword);
    const rule = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    if (rule !== undefined && !rule.holds(value)) issues.push({ pointer: at, message: rule.must });
    if (keyword === '$id' && pointer !== '') {
      issues.push({ pointer: at, message: 'is supported only at the top' });
    }
    if (rule?.holder === undefined || !rule.holds(value)) continue;
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    found.push([
      keyword,
      rule.holder === 'schema'
        ? [['', at, value]]
        : entries.map(([key, part]) => [key, joinPointer(at, key), part]),
    ]);
  }
  return found;
}

function refOf({ $ref }: JsonObject, pointer: string, issues: SchemaIssue[]): string | undefined {
  if (typeof $ref !== 'string') return undefined;
  const target = fragmentPointer($ref);
  if (target === undefined) {
    const message = 'must name a place in this schema, such as "#/$defs/address"';
    issues.push({ pointer: joinPointer(pointer, '$ref'), message });
  }
  return target;
}

/** Finds references that lead nowhere, that apply a schema to the same value for ever, or do so too often. */
function checkReferences(nodes: readonly Node[], issues: SchemaIssue[]): void {
  const sizes = new Map<Node, number>();
  const open = new Set<Node>();
  const sizeOf = (node: Node): number => {
    const known = sizes.get(node);
    if (known !== undefined) return known;
    open.add(node);
    let size = 1;
    for (const [pointer, next] of inPlaceOf(node)) {
      if (next === undefined) issues.push({ pointer, message: 'leads to no schema' });
      else if (open.has(next)) issues.push({ pointer, message: 'leads back to itself without an end' });
      else size += sizeOf(next);
    }
    open.delete(node);
    if (size > MAX_IN_PLACE) {
      issues.push({
        pointer: node.pointer,
        message: `applies more than ${MAX_IN_PLACE} schemas to one value`,
      });
      size = 1;
    }
    sizes.set(node, size);
    return size;
  };
  for (const node of nodes) sizeOf(node);
}

/** The schemas that apply to the same value, with the pointers that lead to them. */
function inPlaceOf({
  pointer,
  children,
  ref,
  referred,
}: Node): readonly (readonly [pointer: string, node: Node | undefined])[] {
  const inPlace = [...children].flatMap(([keyword, nodes]) =>
    keywords[keyword]?.isInPlace === true ? nodes.map(([, node]) => [node.pointer, node] as const) : [],
  );
  return ref === undefined ? inPlace : [...inPlace, [joinPointer(pointer, '$ref'), referred]];
}
