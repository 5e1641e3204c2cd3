import { fitsFilter, noFilterFields } from '../../domain/record-filter.ts';
import type { WorkflowDefinition } from '../../domain/workflow/definition.ts';
import { KeyTakenError } from '../../domain/workflow/key.ts';
import {
  type DefinitionStore,
  MAX_VERSIONS,
  type ReplaceOutcome,
} from '../../ports/storage/definition-store.ts';
import { type Change, remove, type Stored, type Table, write } from '../../ports/storage/store.ts';
import { type Decision, type StorageParts, update } from './update.ts';

const never = (): null => null;

/** The newest version of each workflow, by its id. */
const newest: Table<WorkflowDefinition> = {
  name: 'workflows',
  texts: { workflow: ({ id }) => id },
  numbers: {},
  expiresAt: never,
};

/** The versions before it, by {@link versionId}. */
const older: Table<WorkflowDefinition> = {
  name: 'workflow_versions',
  texts: {},
  numbers: {},
  expiresAt: never,
};

/** Which workflow has a key. Its row changes only together with that of the workflow. */
const keys: Table<{ readonly workflow: string }> = {
  name: 'workflow_keys',
  texts: {},
  numbers: {},
  expiresAt: never,
};

/** The tables of {@link createDefinitions}. */
export const definitionTables = [newest, older, keys] as const;

const versionId = (id: string, version: number): string => `${version} ${id}`;

/** Creates the store of definitions. */
export function createDefinitions(parts: StorageParts): DefinitionStore {
  const { store } = parts;

  async function find(id: string): Promise<Stored<WorkflowDefinition> | undefined> {
    const [found] = await store.read(newest, [id]);
    return found;
  }

  /** The changes of the keys by which a workflow gets `key`; `taken` where another workflow has it. */
  async function moveKey(
    id: string,
    known: WorkflowDefinition | undefined,
    key: string | undefined,
  ): Promise<readonly Change[] | 'taken'> {
    const freed = known?.key === undefined || known.key === key ? [] : [remove(keys, known.key)];
    if (key === undefined) return freed;
    const [owner] = await store.read(keys, [key]);
    if (owner === undefined) return [...freed, write(keys, key, { workflow: id }, { expects: null })];
    return owner.row.workflow === id ? freed : 'taken';
  }

  async function put(id: string, key: string | undefined, stored: Change): Promise<Decision<void>> {
    const known = await find(id);
    const moved = await moveKey(id, known?.row, key);
    if (moved === 'taken') throw new KeyTakenError(key ?? '');
    const change = { ...stored, expects: known?.version ?? null };
    return { changes: [change, ...moved, ...removeOlder(known?.row)], result: undefined };
  }

  async function replace(
    { id, key, version }: Pick<WorkflowDefinition, 'id' | 'key' | 'version'>,
    stored: Change,
  ): Promise<Decision<ReplaceOutcome>> {
    const nothing = (result: ReplaceOutcome): Decision<ReplaceOutcome> => ({ changes: [], result });
    const known = await find(id);
    if (known === undefined) return nothing('missing');
    if (known.row.version !== version - 1) return nothing('conflict');
    const moved = await moveKey(id, known.row, key);
    if (moved === 'taken') return nothing('key_taken');
    const change = { ...stored, expects: known.version };
    const before = write(older, versionId(id, version - 1), known.row);
    const oldest = version > MAX_VERSIONS ? [remove(older, versionId(id, version - MAX_VERSIONS))] : [];
    return { changes: [change, before, ...oldest, ...moved], result: 'replaced' };
  }

  return {
    async put(definition) {
      const { id, key } = definition;
      const stored = write(newest, id, definition);
      await update(parts, () => put(id, key, stored));
    },
    async replace(definition) {
      const { id, key, version } = definition;
      const stored = write(newest, id, definition);
      return update(parts, () => replace({ id, key, version }, stored));
    },
    get: async (id) => (await find(id))?.row,
    has: async (id) => (await store.count(newest, { where: { workflow: id } })) > 0,
    async idOfKey(key) {
      const [found] = await store.read(keys, [key]);
      return found?.row.workflow;
    },
    async version(id, version) {
      const last = (await find(id))?.row;
      if (last === undefined || last.version === version) return last;
      const [found] = await store.read(older, [versionId(id, version)]);
      return found?.row;
    },
    async versions(id, { limit, offset }) {
      const last = (await find(id))?.row;
      if (last === undefined) return undefined;
      const ids = olderIds(last);
      const page = ids.slice(Math.max(offset - 1, 0), offset + limit - 1);
      const found = page.length === 0 ? [] : await store.read(older, page);
      const before = found.flatMap((stored) => (stored === undefined ? [] : [stored.row]));
      return { total: ids.length + 1, limit, offset, items: offset === 0 ? [last, ...before] : before };
    },
    async list({ limit, offset }, filter = {}) {
      // Definitions have no field that a filter compares.
      if (!fitsFilter(noFilterFields(), filter)) return { total: 0, limit, offset, items: [] };
      const [found, total] = await Promise.all([
        store.range(newest, { descending: true, limit, offset }),
        store.count(newest, {}),
      ]);
      return { total, limit, offset, items: found.map(({ row }) => row) };
    },
    delete: (id) =>
      update(parts, async () => {
        const known = await find(id);
        if (known === undefined) return { changes: [], result: false };
        const freed = known.row.key === undefined ? [] : [remove(keys, known.row.key)];
        const changes = [remove(newest, id, known.version), ...freed, ...removeOlder(known.row)];
        return { changes, result: true };
      }),
  };
}

/** The ids of the versions before the newest one that are kept, newest first: they have no gaps. */
function olderIds({ id, version }: WorkflowDefinition): readonly string[] {
  const count = Math.min(version, MAX_VERSIONS) - 1;
  return Array.from({ length: count }, (_, index) => versionId(id, version - 1 - index));
}

function removeOlder(known: WorkflowDefinition | undefined): readonly Change[] {
  return known === undefined ? [] : olderIds(known).map((id) => remove(older, id));
}
