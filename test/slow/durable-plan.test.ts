import { describe, expect, test } from 'vitest';
import { runDurableFaults } from '../support/faults/durable/run.ts';
import { faultSeed } from '../support/faults/run.ts';

const seed = faultSeed();

// The same with Redis is in test/slow.
describe('durable runs whose process is killed', () => {
  test(`keep their promises with SQLite (FAULT_SEED=${seed})`, { timeout: 150_000 }, async () => {
    const { violations } = await runDurableFaults({
      store: 'sqlite',
      seed,
      kills: 6,
      freezes: 0,
      isQuick: true,
      callers: 12,
    });
    expect([...violations]).toEqual([]);
  });
});
