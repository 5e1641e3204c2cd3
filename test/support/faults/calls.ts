import { bodyOf } from '../process/service.ts';
import type { Replica, StoreWindow } from './fleet.ts';

/** What came of a call: an answer, 503 in its shape, a connection that broke, or what must never come. */
export type CallOutcome = 'answered' | 'refused' | 'cut' | 'wrong';

/** One call as its caller saw it; moments are those of `performance.now`. */
export interface Call {
  readonly what: string;
  readonly replica: Replica;
  readonly from: number;
  readonly to: number;
  readonly outcome: CallOutcome;
  /** The status, 0 where there was none. */
  readonly status: number;
  readonly body: unknown;
}

/** The longest that a caller waits; nothing should come near it. */
const CALLER_WAITS_MS = 20_000;

/** Calls a replica: GET without a body, POST with one. */
export async function call(replica: Replica, path: string, body?: unknown): Promise<Call> {
  const what = `${body === undefined ? 'GET' : 'POST'} ${path}`;
  const from = performance.now();
  const done = (outcome: CallOutcome, status: number, answer: unknown): Call => {
    return { what, replica, from, to: performance.now(), outcome, status, body: answer };
  };
  try {
    const reply = await fetch(replica.service.baseUrl + path, {
      signal: AbortSignal.timeout(CALLER_WAITS_MS),
      ...(body === undefined ? {} : posted(body)),
    });
    const answer = await bodyOf<unknown>(reply);
    return done(outcomeOf(reply, answer), reply.status, answer);
  } catch (error) {
    return done('cut', 0, String(error));
  }
}

function posted(body: unknown): RequestInit {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

function outcomeOf(reply: Response, answer: unknown): CallOutcome {
  if (reply.ok) return 'answered';
  const inShape =
    reply.status === 503 &&
    /^\d+$/.test(reply.headers.get('retry-after') ?? '') &&
    typeof answer === 'object' &&
    answer !== null &&
    Object.keys(answer).sort().join() === 'detail,error';
  return inShape ? 'refused' : 'wrong';
}

/** True for a call that nothing was done to: its replica lived, and the store served all the while. */
export function isUndisturbed(made: Call, windows: readonly StoreWindow[]): boolean {
  const { killedAt } = made.replica;
  return (killedAt === undefined || killedAt > made.to) && !metOutage(made, windows);
}

/** True for a call during which the store did not serve, for some of the time at least. */
export function metOutage({ from, to }: Call, windows: readonly StoreWindow[]): boolean {
  return windows.some((window) => window.from <= to && from <= window.to);
}

/** True for a process that was killed before everything can have been stored that had waited for the store. */
export function diedInOutage({ killedAt }: Replica, windows: readonly StoreWindow[]): boolean {
  if (killedAt === undefined) return false;
  return windows.some(({ from, to }) => from <= killedAt && killedAt <= to + DELIVERED_WITHIN_MS);
}

/** What waits for the store is stored within a second after it serves again. */
const DELIVERED_WITHIN_MS = 1_000;
