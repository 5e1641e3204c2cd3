import { parseArgs } from 'node:util';
import { createRedisStore } from '../adapters/redis/store.ts';
import { type FoundPage, type OldStore, openOldStore } from '../adapters/redis/version-06/old-store.ts';
import { getRetention, type Settings } from '../adapters/settings/settings.ts';
import { createProcessId, digestOf } from '../adapters/shared/process-id.ts';
import { systemClock } from '../adapters/shared/system.ts';
import { createRecords, type RecordCollection, recordTable } from '../application/storage/records.ts';
import { createStorage, storageTables } from '../application/storage/storage.ts';
import { routingRecords, traceRecords } from '../domain/collections.ts';
import { isOrchestrationError } from '../domain/errors.ts';
import { silentLogger } from '../ports/logger.ts';
import type { Store } from '../ports/storage/store.ts';
import { loadSettings } from './settings.ts';

/** The usage of the command. */
const usage = `usage: orchestration-service migrate [--delete]

Carries workflows, traces, routed goals and runs that version 0.6 has stored in Redis over to this version, under the
same prefix. Settings are those of the service: KVSTORE_URL, KVSTORE_PREFIX, TRACE_RETENTION_DAYS, RUN_RETENTION_DAYS.
End all processes of 0.6 before.

  --delete  remove the keys of 0.6, if every record could be read
`;

/** Milliseconds for a command: nobody else waits for it, and records can be large. */
const TIMEOUT_MS = 10_000;

/** A process of 0.6 gives a sign each few seconds. After this long without one, in milliseconds, it is gone. */
const GONE_AFTER_MS = 20_000;

/** Ids of unreadable records that are shown. */
const SHOWN = 5;

/** The outcome for the records of a kind. */
interface Counts {
  carried: number;
  /** Those that are stored already, or were when all had been carried over. */
  skipped: number;
  /** Those whose retention has ended. */
  expired: number;
  unreadable: number;
  /** The ids of the first unreadable ones. */
  readonly ids: string[];
}

/** The outcome for the readable records of a page, in their order. */
type Carry<R> = (records: readonly R[]) => Promise<readonly ('carried' | 'skipped' | 'expired')[]>;

/**
 * The command `migrate`. Resolves to the exit code: 0 when every record was carried over, 1 when one could not be, or
 * Redis could not be used, 2 for a wrong usage.
 */
