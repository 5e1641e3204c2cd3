import type { Limits } from '../../domain/limits.ts';
import { type CallContext, noMessage } from '../../domain/message/call-context.ts';
import type { ToolCall } from '../../domain/message/message.ts';
import type { RetryPolicy } from '../../domain/retry.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { withTimeout } from '../../lib/async/timeout.ts';
import { copyJsonObject, JsonError } from '../../lib/json/copy.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { pick } from '../../lib/json/pointer.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { Tool } from '../../ports/tool.ts';
import { InvalidInputError, type ToolFailure, toolFailure } from './failure.ts';

/** The result of all attempts at a call. */
export interface CallResult {
  readonly attempts: number;
  readonly output: JsonObject | null;
  readonly error: string | null;
  readonly notFound?: boolean;
  /** True when the output was dropped, because it was of another customer. */
  readonly isOfOther?: boolean;
  readonly cancelled?: boolean;
}

/** The attempts of a call. */
export interface AttemptOptions {
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly context?: CallContext | undefined;
  /** The customer who sees what the tool returns; anybody when absent. */
  readonly customerId?: string | undefined;
  /** In place of the attempts of the tool. */
  readonly retry?: RetryPolicy | undefined;
  /** Called before each wait for another attempt, with the attempt that failed. */
  readonly onRetry?: ((attempt: number, error: string, delayMs: number) => void) | undefined;
}

/** Makes all attempts at a call. Never rejects. */
export type AttemptCall = (
  tool: Tool,
  call: ToolCall,
  options: AttemptOptions,
  span: Span,
) => Promise<CallResult>;

type AttemptPorts = Pick<Ports, 'clock' | 'newId' | 'random' | 'logger'>;

/** Creates the function that attempts calls: it limits the time of each attempt, and retries where that is safe. */
export function createAttempts(ports: AttemptPorts, limits: Limits): AttemptCall {
  const { clock, logger, random } = ports;

  return async (
    tool,
    call,
    { idempotencyKey = ports.newId(), signal, context = noMessage, customerId, retry: given, onRetry },
    span,
  ) => {
    const timeout = { clock, timeoutMs: tool.timeoutMs ?? limits.toolTimeoutMs, signal };
    const retry = given ?? tool.retry ?? { maxAttempts: limits.toolMaxAttempts };
    const isOver = () => signal?.aborted === true;
    for (let attempt = 1; ; attempt++) {
      try {
        const input = parseInput(tool, call.input, limits.maxOutputBytes);
        const returned = await withTimeout(
          (toolSignal) =>
            tool.execute(input, { ...context, signal: toolSignal, attempt, logger, idempotencyKey }),
          timeout,
        );
        const output = copyJsonObject(returned, limits.maxOutputBytes);
        if (customerId !== undefined && !isOwnedBy(customerId, output, tool)) return dropped(span, attempt);
        return { attempts: attempt, output, error: null };
      } catch (error) {
        const failure = toolFailure(error, signal);
        if (failure.invalidInput) return failed(span, 0, failure);
        const level = failure.notFound || failure.cancelled ? 'debug' : 'warn';
        const fields = { tool_name: tool.name, attempt, reason: failure.text, err: error };
        logger[level]('tool attempt failed', fields);
        const delayMs = toolRetryMs({ tool, failure, attempt }, retry, random);
        if (delayMs === null) return failed(span, attempt, failure);
        if (isOver()) return failed(span, attempt, toolFailure(signal?.reason, signal));
        span.event('retry', { attempt, reason: failure.text });
        onRetry?.(attempt, failure.text, delayMs);
        await sleep(clock, delayMs, signal);
        if (isOver()) return failed(span, attempt, toolFailure(signal?.reason, signal));
      }
    }
  };
}

/**
 * Milliseconds from a failed attempt at a call to the next one; null where none follows. A `write` that may have had an
 * effect is not repeated, unless its error says that it had none.
 */
export function toolRetryMs(
  {
    tool,
    failure,
    attempt,
  }: { readonly tool: Tool; readonly failure: ToolFailure; readonly attempt: number },
  retry: RetryPolicy,
  random: () => number,
): number | null {
  const mayRepeat = !failure.permanent && (tool.effect !== 'write' || failure.safeToRetry);
  return mayRepeat && attempt < retry.maxAttempts ? backoffMs(attempt, random, retry) : null;
}

/**
 * Validates an input: throws `InvalidInputError`. Each attempt gets its own copy, because a tool may change its input.
 */
export function parseInput(tool: Tool, input: JsonObject, maxBytes: number): unknown {
  const parsed = tool.input.safeParse(copyInput(input, maxBytes));
  if (!parsed.success) throw new InvalidInputError(parsed.error.issues);
  return parsed.data;
}

function copyInput(input: JsonObject, maxBytes: number): JsonObject {
  try {
    return copyJsonObject(input, maxBytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new InvalidInputError([{ path: [], message: error.message }]);
  }
}

/** True for the output of a tool that states no owner, or this one. Numbers are compared as texts. */
function isOwnedBy(customerId: string, output: JsonObject, { owner }: Tool): boolean {
  if (owner === undefined) return true;
  const found = pick(output, owner);
  return (typeof found === 'string' || typeof found === 'number') && String(found) === customerId;
}

/** The result of a call whose output is of another customer: for this one there is no such thing. */
function dropped(span: Span, attempts: number): CallResult {
  span.set({ not_found: true });
  const error = 'the output is of another customer';
  return { attempts, output: null, error, notFound: true, isOfOther: true };
}

/** Finding nothing is an everyday outcome, and a cancel is asked for: neither marks the span as failed. */
function failed(span: Span, attempts: number, failure: ToolFailure): CallResult {
  const { text, notFound, cancelled } = failure;
  if (notFound) span.set({ not_found: true });
  else if (cancelled) span.set({ cancelled: true });
  else span.fail('tool_error');
  return { attempts, output: null, error: text, notFound, cancelled };
}
