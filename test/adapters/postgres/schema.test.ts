import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PostgresStartError } from '../../../src/adapters/postgres/errors.ts';
import { createLayout } from '../../../src/adapters/postgres/layout.ts';
import { rangeStatement, type Statement, takeStatement } from '../../../src/adapters/postgres/statements.ts';
import { type RangeRequest, write } from '../../../src/ports/storage/store.ts';
import { jobs, storeTables } from '../../contracts/store.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { createPostgresStores } from '../../support/postgres/stores.ts';
import { until } from '../../support/until.ts';

const stores = createPostgresStores(storeTables);
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgresServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.stop());

describe('the schema', () => {
  test('is made once by programs that start at the same time', async () => {
    const database = await server.createDatabase();
    const schema = 'orchestration';
    const programs = await Promise.all(Array.from({ length: 4 }, () => stores.make(database, { schema })));
    for (const { store, probe } of programs) {
      await until('the store is available', async () => (await probe()) === 'ok');
      await store.commit([write(jobs, 'a', {})]);
    }
    expect(await server.query('SELECT number, name FROM orchestration.migrations', [], database)).toEqual([
      { number: 1, name: 'rows and events' },
    ]);
    const lines = programs.flatMap(({ logger }) => logger.lines);
    expect(lines.filter(({ message }) => message === 'the schema of the store was migrated')).toHaveLength(1);
  });

  test('stops the start of a program that is older', async () => {
    const { schema, store } = await stores.make(server.url);
    await store.commit([write(jobs, 'a', { count: 1 })]);
    await server.query(`INSERT INTO "${schema}".migrations (number, name) VALUES (7, 'later')`);
    const older = stores.prepare(server.url, { schema });
    const started = older.start();
    await expect(started).rejects.toThrow(PostgresStartError);
    await expect(started).rejects.toThrow(
      /^DATABASE_SCHEMA: test_\w+ has version 7, .* up to 1; use a newer program$/,
    );
    expect(await store.read(jobs, ['a'])).toMatchObject([{ row: { count: 1 } }]);
  });

  test('may be made before for a user who makes none', async () => {
    const database = await server.createDatabase();
    await server.query('CREATE ROLE modest LOGIN; CREATE SCHEMA kept AUTHORIZATION modest', [], database);
    const url = database.replace('postgres@', 'modest@');
    const { store } = await stores.make(url, { schema: 'kept' });
    expect(await store.commit([write(jobs, 'a', {})])).toHaveLength(1);
  });

  test('is unavailable to a user who may not make it', async () => {
    await server.query('CREATE ROLE stranger LOGIN');
    const { store, logger } = await stores.make(server.url.replace('postgres@', 'stranger@'));
    expect(() => store.assertAvailable()).toThrow(expect.objectContaining({ code: 'unavailable' }));
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'warn', reason: '42501' }));
  });

  test('needs a database of UTF-8', async () => {
    await server.query("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'");
    const one = stores.prepare(server.url.replace(/\w+$/, 'latin'));
    await expect(one.start()).rejects.toThrow('DATABASE_URL: the encoding of the database must be UTF8');
  });

  test.each(['Orders', 'a"b', '1a', '', 'x'.repeat(64)])('cannot have the name %j', (schema) => {
    expect(() => stores.prepare(server.url, { schema })).toThrow(/^DATABASE_SCHEMA: must be of the form/);
  });

  test('leaves no events of rows that have gone', async () => {
    const { schema, store } = await stores.make(server.url);
    const append = { after: 0, events: ['1', '2'] };
    const until = store.now();
    await store.commit([write(jobs, 'a', {}, { append }), write(jobs, 'b', { until }, { append })]);
    await store.commit([write(jobs, 'c', { until }, { append })]);
    await store.commit([{ table: 'jobs', id: 'a', next: null }, write(jobs, 'b', {})]);
    await store.removeExpired(jobs, 10);
    expect(await server.query(`SELECT * FROM "${schema}".events`)).toEqual([]);
  });
});

