import { hasEnded } from '../../domain/run/run.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { createNewestFirst, type NewestFirst } from './newest-first.ts';
import { DEFAULT_MAX_BYTES } from './record-store.ts';
import { applyChange, readRun, readSummary, type StoredRun, toStoredRun } from './stored-run.ts';

/** The limits of runs in memory. */
export interface MemoryRunStoreOptions {
  readonly maxRecords: number;
  /** Approximate maximum memory of all runs, in bytes; 64 MiB when absent. */
  readonly maxBytes?: number;
}

/**
 * Creates a store of runs in memory. Beyond its limits it evicts the run that ended first. Active runs are never
 * evicted, so only they can exceed the limits.
 */
export function createMemoryRunStore(options: MemoryRunStoreOptions): RunStore {
  const { maxRecords, maxBytes = DEFAULT_MAX_BYTES } = options;
  const runs = new Map<string, StoredRun>();
  const byWorkflow = new Map<string, NewestFirst<StoredRun>>();
  const ended = createNewestFirst<StoredRun>();
  let bytes = 0;

  function add(stored: StoredRun): void {
    let ofWorkflow = byWorkflow.get(stored.workflowId);
    if (ofWorkflow === undefined) {
      ofWorkflow = createNewestFirst<StoredRun>();
      byWorkflow.set(stored.workflowId, ofWorkflow);
    }
    runs.set(stored.runId, stored);
    stored.node = ofWorkflow.add(stored);
    bytes += stored.bytes;
  }

  function remove(stored: StoredRun): void {
    runs.delete(stored.runId);
    bytes -= stored.bytes;
    const ofWorkflow = byWorkflow.get(stored.workflowId);
    if (ofWorkflow === undefined || stored.node === undefined) return;
    ofWorkflow.remove(stored.node);
    if (ofWorkflow.size === 0) byWorkflow.delete(stored.workflowId);
  }

  function evict(): void {
    while (runs.size > maxRecords || bytes > maxBytes) {
      const first = ended.oldest();
      if (first === undefined) return;
      ended.remove(first);
      remove(first.value);
    }
  }

  return {
    async create(run) {
      if (runs.has(run.runId)) return;
      const stored = toStoredRun(run);
      add(stored);
      if (hasEnded(stored.summary.status)) ended.add(stored);
      evict();
    },
    async save(runId, change) {
      const stored = runs.get(runId);
      if (stored === undefined) return true;
      if (hasEnded(stored.summary.status)) return false;
      const bytesBefore = stored.bytes;
      applyChange(stored, change);
      bytes += stored.bytes - bytesBefore;
      if (hasEnded(change.status)) ended.add(stored);
      evict();
      return true;
    },
    async get(runId) {
      const stored = runs.get(runId);
      return stored === undefined ? undefined : readRun(stored);
    },
    async list(workflowId, { limit, offset }) {
      const ofWorkflow = byWorkflow.get(workflowId);
      const items = ofWorkflow?.page(offset, limit).map(readSummary) ?? [];
      return { total: ofWorkflow?.size ?? 0, limit, offset, items };
    },
  };
}
