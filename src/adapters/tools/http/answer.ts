import { ToolError } from '../../../domain/tool-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { pick } from '../../../lib/json/pointer.ts';
import { quote } from '../../../lib/text/quote.ts';
import type { OutboundResponse } from '../../shared/outbound/outbound.ts';
import type { OutputCheck } from './json-schemas.ts';
import type { HttpToolDefinition } from './schema.ts';
import type { SecretMask } from './secret-mask.ts';

/** Statuses of 4xx after which the same request may succeed. */
const temporary: ReadonlySet<number> = new Set([408, 425, 429]);

/** Statuses that say that the request was not processed. */
const unprocessed: ReadonlySet<number> = new Set([425, 429]);

/** Options of {@link readAnswer}. */
export interface AnswerOptions {
  readonly host: string;
  readonly output?: HttpToolDefinition['output'];
  /** The problem with the part that `output.pick` names. */
  readonly check?: OutputCheck | undefined;
  /** Takes the secrets of the request out of the output. */
  readonly mask: Pick<SecretMask, 'json'>;
}

/** The output of a tool from an answer. Throws `ToolError`, which contains nothing of the answer but its status. */
export function readAnswer(
  { status, body }: OutboundResponse,
  { host, output = {}, check, mask }: AnswerOptions,
): JsonObject {
  const service = `host ${quote(host)}`;
  if (output.status?.[String(status)] === 'not_found') {
    throw new ToolError(`${service} has no such thing (status ${status})`, { notFound: true });
  }
  if (status >= 400) {
    throw new ToolError(`${service} answered with status ${status}`, {
      permanent: status < 500 && !temporary.has(status),
      safeToRetry: unprocessed.has(status),
    });
  }
  const whole = body.trim() === '' ? {} : parse(body, service);
  const value = output.pick === undefined ? whole : pick(whole, output.pick);
  if (value === undefined) {
    throw new ToolError(`the answer of ${service} has nothing at ${quote(output.pick ?? '')} (output.pick)`, {
      permanent: true,
    });
  }
  const issue = check?.(value);
  if (issue !== undefined) {
    throw new ToolError(`the answer of ${service} does not fit output.schema: ${issue}`, { permanent: true });
  }
  const masked = mask.json(value);
  return isJsonObject(masked) ? masked : { value: masked };
}

function parse(body: string, service: string): JsonValue {
  try {
    return JSON.parse(body);
  } catch {
    // The error of the parser quotes the answer.
    throw new ToolError(`${service} did not answer with JSON`, { permanent: true });
  }
}
