import { copyJsonObject, JsonError } from '../../../lib/json/copy.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import type { InputIssue, InputSchema } from '../../../ports/tool.ts';
import { type SchemaIssue, UserSchemaError } from './error.ts';
import { type Child, compileSchema } from './node.ts';
import { createRun, InputLimitError } from './run.ts';
import { checkReferences, collectSubschemas } from './walk.ts';

export { UserSchemaError } from './error.ts';

/** Maximum size of a schema as JSON text in UTF-8, in bytes. */
const MAX_SCHEMA_BYTES = 16_384;

/** Maximum number of issues that an error tells. */
const MAX_SCHEMA_ISSUES = 10;

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
      const issues = isObject(value) ? check(root, value) : [{ path: [], message: 'must be an object' }];
      return issues.length === 0 && isObject(value)
        ? { success: true, data: value }
        : { success: false, error: { issues } };
    },
    toJSONSchema: () => stated,
  };
}

/** What is wrong with a value of any kind; empty where it fits the schema. */
export interface UserSchema {
  issues(value: JsonValue): readonly InputIssue[];
}

/** Units of work, of up to about 100 ns, for compiling a subschema without its patterns. */
const SUBSCHEMA_COST = 100;

/**
 * As {@link createUserSchema}, for values of any kind; tells what is wrong with the schema where it is not valid. Takes
 * the work from `budget`.
 */
export function compileUserSchema(
  schema: JsonObject,
  budget: { left: number } = { left: Number.POSITIVE_INFINITY },
): UserSchema | { readonly invalid: readonly SchemaIssue[] } {
  if (budget.left <= 0) {
    return { invalid: [{ pointer: '', message: 'takes too much work, with all others together' }] };
  }
  try {
    const { root } = compile(schema, budget);
    return { issues: (value) => check(root, value) };
  } catch (error) {
    if (error instanceof UserSchemaError) return { invalid: error.issues };
    throw error;
  }
}

function compile(
  schema: JsonObject,
  budget?: { left: number },
): { readonly stated: JsonObject; readonly root: Child } {
  const stated = copySchema(schema);
  const issues: SchemaIssue[] = [];
  const subschemas = collectSubschemas(stated, issues);
  refuseIssues(issues);
  checkReferences(subschemas, issues);
  refuseIssues(issues);
  const { root, patternsCost } = compileSchema(subschemas, issues);
  if (budget !== undefined) budget.left -= subschemas.size * SUBSCHEMA_COST + patternsCost;
  refuseIssues(issues);
  return { stated, root };
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

/** What is wrong with a value; empty where it fits. */
function check(root: Child, value: JsonValue): readonly InputIssue[] {
  const run = createRun();
  try {
    if (root.check(value, run, undefined)) return [];
    return run.issues.length > 0 ? run.issues : [{ path: [], message: 'does not fit the schema' }];
  } catch (error) {
    if (error instanceof InputLimitError) return [{ path: [], message: error.message }];
    throw error;
  }
}

/** Inputs are JSON. */
function isObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}
