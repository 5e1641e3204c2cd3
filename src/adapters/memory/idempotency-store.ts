import { unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
  KeptAnswer,
} from '../../ports/storage/record-store.ts';
import { systemClock } from '../shared/system.ts';
import { createNewestFirst, type ListNode } from './newest-first.ts';
import { createTextArena, type StoredText } from './text-arena.ts';

/** The limits of {@link createMemoryIdempotencyStore}. */
export interface MemoryIdempotencyOptions {
  /** Maximum number of keys. */
  readonly maxRecords: number;
  /** Maximum size of all kept answers, in bytes. */
  readonly maxBytes: number;
  /** Only its monotonic time is used. The system's when absent. */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/** A claim that has an answer, or that has lapsed. */
interface Ended {
  readonly claim: IdempotencyClaim;
  /** Undefined for a claim that has lapsed. */
  readonly answer: StoredText | undefined;
  readonly bytes: number;
  readonly keptUntil: number;
}

interface Entry {
  readonly claim: IdempotencyClaim;
  /** Undefined while the work is under way. */
  readonly ended?: ListNode<Ended>;
}

/** Maximum number of expired keys that one claim removes: more than it adds, but never all at once. */
const EXPIRED_REMOVED_PER_CLAIM = 2;

/** The size of the blocks of answers. */
const BLOCK_BYTES = 1_024 * 1_024;

/**
 * Creates a store of idempotency keys for one process. When full it forgets its oldest answers; a claim is rejected with
 * `unavailable` when so many are under way. A claim lapses only when it is abandoned.
 */
export function createMemoryIdempotencyStore(options: MemoryIdempotencyOptions): IdempotencyStore {
  const { maxRecords, maxBytes, clock = systemClock } = options;
  const texts = createTextArena(BLOCK_BYTES);
  const entries = new Map<string, Entry>();
  const order = createNewestFirst<Ended>();
  let bytes = 0;

  function forget(node: ListNode<Ended>): void {
    order.remove(node);
    entries.delete(node.value.claim.key);
    if (node.value.answer !== undefined) texts.release(node.value.answer);
    bytes -= node.value.bytes;
  }

  const hasExpired = ({ value }: ListNode<Ended>): boolean => clock.monotonic() >= value.keptUntil;

  function forgetExpired(): void {
    for (let removed = 0; removed < EXPIRED_REMOVED_PER_CLAIM; removed++) {
      const oldest = order.oldest();
      if (oldest === undefined || !hasExpired(oldest)) return;
      forget(oldest);
    }
  }

  function find(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry?.ended === undefined || !hasExpired(entry.ended)) return entry;
    forget(entry.ended);
    return undefined;
  }

  /** Whether the claim is under way. */
  function isHeld({ key, owner }: IdempotencyClaim): boolean {
    const entry = entries.get(key);
    return entry?.claim.owner === owner && entry.ended === undefined;
  }

  function makeRoom(): void {
    if (entries.size < maxRecords) return;
    const oldest = order.oldest();
    if (oldest === undefined) throw unavailable('too many requests with an Idempotency-Key are under way');
    forget(oldest);
  }

  /** Ends a claim that is under way, with its answer, or as lapsed. */
  function end(claim: IdempotencyClaim, answer: StoredText | undefined): void {
    const size = (answer?.bytes ?? 0) + claim.reference.length;
    const keptUntil = clock.monotonic() + claim.keepMs;
    const ended = order.add({ claim, answer, bytes: size, keptUntil });
    entries.set(claim.key, { claim, ended });
    bytes += size;
    for (let oldest = order.oldest(); bytes > maxBytes && oldest; oldest = order.oldest()) forget(oldest);
  }

  /** Replaces a lapsed claim, whose ids are used again for the same body. */
  function takeOver(lapsed: ListNode<Ended>, claim: IdempotencyClaim): ClaimOutcome {
    const { fingerprint, reference: begun } = lapsed.value.claim;
    const isResumed = fingerprint === claim.fingerprint;
    const reference = isResumed ? begun : claim.reference;
    forget(lapsed);
    entries.set(claim.key, { claim: { ...claim, reference } });
    return { status: 'claimed', reference, isResumed };
  }

  return {
    async claim(claim, mayTakeOver = false) {
      forgetExpired();
      const entry = find(claim.key);
      if (entry === undefined) {
        makeRoom();
        entries.set(claim.key, { claim });
        return { status: 'claimed', reference: claim.reference, isResumed: false };
      }
      const { reference, fingerprint } = entry.claim;
      const isSameBody = fingerprint === claim.fingerprint;
      if (entry.ended !== undefined && entry.ended.value.answer === undefined) {
        return mayTakeOver ? takeOver(entry.ended, claim) : { status: 'lapsed', reference, isSameBody };
      }
      if (!isSameBody) return { status: 'mismatch' };
      if (entry.ended?.value.answer === undefined) return { status: 'in_progress', reference };
      const answer: KeptAnswer = JSON.parse(texts.read(entry.ended.value.answer));
      return { status: 'completed', reference, answer };
    },
    async complete(claim, answer) {
      if (isHeld(claim)) end(claim, texts.store(JSON.stringify(answer)));
    },
    async release(claim) {
      if (isHeld(claim)) entries.delete(claim.key);
    },
    abandon(claim) {
      if (isHeld(claim)) end(claim, undefined);
    },
  };
}
