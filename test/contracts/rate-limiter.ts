import { describe, expect, test } from 'vitest';
import type { RateDecision, RateLimiter } from '../../src/ports/rate-limiter.ts';

/** A limiter under test, and its time. */
export interface RateLimiterUnderTest {
  readonly limiter: RateLimiter;
  /** Lets at least so many seconds pass for the limiter. */
  wait(seconds: number): Promise<void>;
}

/**
 * The promises of every rate limiter. `make` creates one with the given limit and window; the window may be as short as
 * a second.
 */
export function rateLimiterContract(
  name: string,
  make: (limit: number, windowSeconds: number) => Promise<RateLimiterUnderTest>,
): void {
  const all = async (limiter: RateLimiter, keys: readonly string[]): Promise<RateDecision[]> =>
    Promise.all(keys.map(async (key) => limiter.consume(key)));

  describe(`${name} as a rate limiter`, () => {
    test('admits up to the limit, counting down, and rejects the next', async () => {
      const { limiter } = await make(3, 60);
      const decisions: RateDecision[] = [];
      for (let turn = 0; turn < 5; turn++) decisions.push(await limiter.consume('10.0.0.1'));
      expect(decisions.map(({ admitted }) => admitted)).toEqual([true, true, true, false, false]);
      expect(decisions.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0]);
      for (const decision of decisions) {
        expect(decision).toMatchObject({ limit: 3, windowSeconds: 60 });
        expect(Number.isInteger(decision.resetSeconds)).toBe(true);
        expect(decision.resetSeconds).toBeGreaterThanOrEqual(1);
        expect(decision.resetSeconds).toBeLessThanOrEqual(60);
      }
    });

    test('admits exactly the limit of a burst', async () => {
      const { limiter } = await make(20, 60);
      const decisions = await all(
        limiter,
        Array.from({ length: 200 }, () => 'burst'),
      );
      expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(20);
    });

    test('counts each client on its own, whatever its key', async () => {
      const { limiter } = await make(1, 60);
      const keys = ['10.0.0.1', '10.0.0.2', '::1', '__proto__', 'constructor', '*', 'a b', ''];
      for (const { admitted } of await all(limiter, keys)) expect(admitted).toBe(true);
      for (const { admitted } of await all(limiter, keys)) expect(admitted).toBe(false);
    });

    test('admits a rejected client after `resetSeconds`', async () => {
      const { limiter, wait } = await make(2, 1);
      let rejected: RateDecision | undefined;
      while (rejected === undefined) {
        const decision = await limiter.consume('10.0.0.1');
        if (!decision.admitted) rejected = decision;
      }
      await wait(rejected.resetSeconds);
      expect(await limiter.consume('10.0.0.1')).toMatchObject({ admitted: true });
    });

    test('does not count rejected requests', async () => {
      const { limiter, wait } = await make(1, 1);
      const decisions = await all(
        limiter,
        Array.from({ length: 10 }, () => '10.0.0.1'),
      );
      expect(decisions.filter(({ admitted }) => admitted)).toHaveLength(1);
      await wait(1);
      expect(await limiter.consume('10.0.0.1')).toMatchObject({ admitted: true });
    });
  });
}
