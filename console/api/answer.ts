import type { Client } from '../../src/entries/client.ts';

/** The answer of the typed client, as far as all its answers agree. */
export interface AnyResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  json(): Promise<unknown>;
}

/** A request by the typed client, such as `(api) => api.runs.$get()`. It can be sent, or shown as curl. */
export type Call<Answer extends AnyResponse = AnyResponse> = (api: Client) => Promise<Answer>;

/** The body of the good answers to a call, as JSON. What the API can also answer as text is never asked for. */
export type Body<Answer> = Answer extends { ok: true; json(): Promise<infer Value> }
  ? Exclude<Value, string>
  : never;

/** The body of the good answers to a call of this type: `Answered<typeof readRuns>`. */
export type Answered<Made> = Made extends (...args: never[]) => Promise<infer Answer> ? Body<Answer> : never;

/**
 * The failure of a request. `away`: there was no answer. `busy`: 429 or 503, try later. `refused`: any other status of
 * 400 or more, with the service's own words.
 */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly kind: 'away' | 'busy' | 'refused';
  /** The status of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfterSeconds: number | undefined;
  /** The places of a 422: JSON pointers into the body, or names of parameters. */
  readonly faults: readonly Fault[];

  constructor(
    detail: string,
    kind: CallError['kind'],
    answer?: { status: number; retryAfterSeconds?: number | undefined; faults?: readonly Fault[] },
  ) {
    super(detail);
    this.kind = kind;
    this.status = answer?.status;
    this.retryAfterSeconds = answer?.retryAfterSeconds;
    this.faults = answer?.faults ?? [];
  }
}

/** Wraps whatever a request has thrown in an error with words for the reader. */
export function toCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError(String(error), 'refused');
}

/** A fault at one place of a request. */
export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

/** The body of an answer as JSON; undefined where it has none. Throws {@link CallError} for a status of 400 or more. */
export async function readAnswer<Answer extends AnyResponse>(response: Answer): Promise<Body<Answer>> {
  if (!response.ok) throw await toError(response);
  // The type of the answer says what its good statuses contain.
  return (response.status === 204 ? undefined : await response.json()) as Body<Answer>;
}

async function toError(response: AnyResponse): Promise<CallError> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const detail = isRecord(body) && typeof body['detail'] === 'string' ? body['detail'] : `status ${status}`;
  const listed = isRecord(body) && Array.isArray(body['errors']) ? body['errors'] : [];
  const faults = listed.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry['pointer'] === 'string' && typeof entry['detail'] === 'string'
      ? [{ pointer: entry['pointer'], detail: entry['detail'] }]
      : [],
  );
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  const kind =
    status === 502 || status === 504 ? 'away' : status === 429 || status === 503 ? 'busy' : 'refused';
  return new CallError(detail, kind, { status, retryAfterSeconds, faults });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
