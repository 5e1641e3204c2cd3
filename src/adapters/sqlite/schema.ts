import type { DatabaseSync } from 'node:sqlite';
import { numberOf } from './rows.ts';

/** Marks the file as one of this service: `PRAGMA application_id`. */
export const APPLICATION_ID = 0x4f726368;

/** The collections of records. Each has a table of what listings compare, and one of JSON. */
const collections = ['traces', 'workflows', 'routes'] as const;

/**
 * `position` is the time of the first write in microseconds, made unique: it orders listings, and records expire by it.
 * Texts that filters compare are JSON strings, so that every string is well formed; a customer is a digest. `padding`
 * keeps the texts after it out of the page of the row, where they could not be erased; it is empty where nobody does.
 */
const recordTables = (name: string): string => `
CREATE TABLE ${name} (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER,
  status TEXT,
  intent TEXT,
  escalated INTEGER,
  customer TEXT
);
CREATE INDEX ${name}_by_customer ON ${name} (customer) WHERE customer IS NOT NULL;
CREATE TABLE ${name}_json (
  position INTEGER PRIMARY KEY,
  padding BLOB NOT NULL,
  record TEXT NOT NULL,
  summary TEXT
);
INSERT INTO totals VALUES ('${name}', 0);
CREATE TRIGGER ${name}_added AFTER INSERT ON ${name} BEGIN
  UPDATE totals SET records = records + 1 WHERE name = '${name}';
END;
CREATE TRIGGER ${name}_removed AFTER DELETE ON ${name} BEGIN
  UPDATE totals SET records = records - 1 WHERE name = '${name}';
END;
`;

/**
 * `owner` is the number of the process that runs the run, or ran it when it ended; null while nobody does. A row of
 * `events` has an array of successive events, up to the number `last_seq`, of the run at position `run`. Rows are in
 * the order of their writing, so that one commit writes few pages. `removed_runs` are those whose events are still to
 * be deleted.
 */
const runTables = `
CREATE TABLE runs (
  position INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  workflow_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  ended INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  owner INTEGER,
  definition INTEGER NOT NULL,
  signal TEXT,
  state TEXT
);
CREATE INDEX runs_by_workflow ON runs (workflow_id);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_definition ON runs (definition);
CREATE INDEX runs_active ON runs (position) WHERE ended = 0;
CREATE TABLE runs_json (position INTEGER PRIMARY KEY, summary TEXT NOT NULL);
CREATE TABLE events (run INTEGER NOT NULL, last_seq INTEGER NOT NULL, json TEXT NOT NULL);
CREATE UNIQUE INDEX events_by_run ON events (run, last_seq);
CREATE TABLE definitions (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE removed_runs (position INTEGER PRIMARY KEY);
`;

/**
 * `wake_at` is that of the summary. `kept_from` is the end of a run that took long, from which its retention counts, as
 * a position. Both come after `state` in a row, so they are read last. `output` is that of the run, as JSON.
 */
const waitColumns = `
ALTER TABLE runs ADD COLUMN wake_at INTEGER;
ALTER TABLE runs ADD COLUMN kept_from INTEGER;
ALTER TABLE runs_json ADD COLUMN output TEXT;
CREATE INDEX runs_due ON runs (wake_at) WHERE wake_at IS NOT NULL;
`;

const idempotencyTable = `
CREATE TABLE idempotency (
  key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  owner TEXT NOT NULL,
  reference TEXT NOT NULL,
  answer TEXT,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
`;

/**
 * What people work on. `place` and `next_at` are `rankOf` and `nextChangeAt` of an item; ids of items are texts as in
 * JSON, and those that callers choose are digests. A row of `entries` has an array of successive entries about one
 * message.
 */
