import { copyJsonObject, JsonError } from '../../../lib/json/copy.ts';
import { isPlainObject, type JsonObject } from '../../../lib/json/json.ts';
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
 * Makes a schema for inputs from a JSON Schema (2020-12) that a user wrote. References lead only into the schema itself,
 * patterns are those that can be matched in linear time, and common formats are checked. Checking an input takes at most
 * about 50 ms; one that needs more is refused. Throws {@link UserSchemaError} where the schema is not valid, too large,
 * or could apply itself without an end.
 */
export function createUserSchema(schema: JsonObject): InputSchema<JsonObject> {
  const stated = copySchema(schema);
  const issues: SchemaIssue[] = [];
  const subschemas = collectSubschemas(stated, issues);
  refuseIssues(issues);
  checkReferences(subschemas, issues);
  refuseIssues(issues);
  const root = compileSchema(subschemas, issues);
  refuseIssues(issues);
  return {
    safeParse: (value) => check(root, value),
    toJSONSchema: () => stated,
  };
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

function check(root: Child, value: unknown): ReturnType<InputSchema<JsonObject>['safeParse']> {
  if (!isObject(value)) return failure([{ path: [], message: 'must be an object' }]);
  const run = createRun();
  try {
    return root.check(value, run, undefined) ? { success: true, data: value } : failure(run.issues);
  } catch (error) {
    if (error instanceof InputLimitError) return failure([{ path: [], message: error.message }]);
    throw error;
  }
}

function failure(issues: readonly InputIssue[]): {
  success: false;
  error: { issues: readonly InputIssue[] };
} {
  return { success: false, error: { issues } };
}

/** Inputs are JSON. */
function isObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}
