import { describe, expect, test } from 'vitest';
import { createIdempotency } from '../../../src/application/storage/idempotency.ts';
import { sampleAnswer, sampleClaim } from '../../contracts/idempotency-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { sharedParts } from '../../support/storage.ts';

/** Two processes that share their keys. */
function twoProcesses() {
  const clock = createFakeClock();
  const [one, other] = sharedParts(2, clock);
  if (one === undefined || other === undefined) throw new Error('there are two');
  return {
    clock,
    stores: [one.store, other.store],
    one: createIdempotency(one),
    other: createIdempotency(other),
  };
}

describe('idempotency keys in rows', () => {
  test('cost one commit for a claim', async () => {
    const { one, stores } = twoProcesses();
    await one.claim(sampleClaim());
    expect(stores[0]?.commits).toBe(1);
  });

  test('are held for as long as their process works on them, and leave no timer after that', async () => {
    const { clock, one, other } = twoProcesses();
    const claim = sampleClaim();
    await one.claim(claim);
    await clock.advance(600_000);
    expect(await other.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
    await one.complete(claim, sampleAnswer);
    expect(await other.claim(sampleClaim())).toMatchObject({ status: 'completed', answer: sampleAnswer });
    await clock.advance(20_000);
    expect(clock.pending()).toBe(0);
  });

  test('of a process that is gone lapse within 60 seconds, and another one takes over', async () => {
    const { clock, one, other } = twoProcesses();
    const claim = sampleClaim();
    await one.claim(claim);
    await clock.advance(15_000);
    one.close();
    await clock.advance(20_000);
    expect(await other.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
    await clock.advance(40_000);
    const lapsed = { status: 'lapsed', reference: claim.reference, isSameBody: true };
    expect(await other.claim(sampleClaim())).toEqual(lapsed);
    expect(await other.claim(sampleClaim(), true)).toMatchObject({ status: 'claimed', isResumed: true });
    await one.complete(claim, sampleAnswer);
    expect(await one.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
  });

  test('whose reply was lost lapse as well, while their process goes on with others', async () => {
    const { clock, stores, one, other } = twoProcesses();
    await one.claim(sampleClaim({ key: 'another' }));
    stores[0]?.loseReply();
    await expect(one.claim(sampleClaim())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await other.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
    await clock.advance(60_000);
    expect(await other.claim(sampleClaim())).toMatchObject({ status: 'lapsed' });
    expect(await other.claim(sampleClaim({ key: 'another' }))).toMatchObject({ status: 'in_progress' });
  });

  test('do not lapse by an outage in which nobody could renew them', async () => {
    const { clock, stores, one, other } = twoProcesses();
    await one.claim(sampleClaim());
    for (const store of stores) store.leave();
    await clock.advance(300_000);
    // The process that waits for the key sees first that the store is back.
    stores[1]?.comeBack();
    expect(await other.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
    stores[0]?.comeBack();
    await clock.advance(30_000);
    expect(await other.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
  });

  test('whose claim ends while another process looks count as what they are then', async () => {
    const { clock, one, other } = twoProcesses();
    const claim = sampleClaim();
    await one.claim(claim);
    await clock.advance(30_000);
    const [, outcome] = await Promise.all([one.complete(claim, sampleAnswer), other.claim(sampleClaim())]);
    expect(['completed', 'in_progress']).toContain(outcome.status);
  });
});
