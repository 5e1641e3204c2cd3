import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LocalChange, LocalStore, Notice, Store, Stored, Table } from '../../ports/storage/store.ts';
import { type Entry, LOCAL_ROW_BYTES, ROW_BYTES } from './entry.ts';
import { createLimits, type Limit, type Limits } from './limits.ts';
import { createEventPacker, textsOfEvents } from './packed-events.ts';
import { createRows, entryOf, type Rows } from './rows.ts';
import { createTextArena, type StoredText } from './text-arena.ts';

/** Options for the rows of a table. */
export interface TableRules {
  /** Each row counts for the first limit that counts it; no limit when absent. */
  readonly limits?: readonly Limit[];
  /**
   * True where most rows are removed in the order in which they come: their texts are kept outside of V8's heap then.
   */
  readonly isQueue?: boolean;
  /**
   * A table whose rows have the ids that rows of this one have in an index: they count with them, and are removed with
   * the last one. Such a row must be written in the commit of the first row that refers to it, at the latest.
   */
  readonly refersTo?: { readonly table: string; readonly index: string };
}

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** The rules by the names of tables. */
  readonly rules?: Readonly<Record<string, TableRules>>;
}

/** A store in memory. */
export interface MemoryStore extends Store {
  readonly local: LocalStore;
  /** About how many bytes the rows take that a limit of a table counts. */
  bytes(table: string, limit: number): number;
}

interface TableState {
  readonly rows: Rows;
  readonly limits: Limits | undefined;
  readonly isQueue: boolean;
  /** The number of rows that expire at some time. */
  expiring: number;
}

/** The size of the blocks of texts. */
const BLOCK_BYTES = 1_024 * 1_024;

/** The most expired rows that a commit removes of a table: more than it adds, but never all at once. */
const EXPIRED_PER_COMMIT = 2;

/** No clock gets so far: rows that expire then never do. */
const NEVER = 8_640_000_000_000_000;

/** Events that are read without a check of the time. */
const EVENTS_PER_CHECK = 64;

