import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryRateLimiter } from '../../../src/adapters/memory/rate-limiter.ts';
import { rateLimiterContract } from '../../contracts/rate-limiter.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { heldBytes } from '../../support/heap.ts';

rateLimiterContract('memory', async (limit, windowSeconds) => {
  const clock = createFakeClock();
  const limiter = createMemoryRateLimiter({ limit, windowSeconds, clock });
  return { limiter, wait: (seconds) => clock.advance(seconds * 1_000) };
});

/** An obvious limiter: it keeps every request and counts again each time. */
function naiveLimiter(limit: number, windowSeconds: number) {
  const admitted = new Map<string, number[]>();
  return (key: string, now: number) => {
    const times = admitted.get(key) ?? [];
    const counting = times.filter((time) => now - time < windowSeconds * 1_000);
    if (counting.length >= limit) return { admitted: false, remaining: 0 };
    admitted.set(key, [...times, now]);
    return { admitted: true, remaining: limit - counting.length - 1 };
  };
}

describe('a rate limiter in memory', () => {
  test('decides like a limiter that keeps every request', async () => {
    const requests = fc.array(
      fc.record({
        key: fc.constantFrom('a', 'b', 'c'),
        pause: fc.constantFrom(0, 1, 7, 250, 999, 1_000, 2_500),
      }),
      { maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(
        requests,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (requests, limit, seconds) => {
          let now = 0.5;
          const limiter = createMemoryRateLimiter({
            limit,
            windowSeconds: seconds,
            clock: { monotonic: () => now },
          });
          const naive = naiveLimiter(limit, seconds);
          for (const { key, pause } of requests) {
            now += pause;
            expect(await limiter.consume(key)).toMatchObject(naive(key, now));
          }
        },
      ),
    );
  });

  test('returns the shortest correct waiting time, at any fraction of a millisecond', async () => {
    const times = fc.array(fc.double({ min: 0, max: 2_000, noNaN: true }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(times, fc.double({ min: 0, max: 1e9, noNaN: true }), async (pauses, start) => {
        let now = start;
        const limiter = createMemoryRateLimiter({
          limit: 2,
          windowSeconds: 3,
          clock: { monotonic: () => now },
        });
        for (const pause of pauses) {
          now += pause;
          await limiter.consume('a');
        }
        const decision = await limiter.consume('a');
        if (decision.admitted) return;
        const refusedAt = Math.floor(now);
        now = refusedAt + (decision.resetSeconds - 1) * 1_000;
        expect((await limiter.consume('a')).admitted).toBe(false);
        now = refusedAt + decision.resetSeconds * 1_000;
        expect((await limiter.consume('a')).admitted).toBe(true);
      }),
    );
  });

  test('slides: each request stops counting one window after it was made', async () => {
    const clock = createFakeClock();
    const limiter = createMemoryRateLimiter({ limit: 2, windowSeconds: 10, clock });
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 1, resetSeconds: 10 });
    await clock.advance(6_000);
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 0, resetSeconds: 4 });
    await clock.advance(3_999);
    expect(await limiter.consume('a')).toMatchObject({ admitted: false, resetSeconds: 1 });
    await clock.advance(1);
    expect(await limiter.consume('a')).toMatchObject({ admitted: true, remaining: 0, resetSeconds: 6 });
    expect(await limiter.consume('a')).toMatchObject({ admitted: false, resetSeconds: 6 });
  });

  test('ignores jumps of the wall clock', async () => {
    const clock = createFakeClock();
    const limiter = createMemoryRateLimiter({ limit: 1, windowSeconds: 10, clock });
    await limiter.consume('a');
    for (const jump of [3_600_000, -7_200_000]) {
      clock.jump(jump);
      expect(await limiter.consume('a')).toMatchObject({ admitted: false, resetSeconds: 10 });
    }
  });

  test('is exact at limits of tens of thousands', async () => {
    const clock = createFakeClock();
    const limit = 50_000;
    const limiter = createMemoryRateLimiter({ limit, windowSeconds: 60, clock });
    for (let round = 0; round < 3; round++) {
      let admitted = 0;
      for (let turn = 0; turn < limit; turn++) admitted += Number((await limiter.consume('a')).admitted);
      expect(admitted).toBe(limit);
      expect((await limiter.consume('a')).admitted).toBe(false);
      await clock.advance(60_000);
    }
  });

  test('removes the least recently seen client when there are too many', async () => {
    const limiter = createMemoryRateLimiter({
      limit: 1,
      windowSeconds: 60,
      clock: createFakeClock(),
      maxClients: 3,
    });
    for (const key of ['a', 'b', 'c']) await limiter.consume(key);
    expect((await limiter.consume('a')).admitted).toBe(false);
    expect((await limiter.consume('d')).admitted).toBe(true);
    for (const key of ['a', 'c', 'd']) expect((await limiter.consume(key)).admitted).toBe(false);
    expect((await limiter.consume('b')).admitted).toBe(true);
  });

  test('takes no more memory for 200,000 clients than for ten thousand', async () => {
    const limiter = createMemoryRateLimiter({ limit: 600, windowSeconds: 60, clock: createFakeClock() });
    const before = heldBytes();
    for (let client = 0; client < 200_000; client++) await limiter.consume(`client number ${client}`);
    expect(heldBytes() - before).toBeLessThan(10_000_000);
    expect((await limiter.consume('client number 199999')).remaining).toBe(598);
    expect((await limiter.consume('client number 0')).remaining).toBe(599);
  });

  test('does not keep the header that a client was read from', async () => {
    const limiter = createMemoryRateLimiter({ limit: 600, windowSeconds: 60, clock: createFakeClock() });
    const before = heldBytes();
    for (let client = 0; client < 10_000; client++) {
      const header = Buffer.alloc(8_192, `${client}, `).toString();
      await limiter.consume(header.slice(4_000, 4_040));
    }
    expect(heldBytes() - before).toBeLessThan(10_000_000);
    expect((await limiter.consume('other')).remaining).toBe(599);
  });

  test('frees the memory of idle clients', async () => {
    const clock = createFakeClock();
    const limiter = createMemoryRateLimiter({ limit: 1_000, windowSeconds: 60, clock });
    const before = heldBytes();
    for (let turn = 0; turn < 400; turn++) {
      for (let client = 0; client < 2_000; client++) await limiter.consume(`client number ${client}`);
    }
    const busy = heldBytes() - before;
    await clock.advance(60_000);
    for (let turn = 0; turn < 1_000; turn++) await limiter.consume('another');
    expect(heldBytes() - before).toBeLessThan(busy / 4);
    expect((await limiter.consume('another')).admitted).toBe(false);
  });
});
