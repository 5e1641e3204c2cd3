import { ToolError } from '../../../domain/tool-error.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { MAX_TOOL_TIMEOUT_MS, type Tool, type ToolContext, type ToolEffect } from '../../../ports/tool.ts';
import { type Outbound, OutboundError } from '../../shared/outbound/outbound.ts';
import { version } from '../../shared/version.ts';
import { readAnswer } from './answer.ts';
import { type CompiledHttpTool, compileHttpTool } from './compile.ts';
import {
  environmentIssues,
  type HttpToolEnvironment,
  secretHeaders,
  secretValues,
  sentSecrets,
} from './headers.ts';
import { HttpToolError, type HttpToolIssue } from './issues.ts';
import { valuesOf } from './parts.ts';
import type { HttpToolDefinition } from './schema.ts';
import { createSecretMask, type SecretMask } from './secret-mask.ts';

export type { HttpToolEnvironment } from './headers.ts';
export { HttpToolError, type HttpToolIssue } from './issues.ts';
export { httpToolSchemas } from './json-schemas.ts';
export { type HttpToolDefinition, httpToolSchema } from './schema.ts';

/** The surroundings of an HTTP tool. */
export interface HttpToolOptions {
  /** The client that makes the requests. */
  readonly outbound: Pick<Outbound, 'request'>;
  /** Where the secrets of headers are taken from. */
  readonly env: HttpToolEnvironment;
}

/** All that is wrong in a definition; empty when it is valid. The environment is not looked at. */
export function checkHttpTool(definition: HttpToolDefinition): readonly HttpToolIssue[] {
  return compileHttpTool(definition).issues;
}

/** The variables that a definition names and that are missing or unfit for a header; empty when all are there. */
export function checkHttpToolEnvironment(
  { request }: HttpToolDefinition,
  env: HttpToolEnvironment,
): readonly HttpToolIssue[] {
  return environmentIssues(request.headers, env);
}

/** The secrets that a tool takes from the environment, so that the logger can mask them. */
export function secretsOf({ request }: HttpToolDefinition, env: HttpToolEnvironment): readonly string[] {
  return secretValues(request.headers, env);
}

/**
 * Creates a tool from its definition. Secrets are read once, here. Throws {@link HttpToolError} with all issues of the
 * definition and of the environment.
 */
export function createHttpTool(
  definition: HttpToolDefinition,
  { outbound, env }: HttpToolOptions,
): Tool<JsonObject> {
  const { name, description, request, output, owner, timeout_ms: timeoutMs, retry } = definition;
  const { compiled, issues } = compileHttpTool(definition);
  const all = [...issues, ...checkHttpToolEnvironment(definition, env)];
  if (compiled === undefined || all.length > 0) throw new HttpToolError(name, all);
  const { method = 'GET' } = request;
  const effect = definition.effect ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'write');
  const secrets = secretHeaders(request.headers, env);
  // An answer may repeat the request. Outputs are recorded and shown, so that secrets are taken out of them.
  const mask = createSecretMask(sentSecrets(request.headers, env));
  return {
    name,
    description,
    input: compiled.input,
    fromMessage: definition.from_message,
    output: compiled.output?.schema,
    owner,
    effect,
    timeoutMs,
    retry: retry && toPolicy(retry),
    async execute(input, context) {
      const values = valuesOf(input, context);
      const response = await send(outbound, mask, {
        url: withQuery(compiled.url(values), compiled.query(values)),
        method,
        headers: headersOf(compiled, values, secrets, effect, context),
        body: compiled.body?.render(values),
        signal: context.signal,
        timeoutMs: timeoutMs ?? MAX_TOOL_TIMEOUT_MS,
      });
      return readAnswer(response, { host: compiled.host, output, check: compiled.output?.check, mask });
    },
  };
}

function toPolicy(retry: NonNullable<HttpToolDefinition['retry']>): NonNullable<Tool['retry']> {
  const { max_attempts: maxAttempts, backoff_ms: backoffMs, factor, max_backoff_ms: maxBackoffMs } = retry;
  return { maxAttempts, backoffMs, factor, maxBackoffMs };
}

function withQuery(url: string, query: string): string {
  if (query === '') return url;
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

/** The headers of a request. What the definition states comes before what is sent by default. */
function headersOf(
  { headers, body }: CompiledHttpTool,
  values: JsonObject,
  secrets: Readonly<Record<string, string>>,
  effect: ToolEffect,
  { idempotencyKey }: ToolContext,
): Readonly<Record<string, string>> {
  const stated = { ...headers(values), ...secrets };
  const names = new Set(Object.keys(stated).map((name) => name.toLowerCase()));
  const defaults = {
    Accept: 'application/json',
    'User-Agent': `orchestration-service/${version}`,
    ...(body === undefined ? {} : { 'Content-Type': body.contentType }),
    ...(effect === 'read' ? {} : { 'Idempotency-Key': idempotencyKey }),
  };
  const added = Object.entries(defaults).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(added), ...stated };
}

async function send(
  outbound: HttpToolOptions['outbound'],
  mask: SecretMask,
  request: Parameters<Outbound['request']>[0],
) {
  try {
    return await outbound.request(request);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const { message, permanent, safeToRetry } = error;
    throw new ToolError(mask.text(message), { permanent, safeToRetry, cause: error });
  }
}