const peopleTables = `
CREATE TABLE items (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  priority INTEGER NOT NULL,
  overdue INTEGER NOT NULL,
  place INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  ended_at INTEGER,
  next_at INTEGER,
  version INTEGER NOT NULL,
  assignee TEXT,
  customer TEXT,
  conversation TEXT
);
CREATE INDEX items_by_place ON items (place, id);
CREATE INDEX items_by_customer ON items (customer, place, id) WHERE customer IS NOT NULL;
CREATE INDEX items_waiting ON items (kind, status, place, id, overdue, opened_at) WHERE ended_at IS NULL;
CREATE INDEX items_due ON items (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE items_json (position INTEGER PRIMARY KEY, padding BLOB NOT NULL, item TEXT NOT NULL);
CREATE TABLE conversations (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  customer TEXT NOT NULL,
  open_item TEXT,
  entries INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE INDEX conversations_by_customer ON conversations (customer);
CREATE INDEX conversations_by_update ON conversations (updated_at);
CREATE TABLE conversations_json (
  position INTEGER PRIMARY KEY,
  padding BLOB NOT NULL,
  conversation TEXT NOT NULL
);
CREATE TABLE entries (
  position INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL,
  trace TEXT NOT NULL,
  size INTEGER NOT NULL,
  padding BLOB NOT NULL,
  json TEXT NOT NULL
);
CREATE INDEX entries_by_conversation ON entries (conversation);
CREATE TABLE examples (
  position INTEGER PRIMARY KEY,
  dataset TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  customer TEXT NOT NULL,
  UNIQUE (dataset, id)
);
CREATE INDEX examples_by_status ON examples (dataset, status);
CREATE INDEX examples_by_customer ON examples (customer);
CREATE TABLE examples_json (position INTEGER PRIMARY KEY, padding BLOB NOT NULL, example TEXT NOT NULL);
`;

/**
 * The versions of a workflow before its newest one, by its position: they begin with 1 unless the oldest were removed,
 * have no gaps, and are deleted with it.
 */
const versionsTable = `
CREATE TABLE workflow_versions (
  workflow INTEGER NOT NULL,
  version INTEGER NOT NULL,
  record TEXT NOT NULL
);
CREATE UNIQUE INDEX workflow_versions_by_workflow ON workflow_versions (workflow, version);
CREATE TRIGGER workflow_versions_removed AFTER DELETE ON workflows BEGIN
  DELETE FROM workflow_versions WHERE workflow = OLD.position;
END;
`;

/**
 * `revision` is what an update expects, and `wake_at` is `wakeAtOf` of the schedule. Ids are texts as in JSON.
 */
const scheduleTable = `
CREATE TABLE schedules (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  wake_at INTEGER,
  schedule TEXT NOT NULL
);
CREATE INDEX schedules_by_wake ON schedules (wake_at) WHERE wake_at IS NOT NULL;
`;

/** The key of a workflow; null for none. It goes with its row. */
const workflowKeys = `
ALTER TABLE workflows ADD COLUMN key TEXT;
CREATE UNIQUE INDEX workflows_by_key ON workflows (key) WHERE key IS NOT NULL;
`;

/** `customer` is the digest of the customer of a run; null for none. */
const customerOfRun = `
ALTER TABLE runs ADD COLUMN customer TEXT;
CREATE INDEX runs_by_customer ON runs (customer) WHERE customer IS NOT NULL;
`;

/** What makes each version of the schema of the one before, from version 1 on. A published migration never changes. */
export const migrations: readonly string[] = [
  `
CREATE TABLE totals (name TEXT PRIMARY KEY, records INTEGER NOT NULL) WITHOUT ROWID;
${collections.map(recordTables).join('')}
${runTables}
${idempotencyTable}
${peopleTables}
CREATE TABLE write_test (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`,
  waitColumns,
  versionsTable,
  scheduleTable,
  workflowKeys,
  customerOfRun,
];

/** The version of the schema in the file; 0 for a new file. */
export function schemaVersion(database: DatabaseSync): number {
  return numberOf(database.prepare('PRAGMA user_version').get(), 'user_version');
}

/** Brings the schema to the last version. Each step is one transaction: one that fails leaves the version before it. */
export function migrate(database: DatabaseSync, steps: readonly string[] = migrations): void {
  for (let version = schemaVersion(database); version < steps.length; version++) {
    database.exec('BEGIN IMMEDIATE');
    try {
      database.exec(steps[version] ?? '');
      database.exec(
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version + 1}; COMMIT`,
      );
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}
