import { hasEnded } from '../../domain/run/run.ts';
import type { RunStore } from '../../ports/run-store.ts';
import { createNewestFirst, type NewestFirst } from './newest-first.ts';
import { DEFAULT_MAX_BYTES } from './record-store.ts';
import {
  changeExecution,
  type KeptExecution,
  keepExecution,
  readExecution,
  readSummary,
} from './stored-run.ts';

/** What the executions in memory are bounded by. */
export interface MemoryRunStoreOptions {
  readonly maxRecords: number;
  /** Bytes that are kept at most, 64 MiB when absent. */
  readonly maxBytes?: number;
}

/**
 * Executions in memory. Over its bounds it evicts what ended first; what still runs is never evicted, so that
 * only runs under way can exceed the bounds.
 */
export function createMemoryRunStore(options: MemoryRunStoreOptions): RunStore {
  const { maxRecords, maxBytes = DEFAULT_MAX_BYTES } = options;
  const executions = new Map<string, KeptExecution>();
  const byWorkflow = new Map<string, NewestFirst<KeptExecution>>();
  const ended = createNewestFirst<KeptExecution>();
  let bytes = 0;

  function add(kept: KeptExecution): void {
    let ofWorkflow = byWorkflow.get(kept.workflowId);
    if (ofWorkflow === undefined) {
      ofWorkflow = createNewestFirst<KeptExecution>();
      byWorkflow.set(kept.workflowId, ofWorkflow);
    }
    executions.set(kept.runId, kept);
    kept.place = ofWorkflow.add(kept);
    bytes += kept.bytes;
  }

  function remove(kept: KeptExecution): void {
    executions.delete(kept.runId);
    bytes -= kept.bytes;
    const ofWorkflow = byWorkflow.get(kept.workflowId);
    if (ofWorkflow === undefined || kept.place === undefined) return;
    ofWorkflow.remove(kept.place);
    if (ofWorkflow.size === 0) byWorkflow.delete(kept.workflowId);
  }

  function makeRoom(): void {
    while (executions.size > maxRecords || bytes > maxBytes) {
      const first = ended.oldest();
      if (first === undefined) return;
      ended.remove(first);
      remove(first.value);
    }
  }

  return {
    async create(execution) {
      if (executions.has(execution.runId)) return;
      const kept = keepExecution(execution);
      add(kept);
      if (hasEnded(kept.summary.status)) ended.add(kept);
      makeRoom();
    },
    async save(runId, change) {
      const kept = executions.get(runId);
      if (kept === undefined) return true;
      if (hasEnded(kept.summary.status)) return false;
      const before = kept.bytes;
      changeExecution(kept, change);
      bytes += kept.bytes - before;
      if (hasEnded(change.status)) ended.add(kept);
      makeRoom();
      return true;
    },
    async get(runId) {
      const kept = executions.get(runId);
      return kept === undefined ? undefined : readExecution(kept);
    },
    async list(workflowId, { limit, offset }) {
      const ofWorkflow = byWorkflow.get(workflowId);
      const items = ofWorkflow?.page(offset, limit).map(readSummary) ?? [];
      return { total: ofWorkflow?.size ?? 0, limit, offset, items };
    },
  };
}
