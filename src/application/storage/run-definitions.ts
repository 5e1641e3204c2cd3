import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import { type Change, remove, type Store, write } from '../../ports/storage/store.ts';
import { definitionsTable, runsTable } from './run-tables.ts';

/** The definitions that runs keep, each stored once. */
export interface RunDefinitions {
  /**
   * The digest of a definition, and what must be committed with a run that keeps it: nothing where it was used lately.
   * `onWritten` must be called once that is written, and only then.
   */
  keep(definition: WorkflowDefinition): {
    readonly digest: string;
    readonly changes: readonly Change[];
    onWritten(): void;
  };
  /** A stored definition. */
  read(digest: string): Promise<WorkflowDefinition>;
  /** Removes at most `limit` definitions that no run keeps any more. */
  removeUnused(limit: number): Promise<void>;
}

/** A use is written again after this time, and a definition without runs is removed after twice as long. */
const USED_FOR_MS = 3_600_000;

/** The most definitions of which a process remembers that they are stored. */
const MAX_REMEMBERED = 1_000;

/** Creates {@link RunDefinitions}. */
export function createRunDefinitions(store: Store, digest: (text: string) => string): RunDefinitions {
  const usedAt = new Map<string, number>();

  function remember(id: string, now: number): void {
    usedAt.delete(id);
    usedAt.set(id, now);
    for (const oldest of usedAt.keys()) {
      if (usedAt.size <= MAX_REMEMBERED) return;
      usedAt.delete(oldest);
    }
  }

  /** The changes that store definitions in a store of this process, where they are not there. */
  const local = new WeakMap<WorkflowDefinition, Change>();

  return {
    keep(definition) {
      const known = store.local === undefined ? undefined : local.get(definition);
      if (known !== undefined) return { digest: known.id, changes: [known], onWritten: () => undefined };
      const body = JSON.stringify(definition);
      const id = digest(body);
      const now = store.now();
      if (store.local !== undefined) {
        const change = write(definitionsTable, id, { usedAt: now }, { body, ifAbsent: true });
        local.set(definition, change);
        return { digest: id, changes: [change], onWritten: () => undefined };
      }
      if (now - (usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < USED_FOR_MS)
        return { digest: id, changes: [], onWritten: () => undefined };
      const changes = [write(definitionsTable, id, { usedAt: now }, { body })];
      return { digest: id, changes, onWritten: () => remember(id, now) };
    },
    async read(id) {
      const [stored] = await store.read(definitionsTable, [id], true);
      if (stored?.body === undefined) throw new Error(`the definition ${id} of a run is not stored`);
      return JSON.parse(stored.body);
    },
    async removeUnused(limit) {
      const now = store.now();
      const between = { used: { until: now - 2 * USED_FOR_MS } };
      for (const { id, version } of await store.range(definitionsTable, { between, order: 'used', limit })) {
        const runs = await store.count(runsTable, { where: { definition: id } });
        // One that is used is looked at again later.
        const change =
          runs === 0
            ? remove(definitionsTable, id, version)
            : write(definitionsTable, id, { usedAt: now }, { expects: version });
        await store.commit([change]);
      }
    },
  };
}
