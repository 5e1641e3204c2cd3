import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests that wait for real time limits, train a model, or judge thousands of texts. */
export default defineConfig({
  test: {
    include: ['test/slow/**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('../support/global-setup.ts', import.meta.url))],
    pool: 'threads',
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
