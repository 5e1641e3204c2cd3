import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readAll, writeRecords } from './support/process/records.ts';
import { bodyOf, postJson, runToEnd, type Service, startService } from './support/process/service.ts';
import { checkAcknowledged, writeUntilKilled } from './support/sqlite/kills.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function start(folder: string, settings: Record<string, string> = {}): Promise<Service> {
  const service = await startService(
    { TRACE_BACKEND: 'sqlite', RATE_LIMIT_REQUESTS: '1000000', ...settings },
    folder,
  );
  cleanups.push(() => service.stop());
  return service;
}

async function stop({ process, exited }: Service): Promise<void> {
  process.kill('SIGTERM');
  expect((await exited).code).toBe(0);
}

const message = { customer_id: 'c-1', message: 'I want a refund for my broken blender.' };
const read = async (url: string): Promise<unknown> => bodyOf(await fetch(url));

describe('the service on a file', () => {
  test('shows the same messages, workflows, runs and routes after a restart', async () => {
    const folder = await newFolder();
    const first = await start(folder);
    const { paths, runId } = await writeRecords(first.baseUrl, 'c-1');
    const before = await readAll(first.baseUrl, paths);
    const bodyAt = (path: string) => before.find((shown) => shown.path === path)?.body;
    expect(before.filter(({ status }) => status !== 200)).toEqual([]);
    expect(bodyAt('/trace/')).toMatchObject({ total: 1 });
    expect(bodyAt('/trace/?intent=refund&customer_id=c-1&status=COMPLETED')).toMatchObject({ total: 1 });
    expect(bodyAt(`/runs/${runId}`)).toMatchObject({ status: 'COMPLETED' });
    expect(await read(`${first.baseUrl}/health`)).toMatchObject({
      status: 'ok',
      checks: { sqlite: 'ok', kvstore: 'not_configured' },
    });
    await stop(first);

    const second = await start(folder);
    expect(await readAll(second.baseUrl, paths)).toEqual(before);
    expect((await fetch(`${second.baseUrl}/runs/${runId}`, { method: 'DELETE' })).status).toBe(204);
  });

  test('loses nothing that it acknowledged when it is killed while it writes', async () => {
    const folder = await newFolder();
    for (let round = 0; round < 2; round++) {
      const service = await start(folder);
      const acknowledged = await writeUntilKilled(service, 10 + 25 * round);
      const again = await start(folder);
      const checked = await checkAcknowledged(again.baseUrl, acknowledged);
      expect(checked.missing).toEqual([]);
      expect(checked.unended).toEqual([]);
      expect(checked.changed).toEqual([]);
      await stop(again);
    }
  });

  test('records runs that a kill interrupted as such at the next start', async () => {
    const folder = await newFolder();
    await writeFile(
      join(folder, 'slow.mjs'),
      `export default ({ agents }) =>
  agents.register({ name: 'slow', description: 'Never answers.', handle: () => new Promise(() => {}) });
`,
    );
    const settings = { EXTENSIONS: './slow.mjs' };
    const service = await start(folder, settings);
    const steps = [{ id: 'slow', kind: 'agent', agent_name: 'slow' }];
    const { id } = await bodyOf<{ id: string }>(
      await postJson(`${service.baseUrl}/workflows`, { name: 'w', steps }),
    );
    const run = await bodyOf<{ execution_id: string }>(
      await postJson(`${service.baseUrl}/workflows/${id}/run`, { background: true }),
    );
    const path = `/runs/${run.execution_id}`;
    await expect.poll(() => read(service.baseUrl + path)).toMatchObject({ status: 'RUNNING' });
    await service.stop();
    const again = await start(folder, settings);
    await expect
      .poll(() => read(again.baseUrl + path), { timeout: 5_000 })
      .toMatchObject({ status: 'FAILED', error: 'interrupted' });
  });

  test('frees the idempotency key of a killed process at once, and keeps answers over restarts', async () => {
    const folder = await newFolder();
    const headers = { 'Idempotency-Key': 'key-1' };
    const first = await start(folder);
    const reply = await postJson(`${first.baseUrl}/messages`, message, headers);
    const body = await reply.text();
    await expect
      .poll(async () =>
        (await postJson(`${first.baseUrl}/messages`, message, headers)).headers.get('idempotency-replayed'),
      )
      .toBe('true');
    await first.stop();
    const second = await start(folder);
    const repeated = await postJson(`${second.baseUrl}/messages`, message, headers);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(await repeated.text()).toBe(body);
  });

  test('is refused to a second process, in one line with exit code 1', async () => {
    const folder = await newFolder();
    const service = await start(folder);
    const second = await runToEnd({ TRACE_BACKEND: 'sqlite', PORT: '0' }, folder);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(
      /^SQLITE_PATH: \S+\/data\/orchestration\.db is in use by another process\n$/,
    );
    expect((await postJson(`${service.baseUrl}/messages`, message)).status).toBe(200);
  });

  test('does not start on a file that is none of its own, and says so in one line', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'notes.txt'), 'These are notes.\n');
    const ended = await runToEnd({ TRACE_BACKEND: 'sqlite', SQLITE_PATH: 'notes.txt', PORT: '0' }, folder);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^SQLITE_PATH: \S+notes\.txt is not a database of this service; name another file\n$/,
    );
  });
});
