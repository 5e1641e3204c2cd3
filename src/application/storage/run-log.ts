import type { RunEvent, RunSignal } from '../../domain/run/events.ts';
import { hasEnded, type RunSummary } from '../../domain/run/run.ts';
import {
  signal as addSignal,
  append as appendToRow,
  claim as claimRow,
  clearWake,
  newRow,
  type RowClaim,
  type RowContext,
  type RunRow,
  release as releaseRow,
  summaryOfRow,
} from '../../domain/run/run-row.ts';
import type { RunChange } from '../../domain/run/state.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Logger } from '../../ports/logger.ts';
import type {
  AppendOutcome,
  RunFilter,
  RunListener,
  RunLog,
  SignalOutcome,
  StoredRun,
} from '../../ports/storage/run-log.ts';
import {
  indexesOf,
  type LocalChange,
  type LocalStore,
  remove,
  type Selection,
  type Stored,
  write,
} from '../../ports/storage/store.ts';
import { createRunDefinitions } from './run-definitions.ts';
import { createRunOwners, type OwnerTimes, SIGNALS } from './run-owners.ts';
import type { StoredRunQueue } from './run-queue.ts';
import { runsTable } from './run-tables.ts';
import { createRunWaiters } from './run-waiters.ts';
import { type Decision, type StorageParts, update } from './update.ts';

/** The dependencies of {@link createRunLog}. */
export interface RunLogParts extends StorageParts {
  readonly logger: Logger;
  /** The name of this process, which no other one has. */
  readonly self: string;
  /** A digest of a text, by which equal definitions are stored once. */
  readonly digest: (text: string) => string;
  /** The time for which ended runs are kept, in milliseconds: see `RunRow.keptUntil`. */
  readonly retentionMs: number;
  /** When another process counts as gone. */
  readonly times: OwnerTimes;
  /** True where no other process can use the store while this one does: those before it are gone. */
  readonly isAlone?: boolean | undefined;
  /** The queue of new runs that nobody runs yet; another one than that of the store when absent. */
  readonly queue?: Pick<StoredRunQueue, 'addition'> | undefined;
}

/** A run log over a store, with what it does by itself. */
export interface StoredRunLog {
  readonly log: RunLog;
  /** Removes some definitions that no run keeps any more. */
  removeUnused(): Promise<void>;
  /** Looks for nothing any more, tells the other processes that this one is gone, and wakes everybody who waits. */
  close(): Promise<void>;
}

/** A run of this process, as it is stored as far as it knows. */
interface Own extends Pick<Stored<RunRow>, 'version' | 'row'> {
  /** The values of the row in the indexes, where they are known. */
  readonly indexes?: LocalIndexes | undefined;
}

type LocalIndexes = NonNullable<LocalChange['next']>['indexes'];

/** An append whose reply is missing: it may be written. */
interface Unsure {
  readonly mark: string;
  readonly events: readonly string[];
}

/** An append as it was given. */
interface Append {
  readonly runId: string;
  readonly expectedSeq: number;
  readonly events: readonly RunEvent[];
  /** The JSON of each. */
  readonly texts: readonly string[];
  readonly change: RunChange;
  readonly mark: string;
}

/** The most unused definitions that are removed at a time. */
const DEFINITIONS_PER_REMOVAL = 100;

/**
 * Creates the log of runs. Each append is one commit, and written when it resolves: of a run that this process owns the
 * row is known, so that nothing is read before.
 */
