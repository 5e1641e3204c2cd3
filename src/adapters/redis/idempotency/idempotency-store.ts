import type { Clock } from '../../../ports/clock.ts';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
  KeptAnswer,
} from '../../../ports/storage/record-store.ts';
import { StoreError, throwUnavailable } from '../client/errors.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import { parseStored } from '../client/stored-json.ts';
import type { Keys } from '../keys.ts';
import type { ClaimReply } from './idempotency-scripts.ts';

/** Idempotency keys in the store, and the leases of this process. */
export interface IdempotencyKeys {
  readonly store: IdempotencyStore;
  /** Called after every heartbeat: renews the leases of claims that are under way, when they are due. Never throws. */
  renew(): void;
}

/** Options of {@link createIdempotencyKeys}. */
export interface IdempotencyKeysOptions {
  /** A claim that is not renewed for this long, in milliseconds, has lapsed. */
  readonly leaseMs: number;
  /**
   * Whether the store has been available to this process so long that every living owner could renew its leases since.
   * No claim counts as lapsed before: right after an outage of the store, all leases have ended.
   */
  readonly isStable: () => boolean;
  readonly keys: Keys;
  readonly writes: FencedWrites;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Minimum time that a claim without an answer stays in the store, in milliseconds: it names the record of its work. */
const MIN_CLAIM_MS = 3_600_000;

/** A lease is renewed when this share of it has passed. */
const RENEWED_AFTER = 0.25;

/** Creates {@link IdempotencyKeys}. Claims cost one round trip; leases cost nothing while no work takes long. */
export function createIdempotencyKeys(options: IdempotencyKeysOptions): IdempotencyKeys {
  const { leaseMs, isStable, keys, writes, clock } = options;
  const held = new Map<string, IdempotencyClaim>();
  let renewedAt = clock.monotonic();

  const keyOf = ({ key }: IdempotencyClaim): string[] => [keys.idempotency + key];
  const claimMs = ({ keepMs }: IdempotencyClaim): string => String(Math.max(keepMs, MIN_CLAIM_MS));
  const lease = String(leaseMs);

  async function claimKey(claim: IdempotencyClaim, takeOver: boolean): Promise<ClaimOutcome> {
    const { owner, fingerprint, reference } = claim;
    const flags = [isStable(), takeOver].map((flag) => (flag ? '1' : '0'));
    const values = [owner, fingerprint, reference, lease, claimMs(claim), ...flags];
    const reply = await writes.run((client, deadline) =>
      client.claimKey(keyOf(claim), [deadline, ...values]),
    );
    if (reply.status === 'claimed') held.set(owner, claim);
    return toOutcome(reply);
  }

  async function renewClaim(claim: IdempotencyClaim): Promise<void> {
    const values = [claim.owner, lease, claimMs(claim)];
    await writes.run((client, deadline) => client.renewClaim(keyOf(claim), [deadline, ...values]));
  }

  const store: IdempotencyStore = {
    claim: (claim, takeOver = false) => claimKey(claim, takeOver).catch(throwUnavailable),
    async complete(claim, answer) {
      held.delete(claim.owner);
      const values = [claim.owner, JSON.stringify(answer), String(claim.keepMs)];
      await writes
        .run((client, deadline) => client.completeClaim(keyOf(claim), [deadline, ...values]))
        .catch(throwUnavailable);
    },
    async release(claim) {
      held.delete(claim.owner);
      await writes
        .run((client, deadline) => client.releaseClaim(keyOf(claim), [deadline, claim.owner]))
        .catch(throwUnavailable);
    },
    abandon: ({ owner }) => void held.delete(owner),
  };

  return {
    store,
    renew() {
      const now = clock.monotonic();
      if (now - renewedAt < leaseMs * RENEWED_AFTER) return;
      renewedAt = now;
      // A renewal that fails is tried again at the next one; until then the lease lasts.
      for (const claim of held.values()) renewClaim(claim).catch(() => undefined);
    },
  };
}

function toOutcome({ status, reference, isSameBody, answer }: ClaimReply): ClaimOutcome {
  if (status === 'mismatch') return { status };
  if (status === 'in_progress') return { status, reference };
  if (status === 'lapsed') return { status, reference, isSameBody };
  if (status === 'claimed') return { status, reference, isResumed: isSameBody };
  const kept = parseStored<KeptAnswer>(answer, [], ({ status: code }) => Number.isInteger(code));
  if (kept === undefined) throw new StoreError('reply', 'UNEXPECTED');
  return { status, reference, answer: kept };
}
