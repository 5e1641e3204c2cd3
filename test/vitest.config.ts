import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longTests } from './long-tests.ts';
import { LongestFirst } from './support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/slow/**', ...longTests],
    globalSetup: [fileURLToPath(new URL('support/global-setup.ts', import.meta.url))],
    setupFiles: [fileURLToPath(new URL('support/same-cases.ts', import.meta.url))],
    pool: 'threads',
    // The files of a worker share loaded modules, which takes half of the processor time: a test file leaves no state.
    isolate: false,
    // Many tests wait for processes that they started, so that more workers than processors keep these busy.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine may hold up a test beyond its limits once. The report says which ones were run again.
    retry: 1,
    // A second, the default, is short for a busy machine, and what does come ends the wait.
    expect: { poll: { timeout: 15_000 } },
  },
});
