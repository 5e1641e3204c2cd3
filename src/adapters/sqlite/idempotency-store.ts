import type { Clock } from '../../ports/clock.ts';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
  KeptAnswer,
} from '../../ports/storage/record-store.ts';
import type { Connection } from './connection.ts';
import { numberOf, optionalTextOf, parseOwn, type Row, textOf } from './rows.ts';

/** Idempotency keys in the file. */
export interface IdempotencyKeys {
  readonly store: IdempotencyStore;
  /** Removes at most `limit` expired keys. Resolves to their number. */
  removeExpired(limit: number): Promise<number>;
}

/** Minimum time that a claim without an answer is kept, in milliseconds: it names the record of its work. */
const MIN_CLAIM_MS = 3_600_000;

/** Size of a row without its answer, in bytes. */
const ROW_BYTES = 512;

/**
 * Creates {@link IdempotencyKeys}. This process knows the claims that it works on: any other without an answer has lapsed,
 * at once after a restart.
 */
export function createIdempotencyKeys(connection: Connection, clock: Pick<Clock, 'now'>): IdempotencyKeys {
  const { prepare, write } = connection;
  const held = new Set<string>();
  const find = prepare(
    'SELECT fingerprint, owner, reference, answer, expires_at FROM idempotency WHERE key = ?',
  );
  const put = prepare('INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?, NULL, ?)');
  const setAnswer = prepare(
    'UPDATE idempotency SET answer = ?, expires_at = ? WHERE key = ? AND owner = ? AND answer IS NULL',
  );
  const free = prepare('DELETE FROM idempotency WHERE key = ? AND owner = ? AND answer IS NULL');
  const getExpired = prepare(
    'SELECT key, owner, answer FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
  );
  const extend = prepare('UPDATE idempotency SET expires_at = ? WHERE key = ?');
  const remove = prepare('DELETE FROM idempotency WHERE key = ?');

  const isHeld = (row: Row): boolean => row['answer'] === null && held.has(textOf(row, 'owner'));

  function take(claim: IdempotencyClaim, reference: string, isResumed: boolean): ClaimOutcome {
    const { key, fingerprint, owner, keepMs } = claim;
    put.run(key, fingerprint, owner, reference, clock.now() + Math.max(keepMs, MIN_CLAIM_MS));
    held.add(owner);
    return { status: 'claimed', reference, isResumed };
  }

  function claimNow(claim: IdempotencyClaim, takeOver: boolean): ClaimOutcome {
    const row = find.get(claim.key);
    if (row === undefined) return take(claim, claim.reference, false);
    const isActive = isHeld(row);
    if (!isActive && numberOf(row, 'expires_at') <= clock.now()) return take(claim, claim.reference, false);
    const reference = textOf(row, 'reference');
    const answer = optionalTextOf(row, 'answer');
    const isSameBody = textOf(row, 'fingerprint') === claim.fingerprint;
    if (answer === undefined && !isActive) {
      if (!takeOver) return { status: 'lapsed', reference, isSameBody };
      return take(claim, isSameBody ? reference : claim.reference, isSameBody);
    }
    if (!isSameBody) return { status: 'mismatch' };
    if (answer === undefined) return { status: 'in_progress', reference };
    return { status: 'completed', reference, answer: parseOwn<KeptAnswer>(answer) };
  }

  return {
    store: {
      async claim(claim, takeOver = false) {
        try {
          return await write(() => claimNow(claim, takeOver), ROW_BYTES);
        } catch (error) {
          held.delete(claim.owner);
          throw error;
        }
      },
      async complete({ key, owner, keepMs }, answer) {
        const json = JSON.stringify(answer);
        try {
          await write(() => {
            setAnswer.run(json, clock.now() + keepMs, key, owner);
          }, ROW_BYTES + json.length);
        } finally {
          held.delete(owner);
        }
      },
      async release({ key, owner }) {
        try {
          await write(() => {
            free.run(key, owner);
          }, ROW_BYTES);
        } finally {
          held.delete(owner);
        }
      },
      abandon: ({ owner }) => void held.delete(owner),
    },
    removeExpired: (limit) =>
      write(() => {
        const now = clock.now();
        const rows = getExpired.all(now, limit);
        for (const row of rows) {
          if (isHeld(row)) extend.run(now + MIN_CLAIM_MS, textOf(row, 'key'));
          else remove.run(textOf(row, 'key'));
        }
        return rows.length;
      }, ROW_BYTES * limit),
  };
}
