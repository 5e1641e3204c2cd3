import { copyJsonObject, JsonError } from '../../../lib/json/copy.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { pointerKeys } from '../../../lib/json/pointer.ts';
import type { InputIssue, InputSchema } from '../../../ports/tool.ts';
import {
  compileUserSchema,
  createUserSchema,
  UserSchemaError,
} from '../../shared/user-schema/user-schema.ts';
import type { Report } from './issues.ts';
import type { HttpToolDefinition } from './schema.ts';

/** The problem with a value, without anything of it; undefined where it fits. */
export type OutputCheck = (value: JsonValue) => string | undefined;

/** The schemas of a tool, for what calls it: undefined where they are not known. */
export interface HttpToolSchemas {
  readonly input: JsonObject | undefined;
  /** That of the output: a value that is no object becomes `{"value": …}`. */
  readonly output: JsonObject | undefined;
}

/** The input of a tool, as `input` describes it. */
export interface CompiledInput {
  /** The JSON Schema; undefined where it is none. */
  readonly stated: JsonObject | undefined;
  /** Undefined where the JSON Schema is not valid. */
  readonly schema: InputSchema<JsonObject> | undefined;
}

/** The output of a tool, as `output.schema` describes it. */
export interface CompiledOutput {
  /** Checks the part of an answer that the tool returns. */
  readonly check: OutputCheck;
  /** The JSON Schema of the output; undefined where it does not tell whether a value becomes `{"value": …}`. */
  readonly stated: JsonObject | undefined;
  readonly schema: InputSchema<unknown> | undefined;
}

/** Maximum size of a schema, in bytes of JSON. */
const MAX_SCHEMA_BYTES = 16_384;

/** The schema of a tool that takes no input. */
const noInput = { type: 'object', properties: {}, additionalProperties: false };

/** The schemas of a definition. */
export function httpToolSchemas({ input = noInput, output }: HttpToolDefinition): HttpToolSchemas {
  return { input: copySchema(input), output: wrapped(copySchema(output?.schema)) };
}

/** Compiles `input`, or reports what is wrong with it. */
export function compileInput(given: unknown = noInput, report: Report): CompiledInput {
  const fail: Fail = (keys, message) => report(['input', ...keys], message);
  const stated = copySchema(given, fail);
  return { stated, schema: stated && compile(stated, fail) };
}

/** Compiles `output.schema`, or reports what is wrong with it. */
export function compileOutput(given: unknown, report: Report): CompiledOutput | undefined {
  const fail: Fail = (keys, message) => report(['output', 'schema', ...keys], message);
  const schema = copySchema(given, fail);
  if (schema === undefined) return undefined;
  const compiled = compileUserSchema(schema);
  if ('invalid' in compiled) {
    for (const { pointer, message } of compiled.invalid) fail(pointerKeys(pointer), message);
    return undefined;
  }
  const text = JSON.stringify(schema);
  const check: OutputCheck = (value) => {
    const [issue] = compiled.issues(value);
    return issue && describe(issue, text);
  };
  const stated = wrapped(schema);
  return { check, stated, schema: stated && compile(stated, (_keys, message) => fail([], message)) };
}

type Fail = (keys: readonly string[], message: string) => void;

function compile(schema: JsonObject, fail: Fail): InputSchema<JsonObject> | undefined {
  try {
    return createUserSchema(schema);
  } catch (error) {
    if (!(error instanceof UserSchemaError)) throw error;
    for (const { pointer, message } of error.issues) fail(pointerKeys(pointer), message);
    return undefined;
  }
}

function copySchema(stated: unknown, fail: Fail = () => {}): JsonObject | undefined {
  if (stated === undefined) return undefined;
  try {
    return copyJsonObject(stated, MAX_SCHEMA_BYTES);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    fail([], error.message);
    return undefined;
  }
}

/** The schema of the output whose answers have this one; undefined where it does not tell whether they are objects. */
function wrapped(schema: JsonObject | undefined): JsonObject | undefined {
  if (schema === undefined) return undefined;
  const type = getOwn(schema, 'type') ?? (isJsonObject(schema['properties']) ? 'object' : null);
  if (type === 'object') return schema;
  // References lead from the root of a schema.
  if (typeof type !== 'string' || JSON.stringify(schema).includes('"$ref"')) return undefined;
  return { type: 'object', required: ['value'], properties: { value: schema }, additionalProperties: false };
}

/** An issue with the way to it. Names of members that only the answer has are not told. */
function describe({ path, message }: InputIssue, schema: string): string {
  const place = path.map((part) => {
    const name = String(part);
    return typeof part === 'number' || schema.includes(JSON.stringify(name)) ? name : '…';
  });
  return place.length === 0 ? message : `${place.join('.')} ${message}`;
}
