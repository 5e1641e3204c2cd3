import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../src/entries/defaults.ts';
import { createOrchestrator } from '../src/entries/index.ts';
import { sqliteStorage } from '../src/entries/sqlite.ts';
import { fileTools } from './support/process/file-tools.ts';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waiting-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const shop = fileTools({ mail: { effect: 'write', until: 'sent' }, note: { effect: 'read' } });

async function start(folder: string): Promise<Service> {
  const settings = {
    TRACE_BACKEND: 'sqlite',
    RUN_RECOVERY: 'resume',
    RUN_UNKNOWN_OUTCOME: 'ask',
    EXTENSIONS: './shop.mjs',
    RATE_LIMIT_REQUESTS: '1000000',
  };
  const service = await startService(settings, folder);
  cleanups.push(() => service.stop());
  return service;
}

interface RunBody {
  readonly execution_id: string;
  readonly status: string;
  readonly waiting_for: readonly { readonly item_id: string }[];
}

describe('the service, killed while a write is under way', () => {
  const steps = [
    { id: 'mail', tool_name: 'mail', static_input: { to: 'c-42' } },
    { id: 'beside', tool_name: 'note' },
    { id: 'after', tool_name: 'note', depends_on: ['mail'], static_input: { mail: '$step.mail.id' } },
  ];

  async function killedRun() {
    const folder = await newFolder();
    await writeFile(join(folder, 'shop.mjs'), shop);
    const first = await start(folder);
    const workflow = await bodyOf<{ id: string }>(
      await postJson(`${first.baseUrl}/workflows`, { name: 'Tell', steps }),
    );
    const started = await bodyOf<RunBody>(
      await postJson(`${first.baseUrl}/workflows/${workflow.id}/run`, { background: true }),
    );
    const id = started.execution_id;
    const calls = () => readFile(join(folder, 'calls'), 'utf8').catch(() => '');
    await expect.poll(calls, { timeout: 10_000 }).toContain(`${id}:mail`);
    await first.stop();
    const again = () => start(folder);
    return { id, calls, again, folder };
  }

  const read = async ({ baseUrl }: Service, path: string) => bodyOf<RunBody>(await fetch(baseUrl + path));
  const untilStatus = (service: Service, id: string, status: string) =>
    expect.poll(async () => (await read(service, `/runs/${id}`)).status, { timeout: 10_000 }).toBe(status);

  test('asks what has happened at the next start, waits over further ones, and goes on by the answer', async () => {
    const { id, calls, again } = await killedRun();
    const second = await again();
    await untilStatus(second, id, 'WAITING');
    const waiting = await read(second, `/runs/${id}`);
    expect(waiting).toMatchObject({
      waiting_for: [{ kind: 'recovery', step_id: 'mail', item_id: expect.any(String) }],
      actions: ['cancel', 'resolve'],
      step_results: {
        mail: { status: 'WAITING', attempts: 1 },
        beside: { status: 'COMPLETED' },
        after: { status: 'PENDING' },
      },
    });
    const listed = await bodyOf(await fetch(`${second.baseUrl}/runs?status=WAITING`));
    expect(listed).toMatchObject({ executions: [{ execution_id: id, waiting_for: waiting.waiting_for }] });
    await second.stop();

    const third = await again();
    const path = `${third.baseUrl}/runs/${id}/steps/mail/resolve`;
    expect(await read(third, `/runs/${id}`)).toEqual(waiting);
    const decision = { outcome: 'completed', output: { id: 'm-1' }, by: 'ann' };
    const answers = await Promise.all([1, 2, 3].map(() => postJson(path, decision)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await postJson(path, decision)).status).toBe(409);
    await untilStatus(third, id, 'COMPLETED');
    expect(await read(third, `/runs/${id}`)).toMatchObject({
      waiting_for: [],
      step_results: {
        mail: { status: 'COMPLETED', output: { id: 'm-1' }, attempts: 1, duration_ms: null },
        after: { status: 'COMPLETED', output: { mail: 'm-1' } },
      },
    });
    const mails = (await calls()).split('\n').filter((key) => key === `${id}:mail`);
    expect(mails).toHaveLength(1);
  });

  test('sends it again where somebody says so, with the same key', async () => {
    const { id, calls, again, folder } = await killedRun();
    const second = await again();
    await untilStatus(second, id, 'WAITING');
    const path = `${second.baseUrl}/runs/${id}/steps/mail/resolve`;
    expect((await postJson(path, { outcome: 'retry' })).status).toBe(200);
    await expect.poll(async () => (await calls()).split(`${id}:mail`).length - 1).toBe(2);
    await writeFile(join(folder, 'sent'), '');
    await untilStatus(second, id, 'FAILED');
    expect(await read(second, `/runs/${id}`)).toMatchObject({
      // Its own output has no id.
      step_results: { mail: { status: 'COMPLETED', attempts: 2 }, after: { status: 'FAILED' } },
    });
  });

  test('goes on by the answer to the item of the inbox', async () => {
    const { id, again } = await killedRun();
    const second = await again();
    await untilStatus(second, id, 'WAITING');
    const { items } = await bodyOf<{ items: readonly { item_id: string }[] }>(
      await fetch(`${second.baseUrl}/inbox?kind=recovery`),
    );
    expect(items).toMatchObject([
      {
        kind: 'recovery',
        status: 'open',
        priority: 2,
        payload: { step_id: 'mail', tool_name: 'mail', input: { to: 'c-42' }, effect: 'write' },
      },
    ]);
    const item = `${second.baseUrl}/inbox/${items[0]?.item_id}`;
    const decision = { outcome: 'completed', output: { id: 'm-2' }, by: 'ann' };
    expect((await postJson(`${item}/resolve`, decision)).status).toBe(200);
    await untilStatus(second, id, 'COMPLETED');
    expect((await postJson(`${item}/resolve`, decision)).status).toBe(409);
    expect(await bodyOf(await fetch(item))).toMatchObject({
      status: 'resolved',
      resolution: { outcome: 'completed', by: 'ann' },
      execution: { step_results: { after: { output: { mail: 'm-2' } } } },
    });
  });

  test('ends a run that waits when it is cancelled', async () => {
    const { id, again } = await killedRun();
    const second = await again();
    await untilStatus(second, id, 'WAITING');
    expect((await postJson(`${second.baseUrl}/runs/${id}/cancel`, {})).status).toBe(202);
    await untilStatus(second, id, 'CANCELLED');
    const path = `${second.baseUrl}/runs/${id}/steps/mail/resolve`;
    expect((await postJson(path, { outcome: 'retry' })).status).toBe(409);
  });
});

