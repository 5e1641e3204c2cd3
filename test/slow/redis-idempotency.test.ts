import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sampleAnswer, sampleClaim } from '../contracts/idempotency-store.ts';
import { type RedisServer, startRedisServer } from '../support/redis/server.ts';
import { createStoresFactory, quickTimes, until } from '../support/redis/stores.ts';
import { startTcpProxy } from '../support/redis/tcp-proxy.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

/** The lease with the short times. */
const LEASE_MS = 2 * quickTimes.recovery.goneAfterMs;

/** Two replicas with short times on one store. */
async function startReplicas(url = server.url) {
  const one = await stores.make(url, quickTimes);
  const two = await stores.make(server.url, { ...quickTimes, prefix: one.prefix });
  return { one: one.adapters.idempotencyStore, two: two.adapters.idempotencyStore, prefix: one.prefix };
}

describe('idempotency keys in the store', () => {
  test('are shared by replicas', async () => {
    const { one, two } = await startReplicas();
    const claims = Array.from({ length: 50 }, () => sampleClaim());
    const outcomes = await Promise.all(
      claims.map((claim, index) => (index % 2 === 0 ? one : two).claim(claim)),
    );
    const winner = outcomes.findIndex(({ status }) => status === 'claimed');
    expect(outcomes.filter(({ status }) => status === 'claimed')).toHaveLength(1);
    const owner = claims[winner] ?? sampleClaim();
    await (winner % 2 === 0 ? one : two).complete(owner, sampleAnswer);
    for (const store of [one, two])
      expect(await store.claim(sampleClaim())).toMatchObject({ answer: sampleAnswer });
  });

  test('are one hash under the prefix, which expires', async () => {
    const { one, prefix } = await startReplicas();
    const claim = sampleClaim({ keepMs: 7_200_000 });
    await one.claim(claim);
    const name = `${prefix}idempotency:${claim.key}`;
    expect(await server.keys(`${prefix}idempotency`)).toEqual([name]);
    expect(await server.command('PTTL', name)).toBeGreaterThan(7_000_000);
    await one.complete({ ...claim, keepMs: 5_000 }, sampleAnswer);
    expect(await server.command('PTTL', name)).toBeLessThanOrEqual(5_000);
  });

  test('are kept by a living process however long its work takes', async () => {
    const { one, two } = await startReplicas();
    await one.claim(sampleClaim({ keepMs: 1 }));
    const end = performance.now() + 2.5 * LEASE_MS;
    while (performance.now() < end) {
      expect(await two.claim(sampleClaim(), true)).toMatchObject({ status: 'in_progress' });
      await sleep(250);
    }
  });

  test('are not taken from living processes after an outage that was longer than the lease', async () => {
    const own = await startRedisServer();
    const proxy = await startTcpProxy(own.port);
    try {
      // Both wait for longer than the owner takes to connect again.
      const times = { ...quickTimes, recovery: { ...quickTimes.recovery, stableForMs: 5_000 } };
      const owner = await stores.make(`redis://127.0.0.1:${proxy.port}`, times);
      const other = await stores.make(own.url, { ...times, prefix: owner.prefix });
      const [one, two] = [owner.adapters.idempotencyStore, other.adapters.idempotencyStore];
      const statusNow = async () => (await two.claim(sampleClaim(), true).catch(() => undefined))?.status;
      const claim = sampleClaim();
      await one.claim(claim);
      proxy.setMode('down');
      await own.kill();
      await sleep(1.5 * LEASE_MS);
      await expect(two.claim(sampleClaim())).rejects.toMatchObject({
        ...{ code: 'unavailable', retryAfterSeconds: 1 },
      });
      await own.restart();
      let first: string | undefined;
      await until('the store is back', async () => {
        first = await statusNow();
        return first !== undefined;
      });
      expect(first).toBe('in_progress');
      proxy.setMode('pass');
      const end = performance.now() + times.recovery.stableForMs + LEASE_MS;
      while (performance.now() < end) {
        expect(await statusNow()).toBe('in_progress');
        await sleep(100);
      }
      await one.complete(claim, sampleAnswer);
      expect(await statusNow()).toBe('completed');
    } finally {
      await stores.closeAll();
      await proxy.close();
      await own.close();
    }
  });

  test('lapse when the reply to the claim was lost', async () => {
    const proxy = await startTcpProxy(server.port);
    try {
      const { one, two } = await startReplicas(`redis://127.0.0.1:${proxy.port}`);
      proxy.setMode('mute');
      const lost = sampleClaim();
      await expect(one.claim(lost)).rejects.toMatchObject({ code: 'unavailable' });
      proxy.setMode('pass');
      expect(await two.claim(sampleClaim())).toMatchObject({ status: 'in_progress' });
      const end = LEASE_MS + quickTimes.recovery.stableForMs + 1_000;
      await until(
        'the claim lapses',
        async () => (await two.claim(sampleClaim())).status === 'lapsed',
        end + 5_000,
      );
      expect(await two.claim(sampleClaim(), true)).toMatchObject({
        ...{ status: 'claimed', reference: lost.reference, isResumed: true },
      });
    } finally {
      await proxy.close();
    }
  });

  test('are replaced where another program has stored something else', async () => {
    const { one, prefix } = await startReplicas();
    const claim = sampleClaim();
    await server.command('SET', `${prefix}idempotency:${claim.key}`, 'text');
    await one.complete(claim, sampleAnswer);
    await one.release(claim);
    expect(await one.claim(claim)).toMatchObject({ status: 'claimed' });
  });

  test('cost a claim and a completion, and nothing more while they are short', async () => {
    const { one } = await startReplicas();
    const calls = async (): Promise<number> => {
      const text = String(await server.command('INFO', 'commandstats'));
      return Number(/cmdstat_hset:calls=(\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await calls();
    const claim = sampleClaim();
    await one.claim(claim);
    await one.complete(claim, sampleAnswer);
    await sleep(LEASE_MS / 2);
    // The claim sets its hash and its lease, the completion its answer.
    expect((await calls()) - before).toBe(3);
  });
});
