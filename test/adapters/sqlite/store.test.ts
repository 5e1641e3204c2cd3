import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { openSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { type Store, type Stored, write } from '../../../src/ports/storage/store.ts';
import { type Job, jobs, storeContract, storeTables } from '../../contracts/store.ts';

const options = { tables: storeTables, clock: systemClock, logger: silentLogger };

function open(tables = storeTables) {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  const sqlite = openSqliteStore({ ...options, path: join(folder, 'store.db'), tables });
  onTestFinished(() => {
    sqlite.close();
    rmSync(folder, { recursive: true });
  });
  return sqlite;
}

storeContract('SQLite', async () => open().store);

storeContract('SQLite with private rows', async () => {
  const isPrivate = (): boolean => true;
  return open(storeTables.map((table) => ({ ...table, isPrivate }))).store;
});

test('a row is as it was before a commit that did not fit', async () => {
  const { store, file } = open();
  const [version] = (await store.commit([write(jobs, 'a', { count: 1, owner: 'ann' })])) ?? [];
  file.database.exec('PRAGMA max_page_count = 1');
  const note = 'x'.repeat(100_000);
  const changes = [write(jobs, 'a', { count: 2 }), write(jobs, 'b', { note })];
  await expect(store.commit(changes)).rejects.toMatchObject({ code: 'unavailable' });
  file.database.exec('PRAGMA max_page_count = 1000000');
  await expect
    .poll(
      () =>
        store.commit([]).then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
  expect(await store.read(jobs, ['a', 'b'])).toMatchObject([{ version, row: { count: 1 } }, undefined]);
  const written = await store.commit([write(jobs, 'a', { count: 3, owner: 'bob' }, { expects: version })]);
  expect(written?.[0]).toBeGreaterThan(version ?? 0);
  expect(await store.count(jobs, { where: { owner: 'ann' } })).toBe(0);
});

test('versions grow over restarts, and no row gets one that another has had', async () => {
  const { store, close, file } = open();
  const before = (await store.commit([write(jobs, 'a', {}), write(jobs, 'b', {})])) ?? [];
  close();
  const again = openSqliteStore({ ...options, path: file.path });
  onTestFinished(again.close);
  const [after] = (await again.store.commit([write(jobs, 'a', {})])) ?? [];
  expect(after).toBeGreaterThan(Math.max(...before));
});

describe('over many rows', () => {
  const kinds = ['one', 'two'];
  const rows = Array.from({ length: 1_200 }, (_, number) =>
    write(jobs, `row-${number}`, {
      owner: `owner-${number % 400}`,
      kind: kinds[number % 2] ?? '',
      due: number % 3,
      size: number,
    }),
  );

  /** The plan by which SQLite runs the statements of a request. */
  async function plansOf(request: (store: Store) => Promise<unknown>): Promise<string> {
    const { store, file } = open();
    await store.commit(rows);
    const { database } = file;
    const texts: string[] = [];
    const prepare = database.prepare.bind(database);
    database.prepare = (text) => {
      texts.push(text);
      return prepare(text);
    };
    await request(store);
    const explain = (text: string) => prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    return texts.flatMap((text) => explain(text).map(({ detail }) => String(detail))).join('\n');
  }

  const page = { limit: 20, descending: true };
  test.each<[string, (store: Store) => Promise<readonly Stored<Job>[]>, number]>([
    ['all', (store) => store.range(jobs, page), 1_199],
    ['those of a text', (store) => store.range(jobs, { ...page, where: { kind: 'one' } }), 1_198],
    ['those of a number', (store) => store.range(jobs, { ...page, where: { due: 1 } }), 1_198],
    ['those of both', (store) => store.range(jobs, { ...page, where: { kind: 'one', due: [0, 1] } }), 1_198],
    ['in an order', (store) => store.range(jobs, { ...page, order: 'size', where: { kind: 'one' } }), 1_198],
  ])('lists %s without sorting them or looking at them all', async (_, list, first) => {
    let found: readonly Stored<Job>[] = [];
    const plans = await plansOf(async (store) => {
      found = await list(store);
    });
    expect(found).toHaveLength(20);
    expect(found[0]?.id).toBe(`row-${first}`);
    expect(plans).not.toMatch(/SCAN rows_|TEMP B-TREE/);
  });

  test('lists those of several texts by sorting a page of each', async () => {
    const plans = await plansOf(async (store) => {
      const found = await store.range(jobs, { ...page, where: { kind: kinds } });
      expect(found.map(({ id }) => id).slice(0, 3)).toEqual(['row-1199', 'row-1198', 'row-1197']);
    });
    expect(plans).not.toContain('SCAN rows_');
  });

  test('seeks by the index that finds the fewest rows', async () => {
    const where = { kind: 'one', owner: 'owner-2' };
    const plans = await plansOf(async (store) => {
      expect(await store.count(jobs, { where })).toBe(3);
      expect(await store.range(jobs, { where, order: 'size', limit: 9 })).toHaveLength(3);
    });
    expect(plans).toContain('USING INDEX rows_jobs_by_owner');
  });
});