export function createRunLog(parts: RunLogParts): StoredRunLog {
  const { store, clock, self, retentionMs } = parts;
  const own = new Map<string, Own>();
  /** The numbers of calls under way that may make a run one of this process. */
  const opening = new Map<string, number>();
  const unsure = new Map<string, readonly Unsure[]>();
  const definitions = createRunDefinitions(store, parts.digest);
  const waiters = createRunWaiters(store, clock);
  let listener: RunListener | undefined;
  let marks = 0;

  const context = (): RowContext => ({ self, now: store.now(), retentionMs });
  const owners = createRunOwners(parts, {
    ids: () => [...own.keys()],
    has: (runId) => own.has(runId) || opening.has(runId),
    refresh,
    context,
  });

  async function find(runId: string): Promise<Stored<RunRow> | undefined> {
    const [found] = await store.read(runsTable, [runId]);
    return found;
  }

  function tellSignals(runId: string, signals: readonly RunSignal[]): void {
    for (const signal of signals) listener?.onSignal(runId, structuredClone(signal));
  }

  /** Keeps what a commit has made of a row. */
  function know(runId: string, version: number | undefined, row: RunRow, indexes?: LocalIndexes): void {
    if (row.owner === self && version !== undefined) own.set(runId, { version, row, indexes });
    else own.delete(runId);
  }

  /** Knows a run no longer as one of this process. */
  function forget(runId: string): void {
    own.delete(runId);
    unsure.delete(runId);
  }

  async function refresh(runIds: readonly string[]): Promise<void> {
    const before = runIds.map((runId) => own.get(runId));
    const found = await store.read(runsTable, runIds);
    for (const [index, runId] of runIds.entries()) {
      // A row that was written meanwhile is as new as the one that was read, or newer.
      if (before[index] === undefined || own.get(runId) !== before[index]) continue;
      const stored = found[index];
      if (stored !== undefined && stored.row.owner === self) {
        own.set(runId, stored);
        tellSignals(runId, stored.row.signals);
      } else {
        own.delete(runId);
        listener?.onLost(runId);
      }
    }
  }

  async function whileOpening<T>(runId: string, work: () => Promise<T>): Promise<T> {
    opening.set(runId, (opening.get(runId) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const others = (opening.get(runId) ?? 1) - 1;
      if (others === 0) opening.delete(runId);
      else opening.set(runId, others);
    }
  }

  async function decideAppend(given: Append, attempt: number): Promise<Decision<AppendOutcome>> {
    const { runId, expectedSeq, texts } = given;
    const known = own.get(runId);
    const earlier = unsure.get(runId) ?? [];
    const before = attempt === 0 && earlier.length === 0 && known !== undefined ? known : await find(runId);
    if (before === undefined) return { changes: [], result: 'appended' };
    // The first of these events may be stored, where the reply alone was lost.
    const stored = earlier.find((one) => isWritten(one, before.row, texts))?.events.length ?? 0;
    const { status } = given.change;
    if (stored > 0 && stored === texts.length && (status === 'WAITING' || hasEnded(status))) {
      forget(runId);
      return { changes: [], result: 'appended' };
    }
    const addition = { ...given, expectedSeq: expectedSeq + stored, events: given.events.slice(stored) };
    const isOwned = known !== undefined || earlier.length > 0;
    const outcome = appendToRow(before.row, { ...addition, isOwned }, context());
    if (outcome.outcome !== 'appended') {
      if (outcome.outcome === 'signalled') tellSignals(runId, outcome.signals);
      if (outcome.outcome === 'conflict' && isOwned && before.row.owner !== self) forget(runId);
      return { changes: [], result: outcome.outcome };
    }
    const { row } = outcome;
    const append = { after: addition.expectedSeq, events: texts.slice(stored) };
    return {
      changes: [write(runsTable, runId, row, { expects: before.version, append })],
      result: 'appended',
      onWritten([version]) {
        unsure.delete(runId);
        know(runId, version, row);
        // Another one has written to it, whose notice may have found this append under way.
        if (before !== known && row.owner === self) tellSignals(runId, row.signals);
        waiters.wake(runId, row.lastSeq, hasEnded(row.state.status));
      },
    };
  }

  /** Appends to a store of this process: of a run that it owns in this turn, so that a layer costs little. */
  async function appendLocally(local: LocalStore, given: Omit<Append, 'texts'>): Promise<AppendOutcome> {
    const { runId, expectedSeq, events } = given;
    for (;;) {
      const known = own.get(runId);
      const before: Own | undefined = known ?? (await find(runId));
      if (before === undefined) return 'appended';
      const isOwned = known !== undefined;
      const outcome = appendToRow(before.row, { ...given, isOwned }, context());
      if (outcome.outcome === 'signalled') tellSignals(runId, outcome.signals);
      if (outcome.outcome !== 'appended') return outcome.outcome;
      const { row } = outcome;
      const next = localRow(row, before);
      const append = { after: expectedSeq, events };
      const versions = local.commit([
        { table: runsTable.name, id: runId, expects: before.version, next, append },
      ]);
      if (versions === undefined) own.delete(runId);
      else {
        know(runId, versions[0], row, next.indexes);
        waiters.wake(runId, row.lastSeq, hasEnded(row.state.status));
        return 'appended';
      }
    }
  }

  async function readRun({ id: runId, row }: Pick<Stored<RunRow>, 'id' | 'row'>): Promise<StoredRun> {
    const [definition, events] = await Promise.all([
      definitions.read(row.definition),
      readEvents(runId, 0, row.lastSeq),
    ]);
    return { runId, workflowId: row.head.workflowId, definition, events };
  }

  async function readEvents(runId: string, after: number, limit: number): Promise<RunEvent[]> {
    if (limit <= 0) return [];
    const events: RunEvent[] = [];
    for (const text of await store.events(runsTable, runId, after, limit)) {
      events.push(JSON.parse(text));
      await yieldIfDue();
    }
    return events;
  }

  async function decideClaim(runId: string): Promise<Decision<RowClaim | undefined>> {
    const before = await find(runId);
    const nothing = { changes: [], result: undefined };
    if (before === undefined) return nothing;
    const { owner } = before.row;
    const isGone = owner !== null && owner !== self && (await owners.isGone(owner));
    const claimed = claimRow(before.row, isGone, context());
    if (claimed === undefined) return nothing;
    return {
      changes: [write(runsTable, runId, claimed.row, { expects: before.version })],
      result: claimed,
      onWritten: ([version]) => know(runId, version, claimed.row),
    };
  }

  async function readSummaries(
    selection: Selection,
    page: { limit: number; offset?: number; cursor?: number | undefined },
  ) {
    const after = page.cursor === undefined ? undefined : { value: page.cursor, id: '' };
    const { limit, offset } = page;
    return store.range(runsTable, { ...selection, descending: true, withBody: true, after, limit, offset });
  }

  const log: RunLog = {
    async create({ summary, definition, events, isUnclaimed = false }) {
      const { runId } = summary;
      const kept = definitions.keep(definition);
      const row = newRow(
        { ...summary, ...copyOf(summary) },
        { lastSeq: events.length, definition: kept.digest, isUnclaimed },
        context(),
      );
      const body = JSON.stringify(summary.input);
      if (store.local !== undefined) {
        const next = { ...localRow(row), body };
        const created = {
          table: runsTable.name,
          id: runId,
          expects: null,
          next,
          append: { after: 0, events },
        };
        const versions = store.local.commit([created, ...kept.changes]);
        if (versions !== undefined) know(runId, versions[0], row, next.indexes);
        return versions !== undefined;
      }
      const append = { after: 0, events: events.map((event) => JSON.stringify(event)) };
      const added = write(runsTable, runId, row, { expects: null, body, append });
      const queued = isUnclaimed ? parts.queue?.addition(runId) : undefined;
      return whileOpening(runId, async () => {
        if (row.owner === self) await owners.assureAlive();
        const changes = [added, ...(queued?.changes ?? []), ...kept.changes];
        const versions = await store.commit(changes, queued?.notices);
        if (versions === undefined) return false;
        kept.onWritten();
        know(runId, versions[0], row);
        queued?.onWritten(versions[1]);
        return true;
      });
    },
    async append(runId, expectedSeq, events, change) {
      if (events.length === 0) return 'appended';
      if (store.local !== undefined) {
        return appendLocally(store.local, { runId, expectedSeq, events, change: copyOf(change), mark: '' });
      }
      const texts = events.map((event) => JSON.stringify(event));
      const mark = `${self} ${++marks}`;
      const given = { runId, expectedSeq, events, texts, change: copyOf(change), mark };
      return whileOpening(runId, async () => {
        try {
          return await update(parts, (attempt) => decideAppend(given, attempt));
        } catch (error) {
          if (own.has(runId)) unsure.set(runId, [...(unsure.get(runId) ?? []), { mark, events: texts }]);
          throw error;
        }
      });
    },
    async claim(runId) {
      if (own.has(runId) || opening.has(runId)) return undefined;
      return whileOpening(runId, async () => {
        await owners.assureAlive();
        const claimed = await update(parts, () => decideClaim(runId));
        if (claimed === undefined) return undefined;
        const { row, crashed } = claimed;
        try {
          return { run: await readRun({ id: runId, row }), crashed, signals: structuredClone(row.signals) };
        } catch (error) {
          // Its caller does not run it: it can be claimed again, or is found as one that nobody knows.
          forget(runId);
          throw error;
        }
      });
    },
    async release(runId) {
      const known = own.get(runId);
      if (known === undefined) return;
      if (store.local !== undefined) {
        // In this turn, so that whoever claims it next gets it.
        const row = releaseRow(known.row, context());
        forget(runId);
        if (row !== undefined) store.local.commit([write(runsTable, runId, row, { expects: known.version })]);
        return;
      }
      try {
        await update(parts, async (attempt) => {
          const before = (attempt === 0 ? own.get(runId) : undefined) ?? (await find(runId));
          const released = before && releaseRow(before.row, context());
          if (before === undefined || released === undefined) return { changes: [], result: undefined };
          return {
            changes: [write(runsTable, runId, released, { expects: before.version })],
            result: undefined,
          };
        });
      } finally {
        forget(runId);
      }
    },
    async get(runId) {
      const stored = await find(runId);
      return stored && readRun(stored);
    },
    async read(runId, after, limit) {
      const stored = await find(runId);
      if (stored === undefined) return undefined;
      const { lastSeq, state } = stored.row;
      const events = await readEvents(runId, after, Math.min(limit, lastSeq - after));
      return { events, lastSeq, ended: hasEnded(state.status) };
    },
    changed: waiters.changed,
    async summary(runId) {
      const [stored] = await store.read(runsTable, [runId], true);
      return stored && toSummary(stored);
    },
    async list(workflowId, filter, { limit, offset }) {
      const selection = selectionOf({ ...filter, workflowId });
      const [rows, total] = await Promise.all([
        readSummaries(selection, { limit, offset }),
        store.count(runsTable, selection),
      ]);
      return { total, limit, offset, items: await toSummaries(rows) };
    },
    async listAll(filter, { limit, cursor }) {
      // One more than the page shows tells whether there is a next one.
      const rows = await readSummaries(selectionOf(filter), { limit: limit + 1, cursor });
      const shown = rows.slice(0, limit);
      const nextCursor = rows.length > limit ? (shown.at(-1)?.position ?? null) : null;
      return { items: await toSummaries(shown), nextCursor };
    },
    async ofCustomer(customerId, limit) {
      const rows = await store.range(runsTable, { where: { customer: customerId }, limit });
      return rows.map(({ id }) => id);
    },
    async delete(runId) {
      const deleted = await update(parts, async () => {
        const stored = await find(runId);
        if (stored === undefined || !hasEnded(stored.row.state.status)) return { changes: [], result: false };
        return { changes: [remove(runsTable, runId, stored.version)], result: true };
      });
      if (deleted) waiters.wake(runId, 0, true);
      return deleted;
    },
    async signal(runId, given) {
      const signal = structuredClone(given);
      let isHeard = false;
      const outcome = await update<SignalOutcome>(parts, async () => {
        const before = await find(runId);
        if (before === undefined) return { changes: [], result: undefined };
        const row = addSignal(before.row, signal);
        if (row === 'ended' || row === 'refused') return { changes: [], result: row };
        isHeard = row.owner === null || row.owner === self;
        return {
          changes: [write(runsTable, runId, row, { expects: before.version })],
          notices: isHeard ? [] : [{ topic: SIGNALS, text: runId }],
          result: 'sent',
          onWritten: ([version]) => own.has(runId) && know(runId, version, row),
        };
      });
      if (outcome === 'sent' && isHeard) tellSignals(runId, [signal]);
      return outcome;
    },
    async due(before, limit) {
      const rows = await store.range(runsTable, {
        where: { phase: 'due' },
        between: { available: { until: before } },
        order: 'available',
        limit,
      });
      return rows.flatMap(({ id, row: { state } }) =>
        state.wakeAt === null ? [] : [{ runId: id, wakeAt: state.wakeAt }],
      );
    },
    async clearWake(runId) {
      await update(parts, async () => {
        const before = await find(runId);
        const row = before && clearWake(before.row);
        if (before === undefined || row === undefined) return { changes: [], result: undefined };
        return { changes: [write(runsTable, runId, row, { expects: before.version })], result: undefined };
      });
    },
    listen(newListener) {
      listener = newListener;
      owners.listen(newListener);
    },
  };

  return {
    log,
    removeUnused: () => definitions.removeUnused(DEFINITIONS_PER_REMOVAL),
    async close() {
      waiters.close();
      await owners.close();
    },
  };
}

/** Copies what changes of a run, which shares no object with its copy. */
function copyOf(change: RunChange): RunChange {
  const { status, error, output, startedAt, completedAt, durationMs } = change;
  const { attempt, recoveries, recoveriesWithoutProgress, gaveUp, waitingFor, wakeAt } = change;
  const copy = {
    status,
    error,
    output: output === null ? null : structuredClone(output),
    startedAt,
    completedAt,
    durationMs,
    attempt,
    recoveries,
    recoveriesWithoutProgress,
    waitingFor: waitingFor.length === 0 ? [] : structuredClone(waitingFor),
    wakeAt,
  };
  return gaveUp === undefined ? copy : { ...copy, gaveUp };
}

/** The form of a row in a store of this process. While a run goes on nothing changes by which it is found. */
function localRow(row: RunRow, before?: Own) {
  const isSame =
    row.owner !== null &&
    row.owner === before?.row.owner &&
    row.state.status === before.row.state.status &&
    row.signals === before.row.signals;
  const indexes = (isSame ? before.indexes : undefined) ?? indexesOf(runsTable, row);
  return { row, indexes, expiresAt: isSame ? null : runsTable.expiresAt(row) };
}

/** True for a row with an append whose reply is missing, and whose events are the first of these. */
function isWritten({ mark, events }: Unsure, row: RunRow, texts: readonly string[]): boolean {
  return row.mark === mark && events.every((text, index) => text === texts[index]);
}

function selectionOf({
  workflowId,
  statuses = [],
  since,
  until,
}: RunFilter & { workflowId?: string | undefined }): Selection {
  const where: Record<string, string | readonly string[]> = {};
  if (workflowId !== undefined) where['workflow'] = workflowId;
  if (statuses.length > 0) where['status'] = statuses;
  const isTimed = since !== undefined || until !== undefined;
  return { where, between: isTimed ? { created: { from: since, until } } : {} };
}

function toSummary({ row, body }: Stored<RunRow>): RunSummary {
  return summaryOfRow(row, JSON.parse(body ?? '{}'));
}

async function toSummaries(rows: readonly Stored<RunRow>[]): Promise<RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const row of rows) {
    summaries.push(toSummary(row));
    await yieldIfDue();
  }
  return summaries;
}
