import { describe, expect, test } from 'vitest';
import { runFaults, seedOfFaults } from '../support/faults/run.ts';

const seed = seedOfFaults();

describe('replicas on a shared store that are killed, and whose store is killed, hangs and is full', () => {
  test(`keep what they promised (FAULT_SEED=${seed})`, { timeout: 150_000 }, async () => {
    const faults = { replica: 3, store: 2, both: 1, freeze: 1, full: 1 };
    const { figures, violations } = await runFaults({ seed, replicas: 2, faults });
    expect([...violations]).toEqual([]);
    expect(figures.acknowledgedExecutions).toBeGreaterThan(20);
    expect(figures.messages).toBeGreaterThan(10);
  });
});
