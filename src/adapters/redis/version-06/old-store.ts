import type { Trace } from '../../../domain/message/trace.ts';
import type { RoutingResult } from '../../../domain/routing/routing.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import type { Clock } from '../../../ports/clock.ts';
import { silentLogger } from '../../../ports/logger.ts';
import type { NewRun } from '../../../ports/storage/run-log.ts';
import { createConnection, type RedisClient } from '../connection.ts';
import { StoreError, toStoreError } from '../replies.ts';
import { createOldKeys, type OldKind } from './keys.ts';
import { decodeOldRouting, decodeOldTrace, decodeOldWorkflow } from './records.ts';
import { convertOldRun, decodeOldRun } from './runs.ts';

/** A record of version 0.6 as it was found: `missing` where it has expired, `unreadable` where it is damaged. */
export interface FoundRecord<R> {
  readonly id: string;
  readonly record: R | 'missing' | 'unreadable';
}

/** Some records of a kind. The pages of a kind have all of them, the oldest first. */
export type FoundPage<R> = readonly FoundRecord<R>[];

/** The store of version 0.6. Every member but `close` rejects with `StoreError` where Redis cannot be reached. */
export interface OldStore {
  /** Connects. Resolves to whether Redis can be reached, after at most a second. */
  start(): Promise<boolean>;
  /** True where a process of version 0.6 has given a sign since `since`, in milliseconds since the epoch by Redis. */
  hasProcess(since: number): Promise<boolean>;
  workflows(): AsyncIterable<FoundPage<WorkflowDefinition>>;
  /** Traces, without the members that came after 0.6. */
  traces(): AsyncIterable<FoundPage<Trace>>;
  routes(): AsyncIterable<FoundPage<RoutingResult>>;
  /** Runs with their events. Those that had not ended count as interrupted at `now`. */
  runs(now: number): AsyncIterable<FoundPage<NewRun>>;
  /** True where all records have been carried over. */
  isMarked(): Promise<boolean>;
  /** Notes that all records have been carried over. */
  mark(): Promise<void>;
  /** Removes the keys of 0.6, and then the mark. Resolves to the number of keys of 0.6 that it has removed. */
  delete(): Promise<number>;
  /** Closes the connection at once. */
  close(): void;
}

