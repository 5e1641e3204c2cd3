import { describe, expect, test } from 'vitest';
import { runDurableFaults } from '../support/faults/durable/run.ts';
import { faultSeed } from '../support/faults/run.ts';

const seed = faultSeed();

describe('durable runs of replicas that are killed', () => {
  test(`keep their promises with Redis (FAULT_SEED=${seed})`, { timeout: 150_000 }, async () => {
    const { violations } = await runDurableFaults({
      ...{ store: 'redis', seed, kills: 10, freezes: 0, isQuick: true, callers: 12 },
    });
    expect([...violations]).toEqual([]);
  });
});
