import type { Clock } from '../../ports/clock.ts';
import type {
  Change,
  EncodedRow,
  Place,
  RangeRequest,
  Selection,
  Store,
  Stored,
  Table,
} from '../../ports/storage/store.ts';

interface Entry extends EncodedRow {
  readonly id: string;
  readonly version: number;
  readonly position: number;
  readonly indexes: Record<string, string | number | null>;
  readonly events: string[];
}

/** The rows of a table, by their ids, in the order of their positions. */
type Rows = Map<string, Entry>;

/**
 * Creates a store of this process alone, without limits. Reading takes time that grows with the number of rows in the
 * table.
 */
export function createMemoryStore(clock: Pick<Clock, 'now'>): Store {
  const tables = new Map<string, Rows>();
  const listeners = new Map<string, Set<(text: string | undefined) => void>>();
  let written = 0;

  function rowsOf(table: string): Rows {
    const rows = tables.get(table) ?? new Map();
    tables.set(table, rows);
    return rows;
  }

  const isLive = ({ expiresAt }: EncodedRow): boolean => expiresAt === null || expiresAt > clock.now();

  function find(table: string, id: string): Entry | undefined {
    const entry = rowsOf(table).get(id);
    return entry !== undefined && isLive(entry) ? entry : undefined;
  }

  function select(table: string, selection: Selection): Entry[] {
    return [...rowsOf(table).values()].filter((entry) => isLive(entry) && fits(entry, selection));
  }

  /** What a range gives, in its order, before its offset and limit. */
  function inOrder(table: string, { order, descending = false, after, ...selection }: RangeRequest): Entry[] {
    const sign = descending ? -1 : 1;
    if (order === undefined) {
      const found = select(table, selection).sort((a, b) => sign * (a.position - b.position));
      return after === undefined ? found : found.filter((entry) => sign * (entry.position - after.value) > 0);
    }
    const placed = select(table, selection).flatMap((entry) => {
      const value = entry.indexes[order];
      return typeof value === 'number' ? [{ entry, value, id: entry.id }] : [];
    });
    return placed
      .sort((a, b) => sign * compare(a, b))
      .filter((place) => after === undefined || sign * compare(place, after) > 0)
      .map(({ entry }) => entry);
  }

  function isAsExpected({ table, id, expects, next, ifAbsent = false, append }: Change): boolean {
    const known = find(table, id);
    if (ifAbsent && known !== undefined) return true;
    if (next !== null && append !== undefined && append.after !== (known?.events.length ?? 0)) return false;
    return ifAbsent || expects === undefined || (known?.version ?? null) === expects;
  }

  function apply({ table, id, next, ifAbsent, append }: Change): number {
    const rows = rowsOf(table);
    const known = find(table, id);
    if (known !== undefined && ifAbsent === true) return 0;
    if (known === undefined || next === null) rows.delete(id);
    if (next === null) return 0;
    const version = ++written;
    const events = [...(known?.events ?? []), ...(append?.events ?? [])];
    const indexes = { ...next.indexes };
    const body = next.body ?? known?.body;
    rows.set(id, { ...next, body, indexes, id, version, position: known?.position ?? version, events });
    return version;
  }

  return {
    assertAvailable: () => undefined,
    now: () => clock.now(),
    async read(table, ids, withBody) {
      return ids.map((id) => {
        const entry = find(table.name, id);
        return entry && toStored(table, entry, withBody);
      });
    },
    async commit(changes, notices = []) {
      if (!changes.every(isAsExpected)) return undefined;
      const versions = changes.map(apply);
      for (const { topic, text } of notices)
        for (const listener of listeners.get(topic) ?? []) listener(text);
      return versions;
    },
    async range(table, request) {
      const { offset = 0, limit } = request;
      const found = inOrder(table.name, request).slice(offset, offset + limit);
      return found.map((entry) => toStored(table, entry, request.withBody));
    },
    count: async (table, selection) => select(table.name, selection).length,
    async take(table, { index, until, to, limit, ...selection }) {
      const isDue = ({ indexes }: Entry): boolean => Number(indexes[index]) <= until;
      const due = inOrder(table.name, { ...selection, order: index, limit }).filter(isDue);
      const taken = due.slice(0, limit);
      for (const { indexes } of taken) indexes[index] = to;
      return taken.map((entry) => toStored(table, entry));
    },
    async move(table, selection, index, to) {
      const moved = select(table.name, selection);
      for (const { indexes } of moved) indexes[index] = to;
      return moved.length;
    },
    events: async (table, id, after, limit) => find(table.name, id)?.events.slice(after, after + limit) ?? [],
    watch(topic, listener) {
      const watching = listeners.get(topic) ?? new Set();
      listeners.set(topic, watching.add(listener));
      return () => {
        watching.delete(listener);
        if (watching.size === 0 && listeners.get(topic) === watching) listeners.delete(topic);
      };
    },
    async removeExpired(table, limit) {
      const rows = rowsOf(table.name);
      const expired = [...rows.values()].filter((entry) => !isLive(entry)).slice(0, limit);
      for (const { id } of expired) rows.delete(id);
      return expired.length;
    },
    onAvailable: () => undefined,
  };
}

function fits({ indexes }: Entry, { where = {}, between = {} }: Selection): boolean {
  for (const [index, wanted] of Object.entries(where)) {
    const value = indexes[index] ?? null;
    const isWanted = value !== null && (Array.isArray(wanted) ? wanted.includes(value) : wanted === value);
    if (!isWanted) return false;
  }
  for (const [index, { from, until }] of Object.entries(between)) {
    const value = indexes[index];
    if (typeof value !== 'number') return false;
    if ((from !== undefined && value < from) || (until !== undefined && value >= until)) return false;
  }
  return true;
}

function compare(a: Place, b: Place): number {
  if (a.value !== b.value) return a.value - b.value;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function toStored<R extends object>(_: Table<R>, entry: Entry, withBody = false): Stored<R> {
  const { id, version, position, json, body } = entry;
  return { id, version, position, row: JSON.parse(json), ...(withBody ? { body } : {}) };
}
