import { expect, test } from 'vitest';
import { createMemoryErasureMarks } from '../../../src/adapters/memory/erasure-marks.ts';
import { ERASURE_MARK_MS } from '../../../src/ports/storage/erasure-marks.ts';
import { erasureMarksContract } from '../../contracts/erasure-marks.ts';

erasureMarksContract('memory', async () => {
  const marks = createMemoryErasureMarks();
  return [marks, marks];
});

test('a mark in memory is kept for an hour', async () => {
  let now = 0;
  const marks = createMemoryErasureMarks(() => now);
  await marks.mark('a');
  now = ERASURE_MARK_MS - 1;
  expect(await marks.last('a')).toBeDefined();
  now = ERASURE_MARK_MS;
  expect(await marks.last('a')).toBeUndefined();
});
