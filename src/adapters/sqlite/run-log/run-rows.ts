import { randomInt } from 'node:crypto';
import type { RunSignal } from '../../../domain/run/events.ts';
import type { AppendOutcome } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../connection.ts';
import { createHideJson, digestOf } from '../private-values.ts';
import { numberOf, type Row, textOf } from '../rows.ts';
import {
  addSignal,
  decodeSignals,
  decodeWaitingFor,
  type EncodedAppend,
  type EncodedEvents,
  type EncodedRun,
  remainingSignals,
} from './encoding.ts';

/** The outcome of an append, with the signals that wait where it was refused for them. */
export interface AppendReply {
  readonly outcome: AppendOutcome;
  readonly signals?: readonly RunSignal[] | undefined;
}

/** The writes of run logs. Each must be called within a transaction. */
export interface RunRows {
  /**
   * The row of a run that has not expired: position, status, last_seq, ended, owner, definition, signal, workflow_id,
   * customer.
   */
  find(runId: string): Row | undefined;
  /** Writes a new run; false where there is one with that id. */
  create(run: EncodedRun): boolean;
  /** `isClaimed`: this process has claimed the run, and its row does not have it yet. */
  append(runId: string, append: EncodedAppend, isClaimed: boolean): AppendReply;
  /** Whether the row of a run that has not ended names this process as its owner. */
  isOwn(row: Row): boolean;
  /** Sets `wake_at`. */
  setWake(row: Row, wakeAt: number | null): void;
  /** Takes the owner out of a row. */
  release(row: Row): void;
  /** The ids of at most `limit` runs of a customer. */
  ofCustomer(customerId: string, limit: number): readonly string[];
  /** Adds a signal that waits; false where it is refused. */
  addSignal(row: Row, signal: RunSignal): boolean;
  /**
   * Removes a run from everything that is read. The events of a long log are removed by {@link removeEventsOf}, or
   * later.
   */
  remove(row: Row): void;
  /** Removes at most `limit` rows of events of the removed run at a position. Returns whether some may remain. */
  removeEventsOf(position: number, limit: number): boolean;
  /** Removes at most `limit` expired runs that have ended. */
  removeExpired(limit: number): number;
  /** Removes at most `limit` rows of events of removed runs. Returns how many may remain: 0 for none. */
  removeEvents(limit: number): number;
}

/** The events of a removed run are removed with it up to this number. */
const SHORT_LOG = 100;

/** The largest number of a process, exclusive. */
const MAX_OWNER = 2 ** 47;

/**
 * Creates {@link RunRows}. Ended runs expire `retentionMs` milliseconds after their creation; after their end where
 * they took more than half of that.
 */
