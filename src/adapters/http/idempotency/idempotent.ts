import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { OrchestrationError } from '../../../domain/errors.ts';
import type { ClaimOutcome, IdempotencyClaim, KeptAnswer } from '../../../ports/storage/record-store.ts';
import { createThrottledLog } from '../../shared/throttled-log.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';
import type { IdempotencyOutcome, ResolvedHttpAppOptions } from '../options.ts';
import { createResponse, type ResponseHeaders } from '../response.ts';
import { invalidKey } from './key.ts';

/** Work that is done once for a key. The ids of its records are chosen before it, so that a repeat finds them. */
export interface IdempotentWork<R extends Response> {
  /** Chooses the ids of the records that the work will make, as one text. */
  readonly createRecordIds: () => string;
  /**
   * Does the work. `recordIds` is undefined without a key. With `isResumed`, a process that is gone has begun the same
   * work under them, and left no complete record.
   */
  readonly handle: (recordIds: string | undefined, isResumed: boolean) => Promise<R>;
  /**
   * The response made from the record of the work, or the path of the record while the work is under way; undefined
   * where there is no record.
   */
  readonly replay: (
    recordIds: string,
  ) => Promise<{ readonly response: R } | { readonly location: string } | undefined>;
  /**
   * True where the answer is not kept: repeats get the one that is made from the record, so that nothing of it stays
   * when the record is deleted. Answers are kept when absent. Read after `handle`.
   */
  readonly isPrivate?: boolean;
}

/** Does work, or returns the response to the first request with the same key. */
export type Idempotent = <R extends Response>(c: Context<AppEnv>, work: IdempotentWork<R>) => Promise<R>;

