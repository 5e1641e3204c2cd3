import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { extensiveTests, longest } from '../long-tests.ts';

/** Tests of which the other commands run a part, with all their combinations. */
export default defineConfig({
  test: {
    include: [...extensiveTests, ...longest],
    env: { TEST_EXTENT: 'full' },
    globalSetup: [fileURLToPath(new URL('../support/global-setup.ts', import.meta.url))],
    pool: 'threads',
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