describe('the inbox', () => {
  const recovery = { maxRecoveries: 3, unknownOutcome: 'ask' } as const;

  function open(path: string, isDurable = true) {
    const storage = sqliteStorage({ path });
    const orchestrator = createOrchestrator(defaultPorts(storage.ports), {}, isDurable ? { recovery } : {});
    const called: string[] = [];
    orchestrator.tools.register({
      name: 'mail',
      description: 'mail',
      effect: 'write',
      input: z.record(z.string(), z.json()),
      execute: () => {
        called.push('mail');
        return new Promise(() => undefined);
      },
    });
    orchestrator.start();
    const close = async (): Promise<void> => {
      await orchestrator.close(0);
      await storage.close();
    };
    return { orchestrator, called, close };
  }

  async function waitingItem() {
    const path = join(await newFolder(), 'runs.db');
    const first = open(path);
    const { id } = await first.orchestrator.workflows.create({
      name: 'Tell',
      description: '',
      steps: [{ id: 'mail', kind: 'tool', toolName: 'mail' }],
    });
    const { runId } = await first.orchestrator.workflows.run(id, { background: true });
    await expect.poll(() => first.called).toEqual(['mail']);
    await first.close();
    const second = open(path);
    cleanups.push(second.close);
    const { orchestrator } = second;
    const inbox = orchestrator.inbox ?? expect.fail();
    const items = async () => (await inbox.list({ kinds: ['recovery'] }, { limit: 10 })).items;
    await expect.poll(async () => (await items()).length).toBe(1);
    await expect.poll(async () => (await orchestrator.runs.get(runId)).status).toBe('WAITING');
    return { ...second, path, inbox, item: (await items())[0] ?? expect.fail(), runId };
  }

  test('decides about a step that was handed over, and the run goes on', async () => {
    const { orchestrator, inbox, item, runId } = await waitingItem();
    expect((await inbox.get(item.itemId)).run).toMatchObject({ runId, status: 'WAITING' });
    const decision = { outcome: 'completed', by: 'ann', note: 'it is in the log', output: { n: 1 } } as const;
    const resolved = await inbox.resolve(item.itemId, decision);
    expect(resolved).toMatchObject({ status: 'resolved', resolution: decision });
    await expect.poll(async () => (await orchestrator.runs.get(runId)).status).toBe('COMPLETED');
    const second = inbox.resolve(item.itemId, decision);
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
    await orchestrator.runs.delete(runId);
    expect((await inbox.get(item.itemId)).item).toMatchObject({ status: 'withdrawn', payload: null });
  });

  test('and the run decide once where both are asked at the same time', async () => {
    const { orchestrator, inbox, item, runId } = await waitingItem();
    const answers = await Promise.allSettled([
      inbox.resolve(item.itemId, { outcome: 'failed', by: 'ann' }),
      orchestrator.runs.resolve(runId, 'mail', { outcome: 'completed', by: 'bob' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { item: after, run } = await inbox.get(item.itemId);
    const isFirst = answers[0]?.status === 'fulfilled';
    expect(after.resolution).toMatchObject({ by: isFirst ? 'ann' : 'bob' });
    expect(run?.stepResults[0]?.status).toBe(isFirst ? 'FAILED' : 'COMPLETED');
  });

  test('keeps the item of a run that waits when runs are not durable from then on, and the answer counts', async () => {
    const { item, runId, close, path } = await waitingItem();
    await close();
    const { orchestrator, close: closeAgain } = open(path, false);
    cleanups.push(closeAgain);
    const inbox = orchestrator.inbox ?? expect.fail();
    expect((await orchestrator.runs.get(runId)).status).toBe('WAITING');
    await inbox.resolve(item.itemId, { outcome: 'completed', by: 'ann' });
    await expect.poll(async () => (await orchestrator.runs.get(runId)).status).toBe('COMPLETED');
    expect((await inbox.get(item.itemId)).item.status).toBe('resolved');
  });

  test('must be there where a person is asked', () => {
    expect(() => createOrchestrator(defaultPorts(), {}, { recovery, inbox: false })).toThrow(
      'recovery: the policy ask needs the inbox',
    );
  });
});