export function createRunRows(connection: Connection, retentionMs: number): RunRows {
  const { prepare } = connection;
  const self = randomInt(MAX_OWNER);
  const hideJson = createHideJson(connection);
  const columns =
    'position, status, last_seq, ended, owner, definition, signal, workflow_id, wake_at, kept_from, customer';
  const getRun = prepare(`SELECT ${columns} FROM runs WHERE run_id = ?`);
  const addRun = prepare('INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, NULL, ?)');
  const addSummary = prepare('INSERT INTO runs_json VALUES (?, ?, ?)');
  const getDefinition = prepare('SELECT id FROM definitions WHERE digest = ?');
  const addDefinition = prepare('INSERT INTO definitions (digest, json) VALUES (?, ?) RETURNING id');
  const removeDefinition = prepare(
    'DELETE FROM definitions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM runs WHERE definition = ?1)',
  );
  const addEvents = prepare('INSERT INTO events VALUES (?, ?, ?)');
  const changeStatus = prepare('UPDATE runs SET status = ?, ended = ? WHERE position = ?');
  // Names no column of an index: SQLite writes an index again for each that is named, changed or not.
  const change = prepare('UPDATE runs SET last_seq = ?, owner = ?, state = ?, signal = ? WHERE position = ?');
  const changeWake = prepare('UPDATE runs SET wake_at = ? WHERE position = ?');
  const changeOutput = prepare('UPDATE runs_json SET output = ? WHERE position = ?');
  const keepFrom = prepare('UPDATE runs SET kept_from = ? WHERE position = ?');
  const clearOwner = prepare('UPDATE runs SET owner = NULL WHERE position = ?');
  const getState = prepare('SELECT state FROM runs WHERE position = ?');
  const changeSignal = prepare('UPDATE runs SET signal = ? WHERE position = ?');
  const removeRun = prepare('DELETE FROM runs WHERE position = ?');
  const removeSummary = prepare('DELETE FROM runs_json WHERE position = ?');
  const getExpired = prepare(
    `SELECT ${columns} FROM runs WHERE position <= ?1 AND ended = 1 AND coalesce(kept_from, 0) <= ?1 LIMIT ?2`,
  );
  const ofCustomer = prepare(
    'SELECT run_id FROM runs WHERE customer = ? AND (position > ? OR ended = 0 OR kept_from > ?) LIMIT ?',
  );
  const addRemoved = prepare('INSERT INTO removed_runs VALUES (?)');
  const getRemoved = prepare('SELECT position FROM removed_runs LIMIT 1');
  const forgetRemoved = prepare('DELETE FROM removed_runs WHERE position = ?');
  const removeSome = prepare(
    'DELETE FROM events WHERE rowid IN (SELECT rowid FROM events WHERE run = ? ORDER BY last_seq LIMIT ?)',
  );

  /** The JSON of a run as it is stored: that of a customer's run can be erased. */
  function storedJson(json: string, customer: unknown): string;
  function storedJson(json: string | null, customer: unknown): string | null;
  function storedJson(json: string | null, customer: unknown): string | null {
    return json === null || customer === null ? json : hideJson(json);
  }

  function writeEvents(position: number, events: readonly EncodedEvents[], customer: unknown): void {
    for (const { lastSeq, json } of events) addEvents.run(position, lastSeq, storedJson(json, customer));
  }

  function removeEventsOf(position: number, limit: number): boolean {
    const isRest = Number(removeSome.run(position, limit).changes) === limit;
    if (!isRest) forgetRemoved.run(position);
    return isRest;
  }

  function definitionId({ digest, json }: EncodedRun['definition']): number {
    return numberOf(getDefinition.get(digest) ?? addDefinition.get(digest, json), 'id');
  }

  function find(runId: string): Row | undefined {
    const row = getRun.get(runId);
    return row === undefined || isExpired(row) ? undefined : row;
  }

  const isExpired = (row: Row): boolean =>
    row['ended'] === 1 &&
    numberOf(row, row['kept_from'] === null ? 'position' : 'kept_from') <=
      connection.expiredUpTo(retentionMs);

  function setWake(row: Row, wakeAt: number | null): void {
    if (row['wake_at'] !== wakeAt) changeWake.run(wakeAt, numberOf(row, 'position'));
  }

  function remove(row: Row): void {
    const position = numberOf(row, 'position');
    removeRun.run(position);
    removeSummary.run(position);
    removeDefinition.run(numberOf(row, 'definition'));
    if (numberOf(row, 'last_seq') > SHORT_LOG) addRemoved.run(position);
    else removeSome.run(position, SHORT_LOG);
  }

  return {
    find,
    create(run) {
      const known = getRun.get(run.runId);
      if (known !== undefined && !isExpired(known)) return false;
      if (known !== undefined) remove(known);
      const { runId, workflowId, createdAt, status, ended, lastSeq } = run;
      const position = connection.nextPosition();
      const definition = definitionId(run.definition);
      const owner = ended || run.isUnclaimed ? null : self;
      const values = [status, Number(ended), lastSeq, owner, definition, run.wakeAt, run.customer];
      addRun.run(position, runId, workflowId, createdAt, ...values);
      addSummary.run(position, storedJson(run.summaryJson, run.customer), run.outputJson);
      writeEvents(position, run.events, run.customer);
      return true;
    },
    append(runId, append, isClaimed) {
      const { expectedSeq, lastSeq, events, status, stateJson, outputJson, ended } = append;
      const row = find(runId);
      if (row === undefined) return { outcome: 'appended' };
      // Only who has claimed it goes on with a run that waits.
      const isParked = row['status'] === 'WAITING' && !isClaimed;
      if (numberOf(row, 'last_seq') !== expectedSeq || isParked) return { outcome: 'conflict' };
      const waits = status === 'WAITING';
      const signals = row['signal'] === null ? [] : remainingSignals(decodeSignals(row), append);
      if (signals.some(({ type }) => waits || (ended && type === 'cancel'))) {
        return { outcome: 'signalled', signals };
      }
      const position = numberOf(row, 'position');
      const { customer } = row;
      writeEvents(position, events, customer);
      const isOwn = isClaimed || row['ended'] === 1;
      const owner = waits ? null : isOwn ? self : (row['owner'] ?? null);
      const signal = signals.length === 0 ? null : storedJson(JSON.stringify(signals), customer);
      if (row['status'] !== status) changeStatus.run(status, Number(ended), position);
      change.run(lastSeq, owner, storedJson(stateJson, customer), signal, position);
      setWake(row, append.wakeAt);
      if (outputJson !== null || row['ended'] === 1) changeOutput.run(outputJson, position);
      if (ended && position <= connection.expiredUpTo(retentionMs / 2)) {
        keepFrom.run(connection.expiredUpTo(0), position);
      }
      return { outcome: 'appended' };
    },
    setWake,
    isOwn: (row) => row['owner'] === self,
    release: (row) => void clearOwner.run(numberOf(row, 'position')),
    addSignal(row, signal) {
      const position = numberOf(row, 'position');
      const waitingFor = signal.type === 'cancel' ? [] : decodeWaitingFor(getState.get(position));
      const signals = addSignal(decodeSignals(row), signal, waitingFor);
      if (signals !== undefined) {
        changeSignal.run(storedJson(JSON.stringify(signals), row['customer']), position);
      }
      return signals !== undefined;
    },
    ofCustomer(customerId, limit) {
      const expired = connection.expiredUpTo(retentionMs);
      const rows = ofCustomer.all(digestOf(customerId), expired, expired, limit);
      return rows.map((row) => textOf(row, 'run_id'));
    },
    remove,
    removeEventsOf,
    removeExpired(limit) {
      const rows = getExpired.all(connection.expiredUpTo(retentionMs), limit);
      for (const row of rows) remove(row);
      return rows.length;
    },
    removeEvents(limit) {
      const row = getRemoved.get();
      if (row === undefined) return 0;
      const position = numberOf(row, 'position');
      removeEventsOf(position, limit);
      return limit;
    },
  };
}
