import { invalid, type RequestIssue } from '../../domain/errors.ts';
import { definitionKey, type WorkflowDefinition } from '../../domain/workflow/definition.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { pointerKeys } from '../../lib/json/pointer.ts';
import type { CompiledSchema, SchemaLanguage } from '../../ports/languages.ts';

/**
 * Checks the input of a run against `input_schema` of its definition: the issues with their places. Any input fits a
 * definition without. Throws `validation` where the schema itself is not valid.
 */
export type CheckInput = (
  definition: Pick<WorkflowDefinition, 'id' | 'version' | 'createdAt' | 'chain' | 'inputSchema'>,
  input: JsonObject,
) => readonly RequestIssue[];

/** The most schemas that are kept compiled. */
const MAX_COMPILED = 100;

/** Creates the check. The schemas of the versions that were used last stay compiled. */
export function createInputCheck(schemas: SchemaLanguage): CheckInput {
  const compiled = new Map<string, CompiledSchema>();

  function schemaOf(key: string, schema: JsonObject): CompiledSchema {
    const known = compiled.get(key) ?? compile(schema);
    // The last entry of the map is the one that was used last.
    compiled.delete(key);
    compiled.set(key, known);
    const [oldest] = compiled.keys();
    if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
    return known;
  }

  function compile(schema: JsonObject): CompiledSchema {
    const result = schemas.compile(schema);
    if (!('invalid' in result)) return result;
    const reasons = result.invalid.map(({ pointer, message }) => `${pointer}: ${message}`);
    throw invalid([`input: the schema of the definition is not valid: ${reasons.join(', ')}`]);
  }

  return (definition, input) => {
    const { inputSchema } = definition;
    if (inputSchema === undefined) return [];
    const issues = schemaOf(definitionKey(definition), inputSchema).issues(input);
    return issues.map(({ pointer, message }) => ({
      path: ['input', ...pointerKeys(pointer)],
      detail: message,
    }));
  };
}

/**
 * Copies the input of a run, so that the caller may change its object while the run continues. Throws
 * `validation`, which calls it `name`, for one that is not JSON, or larger than `maxBytes`.
 */
export function copyInput(input: JsonObject, maxBytes: number, name = 'input'): JsonObject {
  try {
    return copyJsonObject(input, maxBytes);
  } catch (error) {
    throw error instanceof JsonError ? invalid([`${name}: ${error.message}`]) : error;
  }
}
