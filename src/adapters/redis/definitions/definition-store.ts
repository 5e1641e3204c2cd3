import { workflowRecords } from '../../../domain/collections.ts';
import type { WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { KeyTakenError } from '../../../domain/workflow/key.ts';
import { yieldIfDue } from '../../../lib/async/yield.ts';
import { type DefinitionStore, MAX_VERSIONS } from '../../../ports/storage/definition-store.ts';
import { toDefinition } from '../../shared/stored-definition.ts';
import type { Connection } from '../client/connection.ts';
import { throwUnavailable } from '../client/errors.ts';
import type { FencedWrites } from '../client/fenced-writes.ts';
import type { Keys } from '../keys.ts';
import { createRecordStore } from '../records/record-store.ts';
import type { StoredRecords } from '../records/stored-records.ts';

/** Creates the store of definitions. `records` has the newest version of each. */
export function createDefinitionStore(
  records: StoredRecords<WorkflowDefinition, WorkflowDefinition>,
  keys: Keys,
  connection: Pick<Connection, 'run'>,
  writes: FencedWrites,
): DefinitionStore {
  const newest = createRecordStore(records);

  /** Undefined for JSON of another program. */
  function decode(id: string, json: string): WorkflowDefinition | undefined {
    const stored = records.decode({ id, json, summaryJson: '' });
    return stored && toDefinition(stored);
  }

  const prefix = keys.records(workflowRecords.name);
  const keyOf = (id: string): string => prefix + id;

  return {
    async put(definition) {
      const { key = '' } = definition;
      const args = records.scriptArguments(records.encode(definition));
      const values = [...args.values, key, prefix, keys.workflowKeys];
      const stored = await writes
        .run((client, deadline) => client.putDefinition(args.keys, [deadline, ...values]))
        .catch(throwUnavailable);
      if (stored === 0) throw new KeyTakenError(key);
    },
    async replace(definition) {
      const { id, version, key = '' } = definition;
      const stored = [id, String(version), JSON.stringify(definition), String(version - MAX_VERSIONS)];
      const values = [...stored, key, prefix, keys.workflowKeys];
      return writes
        .run((client, deadline) => client.replaceDefinition([keyOf(id)], [deadline, ...values]))
        .catch(throwUnavailable);
    },
    async get(id) {
      const found = await newest.get(id);
      return found && toDefinition(found);
    },
    async idOfKey(key) {
      return connection
        .run('EVALSHA', (client) => client.findByKey([keys.workflowKeys + key], [key, prefix]))
        .catch(throwUnavailable);
    },
    async has(id) {
      const found = await connection
        .run('EXISTS', (client) => client.exists(keyOf(id)))
        .catch(throwUnavailable);
      return found === 1;
    },
    async version(id, version) {
      const json = await connection
        .run('EVALSHA', (client) => client.readVersion([keyOf(id)], [String(version)]))
        .catch(throwUnavailable);
      return json === undefined ? undefined : decode(id, json);
    },
    async versions(id, { limit, offset }) {
      const values = [offset, limit, MAX_VERSIONS].map(String);
      const found = await connection
        .run('EVALSHA', (client) => client.readVersions([keyOf(id)], values))
        .catch(throwUnavailable);
      if (found === undefined) return undefined;
      const items: WorkflowDefinition[] = [];
      for (const json of found.jsons) {
        const definition = decode(id, json);
        if (definition !== undefined) items.push(definition);
        await yieldIfDue();
      }
      return { total: found.total, limit, offset, items };
    },
    async list(page, filter) {
      const listed = await newest.list(page, filter);
      return { ...listed, items: listed.items.map(toDefinition) };
    },
    async delete(id) {
      const deleted = await writes
        .run((client, deadline) =>
          client.deleteDefinition(
            [keyOf(id), keys.index(workflowRecords.name)],
            [deadline, id, keys.workflowKeys],
          ),
        )
        .catch(throwUnavailable);
      return deleted > 0;
    },
  };
}
