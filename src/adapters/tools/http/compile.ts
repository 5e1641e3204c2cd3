import { copyJsonObject, JsonError } from '../../../lib/json/copy.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { InputSchema } from '../../../ports/tool.ts';
import { createUserSchema, UserSchemaError } from '../../shared/user-schema/user-schema.ts';
import { type Body, compileBody } from './body.ts';
import type { Render } from './evaluate.ts';
import { compileHeaders } from './headers.ts';
import type { HttpToolIssue, Report } from './issues.ts';
import { isPointer } from './pointer.ts';
import { compileQuery } from './query.ts';
import type { HttpToolDefinition } from './schema.ts';
import { compileUrl } from './url.ts';

/** A definition whose request can be made from values. */
export interface CompiledHttpTool {
  readonly input: InputSchema<JsonObject>;
  readonly host: string;
  readonly url: Render;
  readonly query: Render;
  /** Without those that have secrets. */
  readonly headers: (values: JsonObject) => Readonly<Record<string, string>>;
  /** Undefined where the request has none. */
  readonly body: Body | undefined;
}

/** The result of {@link compileHttpTool}: a compiled tool, or at least one issue. */
export type CompileOutcome =
  | { readonly compiled: CompiledHttpTool; readonly issues: readonly [] }
  | { readonly compiled?: never; readonly issues: readonly HttpToolIssue[] };

/** Maximum size of the JSON Schema of an input, in bytes of JSON. */
const MAX_SCHEMA_BYTES = 16_384;

/** The schema of a tool that takes no input. */
const noInput = { type: 'object', properties: {}, additionalProperties: false };

/** Compiles a definition, or finds all that is wrong in it. The environment is not looked at. */
export function compileHttpTool({ request, output, ...definition }: HttpToolDefinition): CompileOutcome {
  const issues: HttpToolIssue[] = [];
  const report: Report = (path, message) => void issues.push({ path, message });
  const schema = schemaOf(definition.input ?? noInput, report);
  const input = schema === undefined ? undefined : compileInput(schema, report);
  const place = (member: string) => ({ path: ['request', member], schema, report });

  const url = compileUrl(request.url, place('url'));
  const query = compileQuery(request.query ?? {}, place('query'));
  const headers = compileHeaders(request.headers ?? {}, place('headers'));
  const hasBody = request.body !== undefined;
  const body = hasBody ? compileBody(request.body, contentTypeOf(request), place('body')) : undefined;
  if (hasBody && (request.method ?? 'GET') === 'GET') report(['request', 'body'], 'must be absent with GET');
  if (hasBody && request.method === 'HEAD') report(['request', 'body'], 'must be absent with HEAD');
  if (output?.pick !== undefined && !isPointer(output.pick)) {
    report(['output', 'pick'], 'must be a JSON pointer, such as /data/0');
  }
  if (input === undefined || url === undefined || issues.length > 0) return { issues };
  return { compiled: { input, ...url, query, headers, body }, issues: [] };
}

/** The media type that stands in the headers of a request. */
function contentTypeOf({ headers = {} }: HttpToolDefinition['request']): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

function schemaOf(input: unknown, report: Report): JsonObject | undefined {
  try {
    return copyJsonObject(input, MAX_SCHEMA_BYTES);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    report(['input'], error.message);
    return undefined;
  }
}

function compileInput(schema: JsonObject, report: Report): InputSchema<JsonObject> | undefined {
  try {
    return createUserSchema(schema);
  } catch (error) {
    if (!(error instanceof UserSchemaError)) throw error;
    for (const { pointer, message } of error.issues) report(['input', ...keysOf(pointer)], message);
    return undefined;
  }
}

function keysOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
