import type { Clock } from '../../ports/clock.ts';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
  KeptAnswer,
} from '../../ports/storage/record-store.ts';
import { remove, type Store, type Stored, type Table, write } from '../../ports/storage/store.ts';

/** A key that is claimed, or that has an answer. */
interface KeyRow {
  readonly fingerprint: string;
  readonly owner: string;
  readonly reference: string;
  /** Null while the work is under way. */
  readonly answer: KeptAnswer | null;
  /** The first lease of the claim. Its index has the present one. */
  readonly heldUntil: number;
  readonly expiresAt: number;
}

/** The keys, by their digests. */
export const idempotencyTable: Table<KeyRow> = {
  name: 'idempotency',
  texts: { owner: ({ owner, answer }) => (answer === null ? owner : null) },
  numbers: { held_until: ({ heldUntil, answer }) => (answer === null ? heldUntil : null) },
  expiresAt: ({ expiresAt }) => expiresAt,
};

/** Milliseconds for which a claim is held without being renewed. */
const LEASE_MS = 40_000;

/** Milliseconds between two renewals of the claims that are under way. */
const RENEW_MS = 10_000;

/** Milliseconds after an outage in which every living process has renewed its claims. */
const SETTLE_MS = RENEW_MS + 5_000;

/** The least time for which a claim names the record of its work, in milliseconds: longer than any request takes. */
const MIN_CLAIM_MS = 86_400_000;

/** Claims that one command renews. */
const OWNERS_AT_ONCE = 500;

/**
 * Creates the store of idempotency keys. A claim costs one commit; the claims of this process that are under way are
 * renewed together, every ten seconds, while there are any.
 */
export function createIdempotency({
  store,
  clock,
  isAlone = false,
}: {
  readonly store: Store;
  readonly clock: Clock;
  /** True where no other process can use the store: then nobody holds a claim that this one does not. */
  readonly isAlone?: boolean | undefined;
}): IdempotencyStore & { close(): void } {
  /** The versions of the claims that are under way in this process, by their owners. */
  const held = new Map<string, number>();
  let settledAt = clock.monotonic() + SETTLE_MS;
  let cancelRenewal: (() => void) | undefined;
  let isClosed = false;

  async function renew(): Promise<void> {
    const owners = [...held.keys()];
    for (let first = 0; first < owners.length; first += OWNERS_AT_ONCE) {
      const where = { owner: owners.slice(first, first + OWNERS_AT_ONCE) };
      await store.move(idempotencyTable, { where }, 'held_until', store.now() + LEASE_MS);
    }
  }

  /** A renewal that fails is tried again when the store is back, and after the usual time. */
  const renewNow = (): void => void renew().catch(() => undefined);

  function renewLater(): void {
    if (isClosed || isAlone) return;
    cancelRenewal ??= clock.after(RENEW_MS, () => {
      cancelRenewal = undefined;
      if (held.size === 0) return;
      renewNow();
      renewLater();
    });
  }

  if (!isAlone)
    store.onAvailable(() => {
      settledAt = clock.monotonic() + SETTLE_MS;
      renewNow();
    });

  /** Stores the claim where the key has the expected version; null for none. Resolves to whether it is stored. */
  async function take(claim: IdempotencyClaim, reference: string, expects: number | null): Promise<boolean> {
    const { key, fingerprint, owner, keepMs } = claim;
    const now = store.now();
    const lives = { heldUntil: now + LEASE_MS, expiresAt: now + Math.max(keepMs, MIN_CLAIM_MS) };
    const row: KeyRow = { fingerprint, owner, reference, answer: null, ...lives };
    const versions = await store.commit([write(idempotencyTable, key, row, { expects })]);
    if (versions === undefined) return false;
    held.set(owner, versions[0] ?? 0);
    renewLater();
    return true;
  }

  async function find(key: string): Promise<Stored<KeyRow> | undefined> {
    const [found] = await store.read(idempotencyTable, [key]);
    return found;
  }

  async function isHeld(owner: string): Promise<boolean> {
    if (held.has(owner)) return true;
    if (isAlone) return false;
    // Right after an outage all leases have ended: then only an abandoned claim, whose lease ends at 0, is not held.
    const from = clock.monotonic() < settledAt ? 1 : store.now();
    return (await store.count(idempotencyTable, { where: { owner }, between: { held_until: { from } } })) > 0;
  }

  async function claimKey(claim: IdempotencyClaim, takeOver = false): Promise<ClaimOutcome> {
    // Nearly every key is new.
    if (await take(claim, claim.reference, null)) {
      return { status: 'claimed', reference: claim.reference, isResumed: false };
    }
    const found = await find(claim.key);
    if (found === undefined) return claimKey(claim, takeOver);
    const { fingerprint, owner, reference, answer } = found.row;
    const isSameBody = fingerprint === claim.fingerprint;
    if (answer !== null) {
      return isSameBody ? { status: 'completed', reference, answer } : { status: 'mismatch' };
    }
    if (await isHeld(owner))
      return isSameBody ? { status: 'in_progress', reference } : { status: 'mismatch' };
    if (takeOver) {
      const next = isSameBody ? reference : claim.reference;
      if (!(await take(claim, next, found.version))) return claimKey(claim, takeOver);
      return { status: 'claimed', reference: next, isResumed: isSameBody };
    }
    // The claim may have been completed since it was read.
    if ((await find(claim.key))?.version !== found.version) return claimKey(claim, takeOver);
    return { status: 'lapsed', reference, isSameBody };
  }

  /** Ends a claim of this process. Undefined where it has none of that owner. */
  function end({ owner }: IdempotencyClaim): number | undefined {
    const version = held.get(owner);
    held.delete(owner);
    return version;
  }

  return {
    claim: claimKey,
    async complete(claim, answer) {
      const { key, fingerprint, owner, reference, keepMs } = claim;
      const expects = end(claim);
      if (expects === undefined) return;
      const lives = { heldUntil: 0, expiresAt: store.now() + keepMs };
      const row: KeyRow = { fingerprint, owner, reference, answer, ...lives };
      await store.commit([write(idempotencyTable, key, row, { expects })]);
    },
    async release(claim) {
      const version = end(claim);
      if (version !== undefined) await store.commit([remove(idempotencyTable, claim.key, version)]);
    },
    abandon(claim) {
      if (end(claim) === undefined) return;
      // Where this fails, the claim lapses when its lease ends.
      store.move(idempotencyTable, { where: { owner: claim.owner } }, 'held_until', 0).catch(() => undefined);
    },
    close() {
      isClosed = true;
      cancelRenewal?.();
      cancelRenewal = undefined;
    },
  };
}
