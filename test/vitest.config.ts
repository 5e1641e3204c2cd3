import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/slow/**'],
    globalSetup: [fileURLToPath(new URL('support/global-setup.ts', import.meta.url))],
    pool: 'threads',
    // The files of a worker share loaded modules, which takes half of the processor time: a test file leaves no state.
    isolate: false,
    // Many tests wait for processes that they started, so that a few more workers than processors are busy.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
