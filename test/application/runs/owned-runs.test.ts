import { expect, test } from 'vitest';
import { createOwnedRuns, MAX_OWNED_BYTES } from '../../../src/application/runs/owned-runs.ts';
import { testPorts } from '../../support/ports.ts';

test('runs that need plans of too much memory leave no room for further ones, but for child runs', () => {
  const roomFor = (bytes: number) =>
    createOwnedRuns(testPorts().ports, { release: () => undefined, bytesInUse: () => bytes }, false);
  expect(() => roomFor(MAX_OWNED_BYTES - 1).assertRoom(false)).not.toThrow();
  expect(() => roomFor(MAX_OWNED_BYTES).assertRoom(false)).toThrow('bytes of memory already');
  expect(() => roomFor(MAX_OWNED_BYTES).assertRoom(true)).not.toThrow();
  expect(() => roomFor(2 * MAX_OWNED_BYTES).assertRoom(true)).toThrow('bytes of memory already');
});
