import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { createPadding, decodeId, digestOf, encodeId } from '../../../src/adapters/sqlite/layout.ts';
import { hostileIds } from '../../contracts/inbox-store-samples.ts';
import { newPath } from '../../support/sqlite/files.ts';

describe('padding', () => {
  test.each([512, 4_096, 16_384])(
    'keeps texts of any size out of the rows of pages of %i bytes',
    async (pageSize) => {
      const path = (await newPath()).replace('/data/', '/');
      const database = new DatabaseSync(path);
      database.exec(`PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = OFF`);
      database.exec(
        'CREATE TABLE texts (position INTEGER PRIMARY KEY, a INTEGER, b TEXT, padding BLOB, c TEXT, d TEXT)',
      );
      const paddingFor = createPadding(pageSize);
      const put = database.prepare('INSERT INTO texts VALUES (?, ?, ?, zeroblob(?), ?, ?)');
      const sizes = [0, 1, 2, 4].flatMap((pages) =>
        Array.from({ length: 40 }, (_, index) => pages * pageSize - 480 + 17 * index),
      );
      const texts = sizes.flatMap((size) =>
        size < 5 ? [] : ['%'.repeat(size), '☃'.repeat(Math.ceil(size / 3))],
      );
      database.exec('BEGIN');
      for (const [position, text] of texts.entries()) {
        const second = position % 2 === 0 ? null : '%%%%%';
        put.run(position, 2 ** 50, 'x'.repeat(43), paddingFor(text, second), text, second);
      }
      database.exec('COMMIT');
      const pages = database.prepare("SELECT pageno, pagetype FROM dbstat WHERE name = 'texts'").all();
      expect(database.prepare('SELECT c FROM texts ORDER BY position').all()).toEqual(
        texts.map((c) => ({ c })),
      );
      database.close();
      const content = readFileSync(path);
      const read = (pageno: unknown) =>
        content.toString('utf8', (Number(pageno) - 1) * pageSize, Number(pageno) * pageSize);
      const withText = pages.filter(({ pageno }) => /%%%%|☃☃/.test(read(pageno)));
      expect(new Set(withText.map(({ pagetype }) => pagetype))).toEqual(new Set(['overflow']));
      expect(withText.length).toBeGreaterThanOrEqual(texts.length);
    },
  );

  test('takes less than two pages more than the text', () => {
    const paddingFor = createPadding(4_096);
    for (let size = 0; size < 20_000; size += 7) expect(paddingFor('x'.repeat(size))).toBeLessThan(2 * 4_096);
    expect(paddingFor('x'.repeat(3_500)) + 3_500).toBeLessThan(4_700);
  });
});

test('any id is stored as a text of its own, and read again', () => {
  expect(hostileIds.map(encodeId).map(decodeId)).toEqual(hostileIds);
  expect(new Set(hostileIds.map(encodeId)).size).toBe(hostileIds.length);
  expect(new Set(hostileIds.map((id) => Buffer.from(digestOf(id)).toString('hex'))).size).toBe(
    hostileIds.length,
  );
  for (const id of hostileIds) expect(encodeId(id)).toBe(encodeId(id).toWellFormed());
  expect(encodeId('01a1fb9e-a8bd-7000-8b5c-93a7e7f3a0aa')).toBe('01a1fb9e-a8bd-7000-8b5c-93a7e7f3a0aa');
});