test('a commit of several rows with events and notices is one statement', async () => {
  const { store } = await stores.make(server.url, { checkEveryMs: 60_000 });
  await store.commit([write(jobs, 'a', {})]);
  const query = vi.spyOn(Client.prototype, 'query');
  const append = { after: 0, events: ['1'] };
  const changes = [write(jobs, 'b', {}, { append }), write(jobs, 'a', {}, { append }), write(jobs, 'c', {})];
  expect(await store.commit(changes, [{ topic: 'a', text: 'b' }])).toHaveLength(3);
  expect(query).toHaveBeenCalledOnce();
  query.mockRestore();
});

test('a conflict of one row is no error in the log of the server', async () => {
  const { store } = await stores.make(server.url);
  const failures = async () => {
    const [found] = await server.query(
      "SELECT xact_rollback FROM pg_stat_database WHERE datname = 'postgres'",
    );
    return Number(found?.['xact_rollback']);
  };
  const before = await failures();
  for (let count = 0; count < 20; count++)
    expect(await store.commit([write(jobs, 'a', {}, { expects: 1 })])).toBeUndefined();
  expect((await failures()) - before).toBeLessThan(5);
});

describe('among 20,000 rows', () => {
  const layout = createLayout('many', storeTables);

  interface Plan {
    readonly 'Node Type': string;
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly Plan[];
  }

  beforeAll(async () => {
    await stores.make(server.url, { schema: 'many' });
    await server.query(
      `INSERT INTO many.rows_jobs (id, version, position, events, json, by_owner, by_kind, by_due)
       SELECT 'row-' || n, n, n, 0, '{}', 'owner-' || n % 500,
         CASE WHEN n > 5000 THEN 'new' ELSE 'old-' || n % 2 END, n / 3
       FROM generate_series(1, 20000) AS n`,
    );
  });

  /** The steps of a statement, with the number of rows that each reads. */
  async function stepsOf(statement: Statement | undefined): Promise<readonly [step: string, rows: number][]> {
    const { text, values } = statement ?? { text: '', values: [] };
    const [found] = await server.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    const plans = found?.['QUERY PLAN'] as readonly { readonly Plan: Plan }[];
    const flatten = (plan: Plan): [string, number][] => [
      [
        plan['Node Type'],
        (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'],
      ],
      ...(plan.Plans ?? []).flatMap(flatten),
    ];
    return plans.flatMap(({ Plan }) => flatten(Plan));
  }

  const listings: readonly [string, Partial<RangeRequest>][] = [
    ['the newest rows', { descending: true }],
    ['rows after a position', { after: { value: 10_000, id: '' } }],
    ['the newest rows of one in 500 owners', { where: { owner: 'owner-7' }, descending: true }],
    ['the newest rows of an old kind', { where: { kind: 'old-0' }, descending: true }],
    ['the newest rows of two kinds', { where: { kind: ['old-0', 'old-1'] }, descending: true }],
    ['the rows of owners whom nobody knows', { where: { owner: ['x', 'y'] } }],
    ['rows by a number', { order: 'due' }],
    [
      'rows by a number after a place',
      { order: 'due', descending: true, after: { value: 3_000, id: 'row-9' } },
    ],
    ['rows whose number is between two', { order: 'due', between: { due: { from: 100, until: 103 } } }],
  ];

  for (const state of [
    'before the server knows their statistics',
    'once the server knows their statistics',
  ]) {
    describe(state, () => {
      beforeAll(async () => {
        if (state.startsWith('once')) await server.query('ANALYZE many.rows_jobs');
      });

      test.each(listings)('a listing reads %s by an index', async (_, request) => {
        const statement = rangeStatement(layout, 'jobs', { limit: 20, ...request }, Date.now());
        const steps = await stepsOf(statement);
        expect(steps.map(([step]) => step)).not.toContain('Seq Scan');
        if (state.startsWith('once'))
          expect(Math.max(...steps.map(([, rows]) => rows))).toBeLessThanOrEqual(100);
      });

      test('rows are handed out by an index', async () => {
        const request = { index: 'due', until: 1_000_000, to: 1_000_000, limit: 5 };
        const steps = await stepsOf(takeStatement(layout, 'jobs', request, Date.now()));
        expect(steps.map(([step]) => step)).not.toContain('Seq Scan');
        expect(Math.max(...steps.map(([, rows]) => rows))).toBeLessThanOrEqual(20);
      });
    });
  }
});
