import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleVersion, storeVersions } from '../../contracts/definition-store.ts';
import { changed, hostileSchedule, sampleSchedule } from '../../contracts/schedule-store-samples.ts';
import { makeFile, openFile } from '../../support/sqlite/files.ts';

test('a file has its schedules after a restart, in their order, and a new one comes after them', async () => {
  const { path, adapters } = await makeFile();
  const before = adapters.ports.schedules;
  for (const id of ['b', 'a']) await before.create(hostileSchedule(id));
  const second = changed(hostileSchedule('b'), { nextFireAt: 1_000 });
  expect(await before.update(second)).toBe(true);
  await adapters.close();

  const { schedules } = openFile(path).adapters.ports;
  await schedules.create(sampleSchedule('c'));
  const { items } = await schedules.list({ limit: 10, offset: 0 });
  expect(items).toEqual([sampleSchedule('c'), hostileSchedule('a'), second]);
  expect(await schedules.due(1_000)).toEqual([{ scheduleId: 'b', at: 1_000 }]);
  expect(await schedules.update(second)).toBe(false);
});

test('versions survive a restart', async () => {
  const { path, adapters } = await makeFile();
  await storeVersions(adapters.ports.workflows, 'a', 3);
  await adapters.close();
  const { workflows } = openFile(path).adapters.ports;
  expect((await workflows.versions('a', { limit: 9, offset: 0 }))?.items).toEqual(
    [3, 2, 1].map((version) => sampleVersion('a', version)),
  );
  expect(await workflows.replace(sampleVersion('a', 4))).toBe('replaced');
});

test('a claim of a process that was killed is free at once', async () => {
  const { path, adapters } = await makeFile();
  const claim = { key: 'key', fingerprint: 'f', owner: 'before', reference: 'r', keepMs: 60_000 };
  await adapters.ports.idempotency.claim(claim);
  const copy = join(dirname(path), 'copy.db');
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
  const { idempotency } = openFile(copy).adapters.ports;
  const again = { ...claim, owner: 'after', reference: 's' };
  expect(await idempotency.claim(again)).toMatchObject({ status: 'lapsed', reference: 'r' });
  expect(await idempotency.claim(again, true)).toMatchObject({ status: 'claimed', isResumed: true });
  expect(await idempotency.claim(claim)).toMatchObject({ status: 'in_progress' });
});

test('counts survive a restart', async () => {
  const { path, adapters } = await makeFile();
  const now = Date.now();
  adapters.ports.stats.add(now, 'runs.completed');
  await adapters.close();
  const { minutes } = await openFile(path).adapters.ports.stats.read(now - 60_000, now + 60_000);
  expect(minutes).toHaveLength(1);
});
