import { defineConfig } from 'vitest/config';

/** Tests that wait as long as the limits that they are about. */
export default defineConfig({ test: { include: ['test/slow/**/*.test.ts'], pool: 'threads' } });
