import { bodyOf } from '../process/service.ts';
import type { Replica, StoreWindow } from './fleet.ts';

/** The outcome of a call: a success, a well-formed 503, a broken connection, or an unexpected response. */
export type CallOutcome = 'succeeded' | 'unavailable' | 'broken' | 'unexpected';

/** The service that is called. */
interface Callee {
  readonly service: { readonly baseUrl: string };
}

/** A call from the view of its caller. Times are those of `performance.now`. */
export interface Call<To extends Callee = Replica> {
  readonly request: string;
  readonly replica: To;
  readonly from: number;
  readonly to: number;
  readonly outcome: CallOutcome;
  /** The HTTP status, 0 for a broken connection. */
  readonly status: number;
  readonly body: unknown;
}

/** The client timeout of a call. */
const CALL_TIMEOUT_MS = 20_000;

/** Calls a replica: GET without a body, POST with one. Never rejects. */
export async function call<To extends Callee>(replica: To, path: string, body?: unknown): Promise<Call<To>> {
  const request = `${body === undefined ? 'GET' : 'POST'} ${path}`;
  const from = performance.now();
  const done = (outcome: CallOutcome, status: number, answer: unknown): Call<To> => {
    return { request, replica, from, to: performance.now(), outcome, status, body: answer };
  };
  try {
    const reply = await fetch(replica.service.baseUrl + path, {
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(body === undefined ? {} : posted(body)),
    });
    const answer = await bodyOf<unknown>(reply);
    return done(outcomeOf(reply, answer), reply.status, answer);
  } catch (error) {
    return done('broken', 0, describe(error));
  }
}

/** The cause of a broken connection: `fetch` hides it in the error's cause. */
function describe(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? String(error.cause) : String(error);
}

function posted(body: unknown): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

function outcomeOf(reply: Response, answer: unknown): CallOutcome {
  if (reply.ok) return 'succeeded';
  const isErrorShape =
    reply.status === 503 &&
    /^\d+$/.test(reply.headers.get('retry-after') ?? '') &&
    typeof answer === 'object' &&
    answer !== null &&
    Object.keys(answer).sort().join() === 'detail,error';
  return isErrorShape ? 'unavailable' : 'unexpected';
}

/** True if the replica was running and the store available during the call. */
export function isUndisturbed(call: Call, windows: readonly StoreWindow[]): boolean {
  const { killedAt } = call.replica;
  return (killedAt === undefined || killedAt > call.to) && !metOutage(call, windows);
}

/** True if the store was unavailable for some time during the call. */
export function metOutage({ from, to }: Call, windows: readonly StoreWindow[]): boolean {
  return windows.some((window) => window.from <= to && from <= window.to);
}

/** True for a replica that was killed before its buffered records were certainly stored. */
export function diedInOutage({ killedAt }: Replica, windows: readonly StoreWindow[]): boolean {
  if (killedAt === undefined) return false;
  return windows.some(({ from, to }) => from <= killedAt && killedAt <= to + FLUSHED_WITHIN_MS);
}

/** Buffered records are stored within this time after the store serves again. */
const FLUSHED_WITHIN_MS = 1_000;
