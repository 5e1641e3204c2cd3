import { describe, expect, test } from 'vitest';
import { runDurableFaults } from '../support/faults/durable/run.ts';
import { faultSeed } from '../support/faults/run.ts';

const seed = faultSeed();

describe('durable runs of replicas that are killed', () => {
  test.each([
    ['Redis', 'redis'],
    ['PostgreSQL', 'postgres'],
  ] as const)(
    `keep their promises with %s (FAULT_SEED=${seed})`,
    { timeout: 150_000 },
    async (_name, store) => {
      const { violations } = await runDurableFaults({
        store,
        seed,
        kills: 10,
        freezes: 0,
        isQuick: true,
        callers: 12,
      });
      expect([...violations]).toEqual([]);
    },
  );
});
