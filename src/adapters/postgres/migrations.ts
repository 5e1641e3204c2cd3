import type { Client } from 'pg';
import { OTHER_VERSION, PostgresStartError } from './errors.ts';
import { type Layout, PLACE, type SqlTable } from './layout.ts';

/** A change of the schema. Once released it stays as it is: another change is another migration. */
interface Migration {
  readonly name: string;
  /** Its statements. They leave in place what is there, because the first migration makes all tables of its program. */
  readonly statements: (layout: Layout) => readonly string[];
}

/** All migrations in order; the number of the first is 1. */
const migrations: readonly Migration[] = [
  {
    name: 'rows and events',
    statements: (layout) => [
      `CREATE SEQUENCE ${layout.sequence}`,
      `CREATE FUNCTION ${layout.must}(version bigint) RETURNS bigint LANGUAGE plpgsql AS $$
        BEGIN
          IF version IS NULL THEN
            RAISE EXCEPTION 'a row has another version' USING ERRCODE = '${OTHER_VERSION}';
          END IF;
          RETURN version;
        END $$`,
      `CREATE TABLE ${layout.events} (
        position bigint, last_seq bigint, json text[] NOT NULL, PRIMARY KEY (position, last_seq)
      )`,
      `CREATE UNLOGGED TABLE ${layout.rates} (
        client text COLLATE "C" PRIMARY KEY, count int NOT NULL, ends_at bigint NOT NULL
      )`,
      `CREATE FUNCTION ${layout.removeEvents}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          DELETE FROM ${layout.events} WHERE position = OLD.position;
          RETURN NULL;
        END $$`,
      ...[...layout.tables.values()].flatMap((table) => createTable(layout, table)),
    ],
  },
];

/**
 * Creates a table with its indexes, unless it is there. `position` names a row for its events: when another row takes
 * the place of one that has expired, its position differs. A trigger removes the events, because it sees those that
 * others have written while the statement waited for the row.
 */
function createTable(layout: Layout, { name, bareName, columns }: SqlTable): string[] {
  const indexes = [...columns.values()];
  const typeOf = { text: 'text COLLATE "C"', bigint: 'bigint' };
  const index = (suffix: string, on: string, where: string): string =>
    `CREATE INDEX IF NOT EXISTS "${bareName}_${suffix}" ON ${name} (${on}) WHERE ${where} IS NOT NULL`;
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (
      id text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL,
      position bigint NOT NULL,
      events bigint NOT NULL,
      json text NOT NULL,
      body text,
      expires_at bigint
      ${indexes.map((column) => `, ${column.name} ${typeOf[column.type]}`).join('')}
    )`,
    `CREATE UNIQUE INDEX IF NOT EXISTS "${bareName}_position" ON ${name} (${PLACE})`,
    index('expires_at', 'expires_at', 'expires_at'),
    ...indexes.map((column) =>
      index(column.bareName, `${column.name}, ${column.type === 'text' ? 'position' : 'id'}`, column.name),
    ),
    `CREATE OR REPLACE TRIGGER gone AFTER DELETE ON ${name} FOR EACH ROW
      WHEN (OLD.events > 0) EXECUTE FUNCTION ${layout.removeEvents}()`,
    `CREATE OR REPLACE TRIGGER replaced AFTER UPDATE OF position ON ${name} FOR EACH ROW
      WHEN (OLD.events > 0 AND OLD.position <> NEW.position) EXECUTE FUNCTION ${layout.removeEvents}()`,
  ];
}

/** The oldest version of the server that the statements are written for. */
const MIN_SERVER_VERSION = 150_000;

/**
 * Brings the schema to the version of this program; resolves to the number of migrations that it ran. Each runs in a
 * transaction of its own, under a lock that other programs wait for. Rejects with {@link PostgresStartError} where the
 * schema is newer, or the server cannot keep it.
 */
export async function migrate(client: Client, layout: Layout): Promise<number> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`,
  );
  const [server] = rows;
  if (server === undefined || server.version < MIN_SERVER_VERSION)
    throw new PostgresStartError('DATABASE_URL: the server must be PostgreSQL 15 or newer');
  if (server.encoding !== 'UTF8')
    throw new PostgresStartError('DATABASE_URL: the encoding of the database must be UTF8');
  let ran = 0;
  let number = await readNumber(client, layout);
  for (; number < migrations.length; number = await readNumber(client, layout)) {
    if (await runNext(client, layout)) ran++;
  }
  if (number > migrations.length) {
    const text = `has version ${number}, and this program knows versions up to ${migrations.length}`;
    throw new PostgresStartError(`DATABASE_SCHEMA: ${layout.channel} ${text}; use a newer program`);
  }
  return ran;
}

/** The number of the last migration that was run; 0 where there is no schema. */
async function readNumber(client: Client, { migrations: table }: Layout): Promise<number> {
  if (!(await exists(client, 'to_regclass', table))) return 0;
  const { rows } = await client.query<{ number: number }>(
    `SELECT coalesce(max(number), 0) AS number FROM ${table}`,
  );
  return rows[0]?.number ?? 0;
}

async function exists(
  client: Client,
  lookUp: 'to_regclass' | 'to_regnamespace',
  name: string,
): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(`SELECT ${lookUp}($1) IS NOT NULL AS exists`, [
    name,
  ]);
  return rows[0]?.exists === true;
}

/** Runs the next migration, unless another program has run it meanwhile. */
async function runNext(client: Client, layout: Layout): Promise<boolean> {
  await client.query('BEGIN');
  try {
    // The lock ends with the transaction: through a pooler the next statement may reach another session.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('orchestration'), hashtext($1))`, [
      layout.schema,
    ]);
    // A user who may not create schemas uses one that is there.
    if (!(await exists(client, 'to_regnamespace', layout.schema)))
      await client.query(`CREATE SCHEMA ${layout.schema}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${layout.migrations} (
        number int PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now()
      )`,
    );
    const number = await readNumber(client, layout);
    const migration = migrations[number];
    if (migration !== undefined) {
      for (const statement of migration.statements(layout)) await client.query(statement);
      const values = [number + 1, migration.name];
      await client.query(`INSERT INTO ${layout.migrations} (number, name) VALUES ($1, $2)`, values);
    }
    await client.query('COMMIT');
    return migration !== undefined;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
