import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { KeyTakenError } from '../../../domain/workflow/key.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import {
  type DefinitionStore,
  MAX_VERSIONS,
  type ReplaceOutcome,
} from '../../../ports/storage/definition-store.ts';
import { type StoredDefinition, toDefinition } from '../../shared/stored-definition.ts';
import type { Connection } from '../connection.ts';
import { bytesOf, createRecordStore, type StoredRecords } from '../records/record-store.ts';
import { numberOf, parseOwn, type Row, textOf } from '../rows.ts';

/**
 * Creates the store of definitions. `records` has the newest version of each; the versions before it stand in a table
 * of their own.
 */
export function createDefinitionStore(
  records: StoredRecords<WorkflowDefinition, WorkflowDefinition>,
  { prepare, read, write }: Connection,
): DefinitionStore {
  const newest = createRecordStore(records);
  const find = prepare(
    `SELECT position, coalesce(max(version), 0) + 1 AS version, count(version) AS old
     FROM workflows LEFT JOIN workflow_versions ON workflow = position WHERE id = ? GROUP BY position`,
  );
  const findAny = prepare('SELECT 1 FROM workflows WHERE id = ?');
  const findByKey = prepare('SELECT id FROM workflows WHERE key = ?');
  const changeKey = prepare('UPDATE workflows SET key = ? WHERE id = ?');
  const getNewest = prepare('SELECT record FROM workflows_json WHERE position = ?');
  const getOld = prepare('SELECT record FROM workflow_versions WHERE workflow = ? AND version = ?');
  const addOld = prepare(
    'INSERT INTO workflow_versions SELECT position, ?, record FROM workflows_json WHERE position = ?',
  );
  const removeOld = prepare('DELETE FROM workflow_versions WHERE workflow = ? AND version <= ?');
  const changeNewest = prepare('UPDATE workflows_json SET record = ?, summary = NULL WHERE position = ?');

  /** A version, where it is stored now. */
  function readVersion(id: string, version: number): WorkflowDefinition | undefined {
    const row = read((): Row | undefined => {
      const found = find.get(id);
      if (found === undefined) return undefined;
      const position = numberOf(found, 'position');
      return numberOf(found, 'version') === version ? getNewest.get(position) : getOld.get(position, version);
    });
    return row && toDefinition(parseOwn<StoredDefinition>(textOf(row, 'record')));
  }

  function isTaken(key: string, id: string): boolean {
    const owner = findByKey.get(key);
    return owner !== undefined && textOf(owner, 'id') !== id;
  }

  function replaceNow(definition: WorkflowDefinition, json: string): ReplaceOutcome {
    const { id, key } = definition;
    const found = find.get(id);
    if (found === undefined) return 'missing';
    const version = numberOf(found, 'version');
    if (definition.version !== version + 1) return 'conflict';
    if (key !== undefined && isTaken(key, id)) return 'key_taken';
    const position = numberOf(found, 'position');
    addOld.run(version, position);
    removeOld.run(position, definition.version - MAX_VERSIONS);
    changeNewest.run(json, position);
    changeKey.run(key ?? null, id);
    return 'replaced';
  }

  return {
    async put(definition) {
      const { id, key } = definition;
      const encoded = records.encode(definition);
      const taken = await write(() => {
        if (key !== undefined && isTaken(key, id)) return key;
        records.writeNow(encoded);
        changeKey.run(key ?? null, id);
        const found = find.get(id);
        if (found !== undefined) removeOld.run(numberOf(found, 'position'), numberOf(found, 'version'));
        return undefined;
      }, bytesOf(encoded));
      // The workflow that has the key is committed by now.
      if (taken !== undefined) throw new KeyTakenError(taken);
    },
    async replace(definition) {
      const encoded = records.encode(definition);
      return write(() => replaceNow(definition, encoded.json), 2 * bytesOf(encoded));
    },
    async get(id) {
      const found = await newest.get(id);
      return found && toDefinition(found);
    },
    async idOfKey(key) {
      const row = read(() => findByKey.get(key));
      return row && textOf(row, 'id');
    },
    async has(id) {
      return read(() => findAny.get(id)) !== undefined;
    },
    async version(id, version) {
      return readVersion(id, version);
    },
    async versions(id, { limit, offset }) {
      const found = read(() => find.get(id));
      if (found === undefined) return undefined;
      const last = numberOf(found, 'version');
      const total = numberOf(found, 'old') + 1;
      const items: WorkflowDefinition[] = [];
      for (let age = offset; age < Math.min(offset + limit, total); age++) {
        const definition = readVersion(id, last - age);
        if (definition !== undefined) items.push(definition);
        await yieldIfDue();
      }
      return { total, limit, offset, items };
    },
    async list(page, filter) {
      const listed = await newest.list(page, filter);
      return { ...listed, items: listed.items.map(toDefinition) };
    },
    delete: newest.delete,
  };
}
