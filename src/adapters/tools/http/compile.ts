import type { JsonObject, JsonValue } from '../../../lib/json/json.ts';
import { isPointer, pointerKeys } from '../../../lib/json/pointer.ts';
import { membersOf } from '../../../lib/json/schema-members.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { InputSchema } from '../../../ports/tool.ts';
import { type Body, compileBody } from './body.ts';
import { compileHeaders } from './headers.ts';
import type { HttpToolIssue, Report } from './issues.ts';
import { type CompiledOutput, compileInput, compileOutput } from './json-schemas.ts';
import type { Render } from './parts.ts';
import type { HttpToolDefinition } from './schema.ts';
import { compileQuery, compileUrl } from './url.ts';

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
  /** Undefined where the definition has no schema of it. */
  readonly output: CompiledOutput | undefined;
}

/** The result of {@link compileHttpTool}: a compiled tool, or at least one issue. */
export type CompileOutcome =
  | { readonly compiled: CompiledHttpTool; readonly issues: readonly [] }
  | { readonly compiled?: never; readonly issues: readonly HttpToolIssue[] };

/** Compiles a definition, or finds all that is wrong in it. The environment is not looked at. */
export function compileHttpTool(definition: HttpToolDefinition): CompileOutcome {
  const { request, output } = definition;
  const issues: HttpToolIssue[] = [];
  const report: Report = (path, message) => void issues.push({ path, message });
  const input = compileInput(definition.input, report);
  const place = (member: string) => ({ path: ['request', member], schema: input.stated, report });

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
  const compiledOutput = compileOutput(output?.schema, report);
  checkIdentifiers(definition.from_message ?? [], input.stated, report);
  if (definition.owner !== undefined) checkOwner(definition.owner, compiledOutput?.stated, report);
  if (input.schema === undefined || url === undefined || issues.length > 0) return { issues };
  return {
    compiled: { input: input.schema, ...url, query, headers, body, output: compiledOutput },
    issues: [],
  };
}

/** The media type that stands in the headers of a request. */
function contentTypeOf({ headers = {} }: HttpToolDefinition['request']): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

/** Checks that the input has the members that are said to be identifiers. */
function checkIdentifiers(names: readonly string[], schema: JsonObject | undefined, report: Report): void {
  const known = membersOf(schema);
  for (const [index, name] of names.entries()) {
    if (known === undefined || known.has(name)) continue;
    const expected = [...known.keys()].join(', ') || 'no members';
    report(['from_message', index], `there is no ${quote(name)}: the input has ${expected}`);
  }
}

/** Checks that the owner is a place that the output can have. */
function checkOwner(owner: string, output: JsonObject | undefined, report: Report): void {
  if (!isPointer(owner)) {
    report(['owner'], 'must be a JSON pointer into the output, such as /customer_id');
    return;
  }
  let schema: JsonValue | undefined = output;
  for (const key of pointerKeys(owner)) {
    const known = membersOf(schema);
    if (known === undefined) return;
    if (!known.has(key)) {
      const expected = [...known.keys()].join(', ') || 'no members';
      report(['owner'], `there is no ${quote(key)}: output.schema has ${expected}`);
      return;
    }
    schema = known.get(key);
  }
}
