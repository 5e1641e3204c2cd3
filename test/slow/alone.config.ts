import { defineConfig, mergeConfig } from 'vitest/config';
import { alone } from '../long-tests.ts';
import slow from './vitest.config.ts';

/** Tests that measure time of the processor, which others beside them would lengthen. */
export default mergeConfig(
  { ...slow, test: { ...slow.test, include: [], exclude: [] } },
  defineConfig({ test: { include: [...alone], maxWorkers: 1 } }),
);
