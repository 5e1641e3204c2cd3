import { hasEnded } from '../../../domain/run/run.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import type { PageRequest } from '../../../ports/storage/record-store.ts';
import type { DueRun, RunFilter, RunListFilter } from '../../../ports/storage/run-log.ts';
import { createNewestFirst, type NewestFirst } from '../newest-first.ts';
import { createKeptDefinitions, type KeptDefinition } from './kept-definitions.ts';
import { dueTime, matches, type StoredLog, showsAll } from './stored-log.ts';
import { createWakeHeap } from './wake-heap.ts';

/** A part of the runs of a workflow. */
export interface IndexPage {
  readonly total: number;
  readonly logs: readonly StoredLog[];
}

/** All stored runs, found in every way that they are listed, within limits. */
export interface RunIndex {
  get(runId: string): StoredLog | undefined;
  /** About how many bytes the runs take that are never evicted, with their definitions. */
  activeBytes(): number;
  /** Adds a run with its definition, which is stored once for all runs with the same one. */
  add(log: StoredLog, definition: WorkflowDefinition): void;
  /** Notes what an append has changed: whether the run has ended, and by how many bytes it has grown. */
  update(log: StoredLog, addedBytes: number): void;
  /** Notes whether, and when, somebody must look at a run. */
  placeDue(log: StoredLog): void;
  /** At most `limit` runs that somebody must look at before the time `before`, earliest first. */
  due(before: number, limit: number): readonly DueRun[];
  remove(log: StoredLog): void;
  /** The definition of a run, as JSON text. */
  definitionOf(log: StoredLog): string;
  /** Runs of a workflow that a filter shows, newest first, and how many it shows in all. */
  ofWorkflow(workflowId: string, filter: RunFilter, page: PageRequest): IndexPage;
  /** The ids of at most `limit` runs of a customer. */
  ofCustomer(customerId: string, limit: number): readonly string[];
  /** At most `limit` runs that a filter shows, newest first, with positions below `position`. */
  before(position: number, limit: number, filter: RunListFilter): readonly StoredLog[];
}

/**
 * Creates an index without runs. The limits are those of the ended runs, of which it removes beyond them the ones that
 * ended first. A definition that an active run keeps too counts for the active ones.
 */
export function createRunIndex(limits: { readonly maxRecords: number; readonly maxBytes: number }): RunIndex {
  const { maxRecords, maxBytes } = limits;
  const byId = new Map<string, StoredLog>();
  const byWorkflow = new Map<string, NewestFirst<StoredLog>>();
  const byCustomer = new Map<string, Set<string>>();
  const definitions = createKeptDefinitions();
  const all = createNewestFirst<StoredLog>();
  const ended = createNewestFirst<StoredLog>();
  const due = createWakeHeap<StoredLog>();
  /** Those of the runs without their definitions. Runs that are never evicted are active. */
  const bytes = { ended: 0, active: 0 };

  /** Which runs a run is counted with. */
  const kindOf = ({ inEnded }: StoredLog) => (inEnded === undefined ? 'active' : 'ended');

  /** The runs of the workflow of a stored run. */
  function runsBeside({ runId, workflowId }: StoredLog): NewestFirst<StoredLog> {
    const runs = byWorkflow.get(workflowId);
    if (runs === undefined) throw new Error(`the workflow of run ${runId} is not stored`);
    return runs;
  }

  function definitionOf({ runId, definition }: StoredLog): KeptDefinition {
    if (definition === undefined) throw new Error(`the definition of run ${runId} is not stored`);
    return definition;
  }

  function remove(log: StoredLog): void {
    const runs = runsBeside(log);
    byId.delete(log.runId);
    removeOfCustomer(log);
    if (log.inAll !== undefined) all.remove(log.inAll);
    if (log.inWorkflow !== undefined) runs.remove(log.inWorkflow);
    if (log.inEnded !== undefined) ended.remove(log.inEnded);
    if (log.inDue !== undefined) due.remove(log.inDue);
    definitions.release(definitionOf(log), kindOf(log));
    if (runs.size === 0) byWorkflow.delete(log.workflowId);
    bytes[kindOf(log)] -= log.bytes;
  }

  function addOfCustomer({ runId, summary: { customerId } }: StoredLog): void {
    if (customerId === null) return;
    const runs = byCustomer.get(customerId) ?? new Set();
    byCustomer.set(customerId, runs.add(runId));
  }

  function removeOfCustomer({ runId, summary: { customerId } }: StoredLog): void {
    if (customerId === null) return;
    const runs = byCustomer.get(customerId);
    runs?.delete(runId);
    if (runs?.size === 0) byCustomer.delete(customerId);
  }

  /** Keeps the list of ended runs in the order of their ends. A child run joins it when its parent knows of its end. */
  function placeEnded(log: StoredLog): void {
    const before = kindOf(log);
    if (log.inEnded !== undefined) ended.remove(log.inEnded);
    const { status, wakeAt } = log.summary;
    log.inEnded = hasEnded(status) && wakeAt === null ? ended.add(log) : undefined;
    const kind = kindOf(log);
    if (kind === before) return;
    bytes[before] -= log.bytes;
    bytes[kind] += log.bytes;
    definitions.move(definitionOf(log), kind);
  }

  function placeDue(log: StoredLog): void {
    const wakeAt = dueTime(log);
    if (wakeAt === (log.inDue?.wakeAt ?? null)) return;
    if (log.inDue !== undefined) due.remove(log.inDue);
    log.inDue = wakeAt === null ? undefined : due.add(log, wakeAt, log.position);
  }

  function evict(): void {
    while (ended.size > maxRecords || bytes.ended + definitions.endedBytes > maxBytes) {
      const first = ended.oldest();
      if (first === undefined) return;
      remove(first.value);
    }
  }

  return {
    get: (runId) => byId.get(runId),
    activeBytes: () => bytes.active + definitions.activeBytes,
    add(log, definition) {
      const runs = byWorkflow.get(log.workflowId) ?? createNewestFirst();
      byWorkflow.set(log.workflowId, runs);
      log.definition = definitions.retain(definition);
      byId.set(log.runId, log);
      addOfCustomer(log);
      log.inAll = all.add(log);
      log.inWorkflow = runs.add(log);
      bytes.active += log.bytes;
      placeEnded(log);
      placeDue(log);
      evict();
    },
    update(log, addedBytes) {
      bytes[kindOf(log)] += addedBytes;
      placeEnded(log);
      placeDue(log);
      evict();
    },
    placeDue,
    due: (before, limit) =>
      due.firstBefore(before, limit).map(({ value, wakeAt }) => ({ runId: value.runId, wakeAt })),
    remove,
    definitionOf: (log) => definitionOf(log).json,
    ofWorkflow(workflowId, filter, { limit, offset }) {
      const runs = byWorkflow.get(workflowId);
      if (runs === undefined) return { total: 0, logs: [] };
      if (showsAll(filter)) return { total: runs.size, logs: runs.page(offset, limit) };
      const shown = runs.page(0, runs.size).filter((log) => matches(log, filter));
      return { total: shown.length, logs: shown.slice(offset, offset + limit) };
    },
    ofCustomer: (customerId, limit) => [...(byCustomer.get(customerId) ?? [])].slice(0, limit),
    before(position, limit, filter) {
      const { workflowId } = filter;
      const runs = workflowId === undefined ? all : byWorkflow.get(workflowId);
      const found: StoredLog[] = [];
      let node = runs?.newest();
      while (node !== undefined && found.length < limit) {
        if (node.value.position < position && matches(node.value, filter)) found.push(node.value);
        node = node.older;
      }
      return found;
    },
  };
}
