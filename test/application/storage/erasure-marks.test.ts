import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createErasureMarks, erasureTable } from '../../../src/application/storage/erasure-marks.ts';
import { ERASURE_MARK_MS } from '../../../src/ports/storage/erasure-marks.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { storageParts } from '../../support/storage.ts';

const digestOf = (text: string): string => hash('sha256', text, 'base64url');

test('a mark in a row is kept for an hour, and one after it is another one', async () => {
  const clock = createFakeClock();
  const marks = createErasureMarks(storageParts(clock).store, digestOf);
  await marks.mark('a');
  const first = await marks.last('a');
  await clock.advance(ERASURE_MARK_MS - 1);
  expect(await marks.last('a')).toBe(first);
  await clock.advance(1);
  expect(await marks.last('a')).toBeUndefined();
  await marks.mark('a');
  expect(await marks.last('a')).not.toBe(first);
});

test('the row of a mark does not have the customer', async () => {
  const { store } = storageParts();
  await createErasureMarks(store, digestOf).mark('customer-1');
  const rows = await store.range(erasureTable, { limit: 10 });
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('customer-1');
});