/** Creates a store of this process alone. Without rules it has no limits. */
export function createMemoryStore(
  clock: Pick<Clock, 'now'>,
  { rules = {} }: MemoryStoreOptions = {},
): MemoryStore {
  const tables = new Map<string, TableState>();
  const texts = createTextArena(BLOCK_BYTES);
  const packer = createEventPacker();
  const listeners = new Map<string, Set<(text: string | undefined) => void>>();
  let written = 0;

  function tableOf(name: string): TableState {
    const known = tables.get(name);
    if (known !== undefined) return known;
    const { limits, isQueue = false, refersTo } = rules[name] ?? {};
    const reference = refersTo && {
      index: refersTo.index,
      bytesOf: (id: string) => tableOf(refersTo.table).rows.get(id)?.bytes ?? 0,
      remove(id: string) {
        const referred = tableOf(refersTo.table);
        const entry = referred.rows.get(id);
        if (entry !== undefined) removeEntry(referred, entry);
      },
    };
    const table: TableState = {
      rows: createRows(),
      limits: limits && createLimits(limits, (entry) => removeEntry(table, entry), reference),
      isQueue,
      expiring: 0,
    };
    tables.set(name, table);
    return table;
  }

  function removeEntry(table: TableState, entry: Entry): void {
    table.rows.remove(entry);
    table.limits?.release(entry);
    if (entry.expiresAt !== null) table.expiring -= 1;
    if (isText(entry.content)) texts.release(entry.content);
  }

  const isLive = ({ expiresAt }: Entry): boolean => expiresAt === null || expiresAt > clock.now();

  function find(table: TableState, id: string): Entry | undefined {
    const entry = table.rows.get(id);
    return entry !== undefined && isLive(entry) ? entry : undefined;
  }

  function isAsExpected(change: LocalChange, table: TableState): boolean {
    const { id, expects, next, ifAbsent, append } = change;
    const known = find(table, id);
    if (ifAbsent === true && known !== undefined) return true;
    if (next !== null && append !== undefined && append.after !== (known?.events?.count ?? 0)) return false;
    return ifAbsent === true || expects === undefined || (known?.version ?? null) === expects;
  }

  /** Makes room in the tables whose limits refuse rows. Throws where there is none. */
  function makeRoom(changes: readonly LocalChange[]): void {
    for (const { table: name, id, next, ifAbsent } of changes) {
      const table = tableOf(name);
      if (table.limits?.refuses !== true || next === null) continue;
      const before = find(table, id);
      if (ifAbsent === true && before !== undefined) continue;
      const bytes =
        'row' in next ? (next.bytes ?? LOCAL_ROW_BYTES) : ROW_BYTES + Buffer.byteLength(next.json);
      table.limits.makeRoom(
        { indexes: next.indexes, bytes },
        before,
        new Set(changes.map((change) => change.id)),
      );
    }
  }

  /** Returns the row that it has written; undefined where it was removed or left. */
  function apply({ id, next, ifAbsent, append }: LocalChange, table: TableState): Entry | undefined {
    const stored = table.rows.get(id);
    const known = stored !== undefined && isLive(stored) ? stored : undefined;
    if (known !== undefined && ifAbsent === true) return undefined;
    if (stored !== undefined && (known === undefined || next === null)) removeEntry(table, stored);
    if (next === null) return undefined;
    const version = ++written;
    const entry = known ?? entryOf({ id, position: version, version });
    const { body = entry.body, indexes } = next;
    if (body !== entry.body) entry.bodyBytes = body === undefined ? 0 : Buffer.byteLength(body);
    entry.body = body;
    // Whatever cannot be copied throws before the row is written.
    if (append !== undefined && append.events.length > 0)
      entry.events = packer.add(entry.events, append.events, body);
    entry.version = version;
    const expiresAt = next.expiresAt !== null && next.expiresAt < NEVER ? next.expiresAt : null;
    table.expiring += Number(expiresAt !== null) - Number(entry.expiresAt !== null);
    entry.expiresAt = expiresAt;
    if (isText(entry.content)) texts.release(entry.content);
    const rowBytes = setContent(entry, table, next);
    entry.bytes = rowBytes + entry.bodyBytes + (entry.events?.bytes ?? 0);
    if (known === undefined) {
      entry.indexes = indexes;
      table.rows.add(entry);
    } else table.rows.reindex(entry, indexes);
    return entry;
  }

  /** Sets what is stored of a row, and returns about how many bytes it takes. */
  function setContent(entry: Entry, { isQueue }: TableState, next: NonNullable<LocalChange['next']>): number {
    if ('row' in next) {
      entry.content = next;
      return next.bytes ?? LOCAL_ROW_BYTES;
    }
    if (!isQueue) {
      entry.content = next.json;
      return ROW_BYTES + Buffer.byteLength(next.json);
    }
    const text = texts.store(next.json);
    entry.content = text;
    return ROW_BYTES + text.bytes;
  }

  /** Removes some of the rows that have expired, of those that are to be removed first. */
  function removeSomeExpired(table: TableState): void {
    const { limits } = table;
    if (limits === undefined) return;
    for (let removed = 0; removed < EXPIRED_PER_COMMIT; removed++) {
      for (const first of limits.oldest()) if (!isLive(first)) removeEntry(table, first);
    }
  }

  /** Counts what was written. What was removed for another row of the commit stays so. */
  function settle(entry: Entry | undefined, table: TableState): void {
    if (entry !== undefined && table.limits !== undefined && table.rows.get(entry.id) === entry)
      table.limits.count(entry);
    if (table.expiring > 0) removeSomeExpired(table);
  }

  function commitOne(change: LocalChange, changes: readonly LocalChange[]): number[] | undefined {
    const table = tableOf(change.table);
    if (!isAsExpected(change, table)) return undefined;
    if (table.limits?.refuses === true) makeRoom(changes);
    const entry = apply(change, table);
    settle(entry, table);
    return [entry?.version ?? 0];
  }

  function commit(changes: readonly LocalChange[], notices: readonly Notice[] = []): number[] | undefined {
    const [only] = changes;
    // Most commits write one row.
    if (only !== undefined && changes.length === 1 && notices.length === 0) return commitOne(only, changes);
    for (const change of changes) if (!isAsExpected(change, tableOf(change.table))) return undefined;
    makeRoom(changes);
    const entries = changes.map((change) => apply(change, tableOf(change.table)));
    for (const [index, entry] of entries.entries()) settle(entry, tableOf(changes[index]?.table ?? ''));
    for (const { topic, text } of notices) for (const listener of listeners.get(topic) ?? []) listener(text);
    return entries.map((entry) => entry?.version ?? 0);
  }

  const textOf = ({ content }: Entry): string =>
    typeof content === 'string'
      ? content
      : isText(content)
        ? texts.read(content)
        : JSON.stringify(content.row);

  function toStored<R extends object>(_: Table<R>, entry: Entry, withBody = false): Stored<R> {
    const { id, version, position, body } = entry;
    const row: R = JSON.parse(textOf(entry));
    return withBody ? { id, version, position, row, body } : { id, version, position, row };
  }

  /**
   * A row as it is now, whose text is parsed when it is read: of a long list each is gone before the next one is made.
   */
  function toListed<R extends object>(_: Table<R>, entry: Entry, withBody = false): Stored<R> {
    const { id, version, position } = entry;
    const text = textOf(entry);
    return {
      id,
      version,
      position,
      get row(): R {
        return JSON.parse(text);
      },
      body: withBody ? entry.body : undefined,
    };
  }

  function* select(name: string, request: Parameters<Rows['inOrder']>[0]): Generator<Entry> {
    for (const entry of tableOf(name).rows.inOrder(request)) if (isLive(entry)) yield entry;
  }

  /** Sets the number of rows in an index. */
  function moveAll(name: string, entries: readonly Entry[], index: string, to: number): void {
    const table = tableOf(name);
    for (const entry of entries) {
      table.rows.reindex(entry, { ...entry.indexes, [index]: to });
      table.limits?.count(entry);
    }
  }

  return {
    assertAvailable: () => undefined,
    now: () => clock.now(),
    local: {
      commit,
      peek<R extends object>(table: Table<R>, id: string) {
        const entry = find(tableOf(table.name), id);
        if (entry === undefined) return undefined;
        const { content, version } = entry;
        // Only rows of this table are under its name.
        const row = typeof content === 'object' && 'row' in content ? content.row : JSON.parse(textOf(entry));
        return { version, row: row as R };
      },
    },
    bytes: (table, limit) => tableOf(table).limits?.bytes(limit) ?? 0,
    async read(table, ids, withBody) {
      const state = tableOf(table.name);
      return ids.map((id) => {
        const entry = find(state, id);
        return entry && toStored(table, entry, withBody);
      });
    },
    commit: async (changes, notices) => commit(changes, notices),
    async range(table, request) {
      const { offset = 0, limit, withBody } = request;
      const found: Entry[] = [];
      let skipped = 0;
      if (limit <= 0) return [];
      for (const entry of select(table.name, request)) {
        if (skipped++ < offset) continue;
        found.push(entry);
        if (found.length >= limit) break;
      }
      return found.map((entry) => toListed(table, entry, withBody));
    },
    async count(table, selection) {
      const { rows, expiring } = tableOf(table.name);
      const known = expiring === 0 ? rows.sizeOf(selection) : undefined;
      if (known !== undefined) return known;
      let count = 0;
      for (const _ of select(table.name, selection)) count += 1;
      return count;
    },
    async take(table, { index, until, to, limit, ...selection }) {
      const taken: Entry[] = [];
      if (limit <= 0) return [];
      for (const entry of select(table.name, { ...selection, order: index })) {
        if (Number(entry.indexes[index]) > until) break;
        taken.push(entry);
        if (taken.length >= limit) break;
      }
      moveAll(table.name, taken, index, to);
      return taken.map((entry) => toStored(table, entry));
    },
    async move(table, selection, index, to) {
      const moved = [...select(table.name, selection)];
      moveAll(table.name, moved, index, to);
      return moved.length;
    },
    async events(table, id, after, limit) {
      const events = find(tableOf(table.name), id)?.events;
      const found: string[] = [];
      if (events === undefined) return found;
      for (const text of textsOfEvents(events, after, Math.min(events.count, after + limit))) {
        found.push(text);
        if (found.length % EVENTS_PER_CHECK === 0) await yieldIfDue();
      }
      return found;
    },
    watch(topic, listener) {
      const watching = listeners.get(topic) ?? new Set();
      listeners.set(topic, watching.add(listener));
      return () => {
        watching.delete(listener);
        if (watching.size === 0 && listeners.get(topic) === watching) listeners.delete(topic);
      };
    },
    async removeExpired({ name }, limit) {
      const table = tableOf(name);
      if (table.expiring === 0) return 0;
      const expired: Entry[] = [];
      for (const entry of table.rows.all()) {
        if (expired.length >= limit) break;
        if (!isLive(entry)) expired.push(entry);
      }
      for (const entry of expired) removeEntry(table, entry);
      return expired.length;
    },
    onAvailable: () => undefined,
  };
}

function isText(content: Entry['content']): content is StoredText {
  return typeof content === 'object' && 'block' in content;
}
