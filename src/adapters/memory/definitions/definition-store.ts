import { conflict } from '../../../domain/errors.ts';
import { fitsFilter, noFilterFields } from '../../../domain/record-filter.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { KeyTakenError } from '../../../domain/workflow/key.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { type DefinitionStore, MAX_VERSIONS } from '../../../ports/storage/definition-store.ts';
import { createNewestFirst, type ListNode } from '../newest-first.ts';
import { DEFAULT_MAX_BYTES } from '../record-store.ts';
import { createTextArena, type StoredText } from '../text-arena.ts';

/** The limits of definitions in memory. */
export interface MemoryDefinitionStoreOptions {
  /** The most workflows. A further one is rejected with `conflict`: definitions are never evicted. */
  readonly maxRecords: number;
  /**
   * The most bytes of JSON of the newest versions of all workflows; 128 MiB when absent. What does not fit is rejected
   * with `conflict`.
   */
  readonly maxNewestBytes?: number;
  /**
   * The most bytes of JSON of versions that are not the newest one of their workflow; 64 MiB when absent. Beyond it the
   * versions that were replaced first are removed.
   */
  readonly maxOldBytes?: number;
}

/** The default of `maxNewestBytes`. */
const DEFAULT_MAX_NEWEST_BYTES = 128 * 1_024 * 1_024;

/** A workflow with its versions. */
interface Workflow {
  readonly id: string;
  /** The number of its newest version. */
  version: number;
  key: string | undefined;
  newest: StoredText;
  /** The versions before, oldest first. */
  readonly old: ListNode<OldVersion>[];
}

interface OldVersion {
  readonly workflow: Workflow;
  readonly text: StoredText;
}

/** Creates a store of definitions in memory, as JSON text: what is read shares no object with what was put. */
export function createMemoryDefinitionStore(options: MemoryDefinitionStoreOptions): DefinitionStore {
  const { maxRecords, maxNewestBytes = DEFAULT_MAX_NEWEST_BYTES, maxOldBytes = DEFAULT_MAX_BYTES } = options;
  // Each text has a block of its own, because definitions are removed in any order.
  const texts = createTextArena(0);
  const workflows = new Map<string, ListNode<Workflow>>();
  /** The ids of workflows by their keys. */
  const ids = new Map<string, string>();
  const order = createNewestFirst<Workflow>();
  /** The old versions of all workflows, in the order of their replacement. */
  const replaced = createNewestFirst<OldVersion>();
  let newestBytes = 0;
  let oldBytes = 0;

  /** Stores a newest version, in place of another one where there is one. Throws `conflict` where it does not fit. */
  function storeNewest(definition: WorkflowDefinition, before: StoredText | undefined): StoredText {
    const newest = texts.store(JSON.stringify(definition));
    const bytes = newestBytes + newest.bytes - (before?.bytes ?? 0);
    if (bytes > maxNewestBytes) {
      texts.release(newest);
      throw conflict(
        `the store is full: the limit is ${maxNewestBytes} bytes of definitions, delete some first`,
      );
    }
    newestBytes = bytes;
    return newest;
  }

  function addOld(workflow: Workflow): void {
    workflow.old.push(replaced.add({ workflow, text: workflow.newest }));
    oldBytes += workflow.newest.bytes;
    if (workflow.old.length >= MAX_VERSIONS) removeOldest(workflow);
    while (oldBytes > maxOldBytes) {
      const first = replaced.oldest();
      if (first === undefined) return;
      removeOldest(first.value.workflow);
    }
  }

  function removeOldest({ old }: Workflow): void {
    const node = old.shift();
    if (node === undefined) return;
    replaced.remove(node);
    oldBytes -= node.value.text.bytes;
    texts.release(node.value.text);
  }

  function removeOld(workflow: Workflow): void {
    while (workflow.old.length > 0) removeOldest(workflow);
  }

  /** The text of a version; undefined where it is not stored. */
  function textOf({ version: last, newest, old }: Workflow, version: number): StoredText | undefined {
    return version === last ? newest : old[old.length - (last - version)]?.value.text;
  }

  function isTaken(key: string | undefined, id: string): key is string {
    return key !== undefined && (ids.get(key) ?? id) !== id;
  }

  /** Moves a workflow from one key to another; undefined for none. */
  function moveKey(id: string, from: string | undefined, to: string | undefined): void {
    if (from !== undefined) ids.delete(from);
    if (to !== undefined) ids.set(to, id);
  }

  const read = (text: StoredText): WorkflowDefinition => parseOwn(texts.read(text));

  /** Reads texts that may be removed meanwhile. */
  async function readAll(found: readonly StoredText[]): Promise<WorkflowDefinition[]> {
    for (const text of found) texts.retain(text);
    const definitions: WorkflowDefinition[] = [];
    for (const text of found) {
      definitions.push(read(text));
      texts.release(text);
      await yieldIfDue();
    }
    return definitions;
  }

  return {
    async put(definition) {
      const { id, version, key } = definition;
      if (isTaken(key, id)) throw new KeyTakenError(key);
      const known = workflows.get(id)?.value;
      if (known === undefined && order.size >= maxRecords) {
        throw conflict(`the store is full: the limit is ${maxRecords} records, delete some first`);
      }
      const newest = storeNewest(definition, known?.newest);
      moveKey(id, known?.key, key);
      if (known === undefined) {
        workflows.set(id, order.add({ id, version, key, newest, old: [] }));
        return;
      }
      removeOld(known);
      texts.release(known.newest);
      Object.assign(known, { version, key, newest });
    },
    async replace(definition) {
      const known = workflows.get(definition.id)?.value;
      if (known === undefined) return 'missing';
      const { id, version, key } = definition;
      if (version !== known.version + 1) return 'conflict';
      if (isTaken(key, id)) return 'key_taken';
      const newest = storeNewest(definition, known.newest);
      addOld(known);
      moveKey(id, known.key, key);
      Object.assign(known, { version, key, newest });
      return 'replaced';
    },
    async get(id) {
      const known = workflows.get(id)?.value;
      return known && read(known.newest);
    },
    async idOfKey(key) {
      return ids.get(key);
    },
    async has(id) {
      return workflows.has(id);
    },
    async version(id, version) {
      const known = workflows.get(id)?.value;
      const text = known && textOf(known, version);
      return text && read(text);
    },
    async versions(id, { limit, offset }) {
      const known = workflows.get(id)?.value;
      if (known === undefined) return undefined;
      const found = [known.newest, ...known.old.map(({ value }) => value.text).reverse()];
      const items = await readAll(found.slice(offset, offset + limit));
      return { total: found.length, limit, offset, items };
    },
    async list({ limit, offset }, filter) {
      // Definitions have no field that a filter compares.
      const isEmpty = filter !== undefined && !fitsFilter(noFilterFields(), filter);
      const total = isEmpty ? 0 : order.size;
      const found = isEmpty ? [] : order.page(offset, limit);
      return { total, limit, offset, items: await readAll(found.map(({ newest }) => newest)) };
    },
    async delete(id) {
      const node = workflows.get(id);
      if (node === undefined) return false;
      workflows.delete(id);
      order.remove(node);
      moveKey(id, node.value.key, undefined);
      removeOld(node.value);
      newestBytes -= node.value.newest.bytes;
      texts.release(node.value.newest);
      return true;
    },
  };
}

/** Parses JSON that this store has written itself. */
function parseOwn(json: string): WorkflowDefinition {
  return JSON.parse(json);
}
