import { describe, expect, test } from 'vitest';
import { faultSeed, runFaults } from '../support/faults/run.ts';

const seed = faultSeed();

describe('replicas and their shared store that are killed, hang and are full', () => {
  test(`keep their promises (FAULT_SEED=${seed})`, { timeout: 150_000 }, async () => {
    const faults = { replica: 2, store: 1, both: 1, freeze: 1, full: 1 };
    const { figures, violations } = await runFaults({ seed, replicas: 2, faults });
    expect([...violations]).toEqual([]);
    expect(figures.acknowledgedRuns).toBeGreaterThan(20);
    expect(figures.messages).toBeGreaterThan(10);
  });
});