export async function runMigrate(args: readonly string[]): Promise<number> {
  let values: { readonly delete: boolean; readonly help: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: {
        delete: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    return fail(2, error instanceof Error ? error.message : String(error), usage.split('\n')[0] ?? '');
  }
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const { settings, issues } = loadSettings();
  if (issues !== undefined) return fail(1, ...issues);
  const { KVSTORE_URL: url, KVSTORE_PREFIX: prefix } = settings;
  if (url === undefined) return fail(1, 'KVSTORE_URL: must be set to the Redis that has the records of 0.6');
  const old = openOldStore({ url, prefix, timeoutMs: TIMEOUT_MS, clock: systemClock });
  try {
    if (!(await old.start())) return fail(1, 'KVSTORE_URL: the store cannot be reached');
    return await migrate(old, { settings, url, deletes: values.delete });
  } catch (error) {
    if (!isLoss(error)) throw error;
    return fail(1, 'the store cannot be used now; what was carried over stays: run the command again');
  } finally {
    old.close();
  }
}

/** True where a command failed, in either way in which the two stores tell it. */
function isLoss(error: unknown): boolean {
  return (
    isOrchestrationError(error, 'unavailable') || (error instanceof Error && error.name === 'StoreError')
  );
}

function fail(code: number, ...lines: readonly string[]): number {
  process.stderr.write(`${lines.join('\n')}\n`);
  return code;
}

/** The parts that a migration needs. */
interface Given {
  readonly settings: Settings;
  readonly url: string;
  readonly deletes: boolean;
}

async function migrate(old: OldStore, { settings, url, deletes }: Given): Promise<number> {
  const redis = createRedisStore({
    url,
    prefix: settings.KVSTORE_PREFIX,
    timeoutMs: TIMEOUT_MS,
    tables: storageTables,
    clock: systemClock,
    logger: silentLogger,
    allowsOldRecords: true,
  });
  const { store } = redis;
  try {
    await redis.start();
    store.assertAvailable();
    if (await old.hasProcess(store.now() - GONE_AFTER_MS)) {
      const after = `end it, and try again after ${GONE_AFTER_MS / 1_000} seconds`;
      return fail(1, `KVSTORE_PREFIX: a process of version 0.6 uses these records; ${after}`);
    }
    const counts = await carryAll(old, store, settings);
    for (const [kind, of] of counts) process.stdout.write(`${lineOf(kind, of)}\n`);
    const unreadable = counts.reduce((sum, [, of]) => sum + of.unreadable, 0);
    await old.mark();
    if (unreadable > 0) {
      const rest = deletes ? '; nothing was deleted' : '';
      return fail(1, `${unreadable} unreadable records of 0.6 were not carried over${rest}`);
    }
    if (deletes) process.stdout.write(`deleted: ${await old.delete()} keys of 0.6\n`);
    return 0;
  } finally {
    await redis.close();
  }
}

function lineOf(kind: string, { carried, skipped, expired, unreadable, ids }: Counts): string {
  const more = unreadable > ids.length ? ', …' : '';
  const shown = ids.length === 0 ? '' : ` (${ids.map((id) => JSON.stringify(id)).join(', ')}${more})`;
  const counts = `${carried} carried, ${skipped} skipped, ${expired} expired`;
  return `${kind}: ${counts}, ${unreadable} unreadable${shown}`;
}

/**
 * Carries all records over, each kind in its order. Once that was done, it only reads: a record that has been deleted
 * since must not come back.
 */
async function carryAll(
  old: OldStore,
  store: Store,
  settings: Settings,
): Promise<readonly (readonly [string, Counts])[]> {
  const parts = { store, clock: systemClock, random: Math.random };
  const retention = getRetention(settings);
  const { ports, close } = createStorage(parts, {
    processId: createProcessId(),
    logger: silentLogger,
    digest: digestOf,
    ...retention,
  });
  const isDone = await old.isMarked();

  /** Finished records have no buffer here: one that waits would count as carried. */
  function carryRecords<R extends object, S>(collection: RecordCollection<R, S>): Carry<R> {
    const table = recordTable(collection);
    const records = createRecords(parts, collection, table);
    return async (page) => {
      const found = await store.read(table, page.map(collection.idOf));
      const outcomes = page.map((record, index) => {
        if (found[index] !== undefined) return 'skipped';
        return (table.expiresAt(record) ?? Number.POSITIVE_INFINITY) <= store.now() ? 'expired' : 'carried';
      });
      const changes = page.flatMap((record, index) =>
        outcomes[index] === 'carried' ? [{ ...records.change(record), ifAbsent: true }] : [],
      );
      await store.commit(changes);
      return outcomes;
    };
  }

  const oneByOne =
    <R>(put: (record: R) => Promise<boolean>): Carry<R> =>
    async (page) => {
      const outcomes: ('carried' | 'skipped')[] = [];
      for (const record of page) outcomes.push((await put(record)) ? 'carried' : 'skipped');
      return outcomes;
    };

  async function count<R>(pages: AsyncIterable<FoundPage<R>>, carry: Carry<R>): Promise<Counts> {
    const counts: Counts = { carried: 0, skipped: 0, expired: 0, unreadable: 0, ids: [] };
    for await (const page of pages) {
      const readable: R[] = [];
      for (const { id, record } of page) {
        if (record === 'missing') counts.expired++;
        else if (record === 'unreadable') {
          counts.unreadable++;
          if (counts.ids.length < SHOWN) counts.ids.push(id);
        } else readable.push(record);
      }
      if (isDone) counts.skipped += readable.length;
      else for (const outcome of await carry(readable)) counts[outcome]++;
    }
    return counts;
  }

  const { workflows, runs } = ports;
  const { traceRetentionMs, runRetentionMs } = retention;
  try {
    return [
      [
        'workflows',
        await count(
          old.workflows(),
          oneByOne(async (workflow) => {
            if (await workflows.has(workflow.id)) return false;
            await workflows.put(workflow);
            return true;
          }),
        ),
      ],
      ['traces', await count(old.traces(), carryRecords({ ...traceRecords, retentionMs: traceRetentionMs }))],
      ['routes', await count(old.routes(), carryRecords({ ...routingRecords, retentionMs: runRetentionMs }))],
      ['runs', await count(old.runs(store.now()), oneByOne(runs.create))],
    ];
  } finally {
    await close();
  }
}
