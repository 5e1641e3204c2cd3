import { afterEach, expect, test } from 'vitest';
import { definitionStoreContract, sampleVersion, storeVersions } from '../../contracts/definition-store.ts';
import { runVersionsContract } from '../../contracts/run-versions.ts';
import { createFiles } from '../../support/sqlite/files.ts';

const files = createFiles();

afterEach(() => files.removeAll());

definitionStoreContract('sqlite', async () => (await files.make()).adapters.ports.workflows);
runVersionsContract('sqlite', async () => (await files.make()).adapters.ports);

test('a file has no version of a workflow that was deleted or put again', async () => {
  const { file, adapters } = await files.make();
  const { workflows } = adapters.ports;
  const stored = () =>
    file.database
      .prepare('SELECT version FROM workflow_versions ORDER BY rowid')
      .all()
      .map(({ version }) => version);
  await storeVersions(workflows, 'a', 3);
  expect(stored()).toEqual([1, 2]);
  await workflows.delete('a');
  expect(stored()).toEqual([]);
  await storeVersions(workflows, 'b', 3);
  await workflows.put(sampleVersion('b', 1));
  expect(stored()).toEqual([]);
});

test('versions survive a restart', async () => {
  const { path, adapters } = await files.make();
  await storeVersions(adapters.ports.workflows, 'a', 3);
  await adapters.close();
  const { workflows } = files.open(path).adapters.ports;
  expect((await workflows.versions('a', { limit: 9, offset: 0 }))?.items).toEqual(
    [3, 2, 1].map((version) => sampleVersion('a', version)),
  );
  expect(await workflows.replace(sampleVersion('a', 4))).toBe('replaced');
});