/** Options of {@link openOldStore}. */
export interface OldStoreOptions {
  /** `redis://` or `rediss://`, credentials included; never logged. */
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  /** Timeout of a command, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Records that are read at a time, and keys that one command lists. A run may be large. */
const PAGE = 50;
const RUN_PAGE = 10;
const SCAN_COUNT = 1_000;

/** The most definitions that are kept while runs are read. */
const MAX_DEFINITIONS = 100;

/** Opens the store of version 0.6 under a prefix. Nothing connects before `start`. */
export function openOldStore({ url, prefix, timeoutMs, clock }: OldStoreOptions): OldStore {
  const keys = createOldKeys(prefix);
  const connection = createConnection({
    url,
    timeoutMs,
    clock,
    logger: silentLogger,
    purpose: 'migration',
    checkEveryMs: 1_000,
    check: async (client) => void (await client.ping()),
  });
  const run = <T>(operation: string, command: (client: RedisClient) => Promise<T>): Promise<T> =>
    connection.run(operation, command).catch((error: unknown) => {
      throw toStoreError(error);
    });

  /** All keys that begin with `beginning`, in pages; a key may come twice. */
  async function* scan(beginning: string): AsyncGenerator<readonly string[]> {
    const options = { MATCH: `${beginning.replaceAll(/[*?[\]\\^]/g, '\\$&')}*`, COUNT: SCAN_COUNT };
    let cursor = '0';
    do {
      const from = cursor;
      const page = await run('SCAN', (client) => client.scan(from, options));
      cursor = page.cursor;
      yield page.keys;
    } while (cursor !== '0');
  }

  /** The members of an index with their scores, in pages, the least first. */
  async function* membersOf(index: string, size: number) {
    for (let first = 0; ; first += size) {
      const range = await run('ZRANGE', (client) => client.zRangeWithScores(index, first, first + size - 1));
      if (range.length > 0) yield range;
      if (range.length < size) return;
    }
  }

  async function readJson(kind: OldKind, id: string): Promise<string | 'missing' | 'unreadable'> {
    try {
      const key = keys.records(kind) + id;
      const json = await run('HGET', (client) => client.hGet(key, 'record'));
      if (json !== null) return json;
      return (await run('EXISTS', (client) => client.exists(key))) === 0 ? 'missing' : 'unreadable';
    } catch (error) {
      return unreadableOr(error);
    }
  }

  async function* recordsOf<R>(
    kind: OldKind,
    decode: (id: string, json: string) => R | undefined,
  ): AsyncGenerator<FoundPage<R>> {
    for await (const members of membersOf(keys.index(kind), PAGE)) {
      yield await Promise.all(
        members.map(async ({ value: id }): Promise<FoundRecord<R>> => {
          const json = await readJson(kind, id);
          if (json === 'missing' || json === 'unreadable') return { id, record: json };
          return { id, record: decode(id, json) ?? 'unreadable' };
        }),
      );
    }
  }

  /** The ids of all runs, the oldest first: each workflow has an index of its own. */
  async function runIds(): Promise<readonly string[]> {
    const scores = new Map<string, number>();
    for await (const page of scan(keys.runIndexes)) {
      for (const index of page) {
        for await (const members of membersOf(index, SCAN_COUNT)) {
          for (const { value, score } of members) scores.set(value, score);
        }
      }
    }
    return [...scores].sort(([, one], [, other]) => one - other).map(([id]) => id);
  }

  const definitions = new Map<string, WorkflowDefinition | undefined>();

  async function definitionOf(workflowId: string): Promise<WorkflowDefinition | undefined> {
    if (definitions.has(workflowId)) return definitions.get(workflowId);
    const definition = decodeOldWorkflow(workflowId, await readJson('workflows', workflowId));
    if (definitions.size >= MAX_DEFINITIONS) definitions.clear();
    definitions.set(workflowId, definition);
    return definition;
  }

  async function readRun(id: string, now: number): Promise<FoundRecord<NewRun>> {
    let fields: ReadonlyMap<string, string>;
    try {
      fields = new Map(Object.entries(await run('HGETALL', (client) => client.hGetAll(keys.runs + id))));
    } catch (error) {
      return { id, record: unreadableOr(error) };
    }
    if (fields.size === 0) return { id, record: 'missing' };
    const old = decodeOldRun(id, fields);
    if (old === undefined) return { id, record: 'unreadable' };
    const definition = await definitionOf(old.workflowId);
    try {
      return { id, record: convertOldRun(old, definition, now) };
    } catch {
      return { id, record: 'unreadable' };
    }
  }

  return {
    async start() {
      await connection.start();
      return connection.state === 'available';
    },
    async hasProcess(since) {
      const found = await run('ZCOUNT', (client) => client.zCount(keys.processes, since, '+inf'));
      return found > 0;
    },
    workflows: () => recordsOf('workflows', decodeOldWorkflow),
    traces: () => recordsOf('traces', decodeOldTrace),
    routes: () => recordsOf('routes', decodeOldRouting),
    async *runs(now) {
      const ids = await runIds();
      for (let first = 0; first < ids.length; first += RUN_PAGE) {
        yield await Promise.all(ids.slice(first, first + RUN_PAGE).map((id) => readRun(id, now)));
      }
    },
    isMarked: async () => (await run('EXISTS', (client) => client.exists(keys.marker))) === 1,
    async mark() {
      await run('SET', (client) => client.set(keys.marker, '1'));
    },
    async delete() {
      let deleted = 0;
      const remove = async (names: readonly string[]): Promise<void> => {
        if (names.length > 0) deleted += await run('UNLINK', (client) => client.unlink([...names]));
      };
      for (const beginning of keys.beginnings) for await (const page of scan(beginning)) await remove(page);
      await remove([keys.processes]);
      await run('DEL', (client) => client.del(keys.marker));
      return deleted;
    },
    close: () => connection.close(),
  };
}

/** Something else is stored under the key of a record. Throws any other error again. */
function unreadableOr(error: unknown): 'unreadable' {
  if (error instanceof StoreError && error.reason === 'WRONGTYPE') return 'unreadable';
  throw error;
}
