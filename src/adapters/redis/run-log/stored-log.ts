import { workflowRecords } from '../../../domain/collections.ts';
import type { Wait } from '../../../domain/run/run.ts';
import type { NewRun } from '../../../ports/storage/run-log.ts';
import type { Connection } from '../client/connection.ts';
import { ignoreWrongType, StoreError } from '../client/errors.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import type { Keys } from '../keys.ts';
import { digestOf } from '../people/stored-ids.ts';
import type { ClaimReply, SignalReply } from './claim-scripts.ts';
import { type EncodedAppend, encodeDefinition, encodeEvent, encodeState, encodeSummary } from './encoding.ts';
import type { StoredLog } from './read-scripts.ts';
import { decodeOldRun, oldRunDefinition, oldRunEvents } from './version-06.ts';
import type { AppendReply } from './write-scripts.ts';

/** Logs in the store, one round trip for each member in general. Every member rejects with `StoreError`. */
export interface StoredLogs {
  /**
   * Writes a new run, as one that is active in this replica or is unclaimed; false where it is stored already. Its
   * definition is sent only when the store lacks it.
   */
  create(run: NewRun, isUnclaimed: boolean): Promise<boolean>;
  /**
   * Writes an append. `token` is the same for repeated writes of the same events, which others may follow; it may be
   * that of an earlier append whose reply has arrived. The change is not sent where it is stored.
   */
  append(runId: string, append: EncodedAppend, token: string, isChangeStored?: boolean): Promise<AppendReply>;
  /** Events from index `first` to index `last`, -1 for the end; with the definition where it is requested. */
  read(runId: string, first: number, last: number, withDefinition: boolean): Promise<StoredLog | undefined>;
  /** The fields `summary` and `state` of a run. */
  summary(runId: string): Promise<readonly [summary: string, state: string] | undefined>;
  /** Stores a signal, as JSON; `itemId` is the item of a decision, and undefined for a request to cancel. */
  signal(runId: string, signal: string, itemId: string | undefined): Promise<SignalReply>;
  /** Makes a run that nobody runs active in this replica; undefined where it cannot be. */
  claim(runId: string): Promise<ClaimReply | undefined>;
  /** Makes a run that is active in this replica unclaimed. */
  release(runId: string): Promise<void>;
  /** The ids of at most `limit` runs of a customer. */
  ofCustomer(customerId: string, limit: number): Promise<readonly string[]>;
  /** Deletes a run that has ended; false for others. */
  delete(runId: string): Promise<boolean>;
}

const unknownRun: AppendReply = {
  outcome: 'unknown',
  signals: { cancel: '', decisions: '' },
  isActive: false,
  stored: 0,
};

/** Number of attempts to convert a run of version 0.6, which its replica may be changing. */
const CONVERT_ATTEMPTS = 5;

/** Options of {@link createStoredLogs}. */
export interface StoredLogsOptions {
  /** Retention of runs from their creation, in milliseconds. */
  readonly retentionMs: number;
  readonly replicaId: string;
  /** Whether only the replica in which a run is active may append to it. */
  readonly isFenced: boolean;
}