/** Creates {@link Idempotent}. Requests without a key touch no store. */
export function createIdempotent({ orchestrator, metrics, logger }: ResolvedHttpAppOptions): Idempotent {
  const { idempotency: store, limits } = orchestrator;
  const clock = { monotonic: () => performance.now() };
  const warn = createThrottledLog(
    logger,
    clock,
    'the end of a request with an idempotency key is not stored',
  );
  const onStoreError = (error: unknown): void => warn({ err: error });

  async function claimKey(claim: IdempotencyClaim, takeOver?: boolean): Promise<ClaimOutcome> {
    try {
      return await store.claim(claim, takeOver);
    } catch (error) {
      metrics.idempotentRequest('unavailable');
      throw error;
    }
  }

  function reject(outcome: IdempotencyOutcome, error: HttpError): never {
    metrics.idempotentRequest(outcome);
    throw error;
  }

  function rejectMismatch(): never {
    return reject('mismatch', invalidKey('was used with another body'));
  }

  function rejectInProgress(location?: string): never {
    const detail = 'Idempotency-Key: the first request with this key is under way';
    const headers = { 'Retry-After': '1' };
    const all = location === undefined ? headers : { ...headers, Location: location };
    return reject('in_progress', new HttpError(409, detail, { headers: all }));
  }

  /** Responds from the record of earlier work. Undefined where there is none. */
  async function replayRecord<R extends Response>(
    work: IdempotentWork<R>,
    recordIds: string,
    outcome: IdempotencyOutcome = 'recalled',
  ): Promise<R | undefined> {
    const replayed = await work.replay(recordIds);
    if (replayed === undefined) return undefined;
    if ('location' in replayed) return rejectInProgress(replayed.location);
    metrics.idempotentRequest(outcome);
    replayed.response.headers.set('Idempotency-Replayed', 'true');
    return replayed.response;
  }

  /** Work that failed frees the key, unless it may have been done all the same. */
  async function settleFailed<R extends Response>(
    claim: IdempotencyClaim,
    work: IdempotentWork<R>,
    error: unknown,
  ): Promise<void> {
    // The use cases throw these errors before they do anything.
    if (error instanceof OrchestrationError) return store.release(claim).catch(onStoreError);
    const replayed = await work.replay(claim.reference).catch(() => 'unknown' as const);
    if (replayed === undefined) return store.release(claim).catch(onStoreError);
    // A repeat gets the record, once it has ended.
    store.abandon(claim);
  }

  async function handle<R extends Response>(
    c: Context<AppEnv>,
    work: IdempotentWork<R>,
    claim: IdempotencyClaim,
    isResumed: boolean,
  ): Promise<R> {
    metrics.idempotentRequest('claimed');
    try {
      const result = await work.handle(claim.reference, isResumed);
      if (result.status >= 300) {
        await store.release(claim).catch(onStoreError);
        return result;
      }
      const { answer, response } = work.isPrivate ? unkeptAnswer(result) : await readAnswer(c, result);
      // Not awaited: until it is stored, and when this process ends first, a repeat gets the record of the work.
      store.complete(claim, answer).catch(onStoreError);
      // The type of a response exists only as a type: this one has the same body.
      return response as R;
    } catch (error) {
      await settleFailed(claim, work, error);
      throw error;
    }
  }

  /** The response to a repeat of work that is done. */
  async function replay<R extends Response>(
    c: Context<AppEnv>,
    work: IdempotentWork<R>,
    { answer, reference }: Extract<ClaimOutcome, { status: 'completed' }>,
  ): Promise<R> {
    const { status, headers, body } = answer;
    if (body === null) {
      const replayed = await replayRecord(work, reference, work.isPrivate ? 'replayed' : 'recalled');
      if (replayed !== undefined) return replayed;
      const detail = 'Idempotency-Key: the request was answered, and its answer is not kept';
      return reject('not_kept', new HttpError(409, detail));
    }
    metrics.idempotentRequest('replayed');
    // As in `handle`.
    return createResponse(c, body, status, { ...headers, 'Idempotency-Replayed': 'true' }) as R;
  }

  return async function idempotent<R extends Response>(
    c: Context<AppEnv>,
    work: IdempotentWork<R>,
  ): Promise<R> {
    const key = c.get('idempotency');
    if (key === undefined) return work.handle(undefined, false);
    const reference = work.createRecordIds();
    const claim = { ...key, owner: randomUUID(), reference, keepMs: limits.idempotencyTtlMs };
    let outcome = await claimKey(claim);
    if (outcome.status === 'lapsed') {
      if (!outcome.isSameBody && (await work.replay(outcome.reference)) !== undefined) rejectMismatch();
      const replayed = outcome.isSameBody ? await replayRecord(work, outcome.reference) : undefined;
      if (replayed !== undefined) return replayed;
      outcome = await claimKey(claim, true);
    }
    switch (outcome.status) {
      case 'claimed':
        return handle(c, work, { ...claim, reference: outcome.reference }, outcome.isResumed);
      case 'completed':
        return replay(c, work, outcome);
      case 'mismatch':
        return rejectMismatch();
      default:
        return (await replayRecord(work, outcome.reference)) ?? rejectInProgress();
    }
  };
}

/** A record that is being read; undefined when it is not found. */
export async function findRecord<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof OrchestrationError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Larger bodies are not kept, in bytes. Their repeats get the record of the work. */
const MAX_KEPT_BYTES = 1_024 * 1_024;

/** A response whose body was read, and what is kept of it. */
interface ReadAnswer {
  readonly answer: KeptAnswer;
  /** The same response, still to be sent. */
  readonly response: Response;
}

/** Reads the response that was created last, to be kept without the headers that every response has. */
async function readAnswer(c: Context<AppEnv>, created: Response): Promise<ReadAnswer> {
  const { status } = created;
  const { body: content, headers } = c.get('content');
  if (typeof content === 'string') return { answer: keptAnswer(status, headers, content), response: created };
  if (Number(headers['Content-Length']) > MAX_KEPT_BYTES) {
    return { answer: { status, headers, body: null }, response: created };
  }
  const body = await created.text();
  return { answer: keptAnswer(status, headers, body), response: createResponse(c, body, status, headers) };
}

/** The answer of which only the status is kept, and the response, still to be sent. */
function unkeptAnswer(response: Response): ReadAnswer {
  return { answer: { status: response.status, headers: {}, body: null }, response };
}

function keptAnswer(status: number, headers: ResponseHeaders, body: string): KeptAnswer {
  const isKept = body.length <= MAX_KEPT_BYTES && Buffer.byteLength(body) <= MAX_KEPT_BYTES;
  return { status, headers, body: isKept ? body : null };
}
