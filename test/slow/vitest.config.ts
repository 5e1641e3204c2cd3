import { defineConfig } from 'vitest/config';

/** Tests that wait for real time limits. */
export default defineConfig({ test: { include: ['test/slow/**/*.test.ts'], pool: 'threads' } });