/** Creates {@link StoredLogs}. */
export function createStoredLogs(
  { retentionMs, replicaId, isFenced }: StoredLogsOptions,
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  writes: FencedWrites,
): StoredLogs {
  const activeKeys = [keys.activeLogs + replicaId, keys.logReplicas];
  const keysOf = (runId: string) => [keys.runs + runId, keys.events + runId];

  /** A run of version 0.6 as a log, with what it was read from. */
  async function readOld(runId: string) {
    const fields = await connection
      .run('HGETALL', (client) => client.hGetAll(keys.runs + runId))
      .catch(ignoreWrongType);
    const run = fields === undefined ? undefined : decodeOldRun(runId, fields);
    if (run === undefined) return undefined;
    const workflowKey = keys.records(workflowRecords.name) + run.summary.workflowId;
    const workflowJson = await connection.run('EVALSHA', (client) =>
      client.readVersion([workflowKey], ['1']),
    );
    const definition = encodeDefinition(oldRunDefinition(run, workflowJson));
    const events = oldRunEvents(run).map(encodeEvent);
    return { run, status: fields?.['status'] ?? '', definition, events };
  }

  /** Gives a run of version 0.6 its log. False where its record is damaged. */
  async function convert(runId: string): Promise<boolean> {
    const old = await readOld(runId);
    if (old === undefined) return false;
    const { workflowId, createdAt } = old.run.summary;
    const indices = [keys.runIndices + workflowId, keys.allRuns];
    const scriptKeys = [...keysOf(runId), keys.definitions + old.definition.digest, ...indices];
    const values = [runId, old.status, createdAt, old.definition.digest, old.definition.json];
    await writes.run((client, deadline) =>
      client.convertRun(scriptKeys, [deadline, ...values, ...old.events]),
    );
    return true;
  }

  return {
    async create({ summary, definition, events }, isUnclaimed) {
      const { runId, workflowId, status, createdAt, customerId } = summary;
      const customer = customerId === null ? '' : digestOf(customerId);
      const { digest, json } = encodeDefinition(definition);
      const indices = [keys.runIndices + workflowId, keys.allRuns];
      const scriptKeys = [...keysOf(runId), keys.definitions + digest, ...indices];
      scriptKeys.push(...(isUnclaimed ? [keys.unclaimed, keys.logReplicas] : activeKeys), keys.due);
      scriptKeys.push(keys.customerRuns + customer);
      const retentionUs = String(retentionMs * 1_000);
      const owner = isUnclaimed ? '' : replicaId;
      const values = [runId, retentionUs, owner, workflowId, status, encodeSummary(summary), createdAt];
      const encoded = events.map(encodeEvent);
      const send = (definitionJson: string) =>
        writes.run((client, deadline) =>
          client.createRunLog(scriptKeys, [
            deadline,
            ...values,
            digest,
            definitionJson,
            customer,
            ...encoded,
          ]),
        );
      let outcome = await send('');
      if (outcome === 'definition') outcome = await send(json);
      return outcome === 'created';
    },
    async append(runId, { expectedSeq, events, change, handlesSignal }, token, isChangeStored = false) {
      const scriptKeys = [...keysOf(runId), ...activeKeys, keys.due, keys.parked];
      const state = isChangeStored ? '' : encodeState(change);
      const values = [runId, String(expectedSeq), replicaId, token, change.status, state];
      const prefixes = [keys.activeLogs, keys.signals, keys.channels + runId];
      const flag = handlesSignal ? '1' : '0';
      const fence = isFenced ? '1' : '0';
      const waits = change.waitingFor.length === 0 ? '[]' : itemIds(change.waitingFor);
      for (let attempt = 1; attempt <= CONVERT_ATTEMPTS; attempt++) {
        const reply = await writes.run((client, deadline) =>
          client.appendEvents(scriptKeys, [deadline, ...values, flag, ...prefixes, fence, waits, ...events]),
        );
        if (reply.outcome !== 'old') return reply;
        if (!(await convert(runId))) return unknownRun;
      }
      throw new StoreError('reply', 'CHANGING');
    },
    async read(runId, first, last, withDefinition) {
      const values = [String(first), String(last), withDefinition ? keys.definitions : ''];
      const stored = await connection.run('EVALSHA', (client) => client.readRunLog(keysOf(runId), values));
      if (stored !== 'old') return stored;
      const old = await readOld(runId);
      if (old === undefined) return undefined;
      const { run, definition, events } = old;
      return {
        ...{
          workflowId: run.summary.workflowId,
          definition: definition.json,
          status: run.summary.status,
          writer: '',
        },
        length: events.length,
        events: events.slice(first, last < 0 ? undefined : last + 1),
      };
    },
    async summary(runId) {
      const found = await connection
        .run('HMGET', (client) => client.hmGet(keys.runs + runId, ['summary', 'state']))
        .catch(ignoreWrongType);
      const [summary, state] = found ?? [];
      return typeof summary === 'string' ? [summary, state ?? ''] : undefined;
    },
    signal(runId, signal, itemId) {
      const waits = itemId === undefined ? '' : `"itemId":${JSON.stringify(itemId)}`;
      const values = [runId, signal, keys.signals, String(retentionMs), itemId ?? '', waits, keys.unclaimed];
      return writes.run((client, deadline) => client.signalRun([keys.runs + runId], [deadline, ...values]));
    },
    async claim(runId) {
      const scriptKeys = [...keysOf(runId), ...activeKeys, keys.unclaimed, keys.due];
      const values = [runId, replicaId, keys.definitions];
      for (let attempt = 1; attempt <= CONVERT_ATTEMPTS; attempt++) {
        const reply = await writes.run((client, deadline) =>
          client.claimRun(scriptKeys, [deadline, ...values]),
        );
        if (reply !== 'old') return reply;
        if (!(await convert(runId))) return undefined;
      }
      throw new StoreError('reply', 'CHANGING');
    },
    async release(runId) {
      const active = [keys.activeLogs + replicaId, keys.signals + replicaId];
      const scriptKeys = [keys.runs + runId, ...active, keys.unclaimed, keys.due];
      await writes.run((client, deadline) => client.releaseRun(scriptKeys, [deadline, runId, replicaId]));
    },
    ofCustomer(customerId, limit) {
      const index = keys.customerRuns + digestOf(customerId);
      return connection.run('EVALSHA', (client) =>
        client.runsOfCustomer([index], [keys.runs, String(limit)]),
      );
    },
    async delete(runId) {
      const scriptKeys = [...keysOf(runId), keys.allRuns, keys.due];
      const values = [runId, keys.runIndices, keys.customerRuns, keys.channels + runId];
      const deleted = await writes.run((client, deadline) =>
        client.deleteRunLog(scriptKeys, [deadline, ...values]),
      );
      return deleted === 1;
    },
  };
}

function itemIds(waits: readonly Wait[]): string {
  return JSON.stringify(waits.map(({ itemId }) => itemId));
}
