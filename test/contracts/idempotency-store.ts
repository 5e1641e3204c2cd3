import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type {
  ClaimOutcome,
  IdempotencyClaim,
  IdempotencyStore,
} from '../../src/ports/storage/record-store.ts';

/** A time after which an abandoned claim has lapsed, in milliseconds. */
const LAPSE_MS = 1;

/** A claim with an owner and a reference of its own. */
export function sampleClaim(changes: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  return {
    key: 'a'.repeat(64),
    fingerprint: 'body',
    owner: randomUUID(),
    reference: randomUUID(),
    keepMs: 60_000,
    ...changes,
  };
}

export const sampleAnswer = {
  status: 201,
  headers: { 'content-type': 'application/json', location: '/x' },
  body: '{"text":"žluťoučký 👍 \\u0000"}',
};

/**
 * The promises of every store of idempotency keys. A claim that is not abandoned lapses after its lease of 40 seconds:
 * `test/application/storage` has that on a fake clock.
 */
export function idempotencyStoreContract(name: string, make: () => Promise<IdempotencyStore>): void {
  const statusesOf = (outcomes: readonly ClaimOutcome[]) => outcomes.map(({ status }) => status);

  describe(`${name} as a store of idempotency keys`, () => {
    test('gives a key to exactly one of many claims at once', async () => {
      const store = await make();
      const claims = Array.from({ length: 50 }, () => sampleClaim());
      const outcomes = await Promise.all(claims.map((claim) => store.claim(claim)));
      const winner = claims[statusesOf(outcomes).indexOf('claimed')];
      expect(outcomes.filter(({ status }) => status === 'claimed')).toEqual([
        { status: 'claimed', reference: winner?.reference, isResumed: false },
      ]);
      const others = outcomes.filter(({ status }) => status !== 'claimed');
      expect(others).toHaveLength(49);
      for (const outcome of others)
        expect(outcome).toEqual({ status: 'in_progress', reference: winner?.reference });
    });

    test('returns the kept answer unchanged, with the reference', async () => {
      const store = await make();
      const claim = sampleClaim();
      await store.claim(claim);
      await store.complete(claim, sampleAnswer);
      const completed = { status: 'completed', reference: claim.reference, answer: sampleAnswer };
      expect(await store.claim(sampleClaim())).toEqual(completed);
      expect(await store.claim(sampleClaim(), true)).toEqual(completed);
    });

    test('keeps that an answer was too large', async () => {
      const store = await make();
      const claim = sampleClaim();
      await store.claim(claim);
      await store.complete(claim, { ...sampleAnswer, body: null });
      expect(await store.claim(sampleClaim())).toMatchObject({ status: 'completed', answer: { body: null } });
    });

    test('rejects another body, while the first is under way and afterwards', async () => {
      const store = await make();
      const claim = sampleClaim();
      await store.claim(claim);
      expect(await store.claim(sampleClaim({ fingerprint: 'other' }))).toEqual({ status: 'mismatch' });
      await store.complete(claim, sampleAnswer);
      expect(await store.claim(sampleClaim({ fingerprint: 'other' }))).toEqual({ status: 'mismatch' });
    });

    test('knows each key by itself', async () => {
      const store = await make();
      const keys = ['a', 'b', '__proto__', 'constructor', '*'];
      const outcomes = await Promise.all(keys.map((key) => store.claim(sampleClaim({ key }))));
      expect(statusesOf(outcomes)).toEqual(keys.map(() => 'claimed'));
    });

    test('frees a released key for any body', async () => {
      const store = await make();
      const claim = sampleClaim();
      await store.claim(claim);
      await store.release(claim);
      expect(await store.claim(sampleClaim({ fingerprint: 'other' }))).toMatchObject({ status: 'claimed' });
    });

    test('ignores a release after the answer, and whatever comes from another owner', async () => {
      const store = await make();
      const claim = sampleClaim();
      await store.claim(claim);
      await store.release(sampleClaim());
      await store.complete(sampleClaim(), { ...sampleAnswer, status: 200 });
      store.abandon(sampleClaim());
      expect(await store.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
      await store.complete(claim, sampleAnswer);
      await store.release(claim);
      await store.complete(claim, { ...sampleAnswer, status: 200 });
      expect(await store.claim(sampleClaim())).toMatchObject({ status: 'completed', answer: sampleAnswer });
    });

    test('forgets an answer after its time', async () => {
      const store = await make();
      const claim = sampleClaim({ keepMs: 1_000 });
      await store.claim(claim);
      await store.complete(claim, sampleAnswer);
      expect(await store.claim(sampleClaim())).toMatchObject({ status: 'completed' });
      await sleep(1_100);
      expect(await store.claim(sampleClaim({ fingerprint: 'other' }))).toMatchObject({ status: 'claimed' });
    });

    test('holds a claim for longer than its answer is kept', async () => {
      const store = await make();
      await store.claim(sampleClaim({ keepMs: 100 }));
      await sleep(500);
      expect(await store.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
    });

    test('lets an abandoned claim lapse, and one other resume it under the same reference', async () => {
      const store = await make();
      const claim = sampleClaim();
      await store.claim(claim);
      store.abandon(claim);
      await sleep(LAPSE_MS);
      const { reference } = claim;
      // On a busy machine the store seems to be away for a moment, and claims lapse later.
      await expect
        .poll(() => store.claim(sampleClaim()))
        .toEqual({ status: 'lapsed', reference, isSameBody: true });
      expect(await store.claim(sampleClaim({ fingerprint: 'other' }))).toEqual({
        status: 'lapsed',
        reference,
        isSameBody: false,
      });
      const next = [sampleClaim(), sampleClaim()];
      const outcomes = await Promise.all(next.map((each) => store.claim(each, true)));
      expect(outcomes).toContainEqual({ status: 'claimed', reference, isResumed: true });
      expect(outcomes).toContainEqual({ status: 'in_progress', reference });
      await store.complete(claim, { ...sampleAnswer, status: 200 });
      await store.release(claim);
      expect(await store.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
    });

    test('gives a lapsed key to another body with a reference of its own', async () => {
      const store = await make();
      const claim = sampleClaim();
      await store.claim(claim);
      store.abandon(claim);
      await sleep(LAPSE_MS);
      const next = sampleClaim({ fingerprint: 'other' });
      // As above.
      await expect
        .poll(() => store.claim(next, true))
        .toEqual({
          status: 'claimed',
          reference: next.reference,
          isResumed: false,
        });
    });
  });
}
