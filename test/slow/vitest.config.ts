import { defineConfig } from 'vitest/config';

/** Tests that wait for real time limits or train the model. */
export default defineConfig({ test: { include: ['test/slow/**/*.test.ts'], pool: 'threads' } });
