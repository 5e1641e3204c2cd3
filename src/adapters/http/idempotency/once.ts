import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { OrchestrationError } from '../../../domain/errors.ts';
import type { ClaimOutcome, IdempotencyClaim } from '../../../ports/storage/record-store.ts';
import { createThrottledLog } from '../../shared/throttled-log.ts';
import type { AppEnv } from '../env.ts';
import { HttpError } from '../errors.ts';
import type { IdempotencyOutcome, ResolvedHttpAppOptions } from '../options.ts';
import { readAnswer, replayAnswer, unkeptAnswer } from './answer.ts';
import { invalidKey } from './key.ts';

/** What the record of earlier work shows: its response, or where to look while it is under way. */
export type Recalled<R extends Response> = { readonly response: R } | { readonly location: string };

/** Work that is done once for a key. Its ids are chosen before it, so that a repeat finds its record. */
export interface IdempotentWork<R extends Response> {
  /** Chooses the ids of the records that the work will make, as one text. */
  readonly createReference: () => string;
  /**
   * Does the work. `reference` is undefined without a key. With `isResumed`, a process that is gone has begun the same
   * work under it, and left no complete record.
   */
  readonly perform: (reference: string | undefined, isResumed: boolean) => Promise<R>;
  /** The response made from the record of the work; undefined where there is no record. */
  readonly recall: (reference: string) => Promise<Recalled<R> | undefined>;
  /**
   * Whether the answer is not kept: repeats get the one that is made from the record, so that nothing of it stays when
   * the record is deleted. Answers are kept when absent. Read after `perform`.
   */
  readonly isPrivate?: boolean;
}

/** Does work, or returns the response to the first request with the same key. */
export type Once = <R extends Response>(c: Context<AppEnv>, work: IdempotentWork<R>) => Promise<R>;

const RETRY_AFTER_SECONDS = 1;

/** Creates {@link Once}. Requests without a key touch no store. */
export function createOnce({ orchestrator, metrics, logger }: ResolvedHttpAppOptions): Once {
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
    const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
    const all = location === undefined ? headers : { ...headers, Location: location };
    return reject('in_progress', new HttpError(409, detail, { headers: all }));
  }

  /** Responds from the record of earlier work. Undefined where there is none. */
  async function recall<R extends Response>(
    work: IdempotentWork<R>,
    reference: string,
    outcome: IdempotencyOutcome = 'recalled',
  ): Promise<R | undefined> {
    const recalled = await work.recall(reference);
    if (recalled === undefined) return undefined;
    if ('location' in recalled) return rejectInProgress(recalled.location);
    metrics.idempotentRequest(outcome);
    recalled.response.headers.set('Idempotency-Replayed', 'true');
    return recalled.response;
  }

  /** Work that failed frees the key, unless it may have been done all the same. */
  async function settleFailed<R extends Response>(
    claim: IdempotencyClaim,
    work: IdempotentWork<R>,
    error: unknown,
  ): Promise<void> {
    // The use cases throw these errors before they do anything.
    if (error instanceof OrchestrationError) return store.release(claim).catch(onStoreError);
    const recalled = await work.recall(claim.reference).catch(() => 'unknown' as const);
    if (recalled === undefined) return store.release(claim).catch(onStoreError);
    // A repeat gets the record, once it has ended.
    store.abandon(claim);
  }

  async function perform<R extends Response>(
    c: Context<AppEnv>,
    work: IdempotentWork<R>,
    claim: IdempotencyClaim,
    isResumed: boolean,
  ): Promise<R> {
    metrics.idempotentRequest('claimed');
    try {
      const result = await work.perform(claim.reference, isResumed);
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
    if (answer.body === null) {
      const recalled = await recall(work, reference, work.isPrivate ? 'replayed' : 'recalled');
      if (recalled !== undefined) return recalled;
      const detail = 'Idempotency-Key: the request was answered, and its answer is not kept';
      return reject('not_kept', new HttpError(409, detail));
    }
    metrics.idempotentRequest('replayed');
    // As in `perform`.
    return replayAnswer(c, answer, answer.body) as R;
  }

  return async function once<R extends Response>(c: Context<AppEnv>, work: IdempotentWork<R>): Promise<R> {
    const key = c.get('idempotency');
    if (key === undefined) return work.perform(undefined, false);
    const reference = work.createReference();
    const claim = { ...key, owner: randomUUID(), reference, keepMs: limits.idempotencyTtlMs };
    let outcome = await claimKey(claim);
    if (outcome.status === 'lapsed') {
      if (!outcome.isSameBody && (await work.recall(outcome.reference)) !== undefined) rejectMismatch();
      const recalled = outcome.isSameBody ? await recall(work, outcome.reference) : undefined;
      if (recalled !== undefined) return recalled;
      outcome = await claimKey(claim, true);
    }
    switch (outcome.status) {
      case 'claimed':
        return perform(c, work, { ...claim, reference: outcome.reference }, outcome.isResumed);
      case 'completed':
        return replay(c, work, outcome);
      case 'mismatch':
        return rejectMismatch();
      default:
        return (await recall(work, outcome.reference)) ?? rejectInProgress();
    }
  };
}
