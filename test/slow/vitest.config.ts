import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { alone, longest, longTests } from '../long-tests.ts';
import { LongestFirst } from '../support/longest-first.ts';

/** Tests that wait for real time limits, or judge thousands of texts. */
export default defineConfig({
  test: {
    include: ['test/slow/**/*.test.ts', ...longTests],
    exclude: [...alone, ...longest],
    globalSetup: [fileURLToPath(new URL('../support/global-setup.ts', import.meta.url))],
    setupFiles: [fileURLToPath(new URL('../support/same-cases.ts', import.meta.url))],
    pool: 'threads',
    // Most of the time they wait for processes that they started.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine may hold up a test beyond its limits once. The report says which ones were run again.
    retry: 1,
    sequence: { sequencer: LongestFirst },
    // A second, the default, is short for a busy machine, and what does come ends the wait.
    expect: { poll: { timeout: 15_000 } },
  },
});
