import { expect, test } from 'vitest';
import { MAX_ACTIVE_BYTES } from '../../../src/application/runs/active-run.ts';
import { createActiveRuns } from '../../../src/application/runs/active-runs.ts';

test('runs that need plans of too much memory leave no room for further ones, but for child runs', () => {
  const roomFor = (bytes: number) =>
    createActiveRuns({
      acquire: () => {
        throw new Error('no plan is needed');
      },
      release: () => undefined,
      bytesInUse: () => bytes,
    });
  expect(() => roomFor(MAX_ACTIVE_BYTES - 1).assertRoom(false)).not.toThrow();
  expect(() => roomFor(MAX_ACTIVE_BYTES).assertRoom(false)).toThrow('bytes of memory already');
  expect(() => roomFor(MAX_ACTIVE_BYTES).assertRoom(true)).not.toThrow();
  expect(() => roomFor(2 * MAX_ACTIVE_BYTES).assertRoom(true)).toThrow('bytes of memory already');
});
