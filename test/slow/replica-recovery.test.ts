import { afterEach, describe, expect, test } from 'vitest';
import {
  define,
  getRun,
  pollEvents,
  post,
  startRun,
  startServices,
  work,
} from '../support/process/services.ts';
import { sharedStores } from '../support/process/shared-store.ts';
import { until } from '../support/until.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A replica is gone after 20 seconds; another one has looked for its runs 5 seconds later. */
const RECOVERY_MS = 60_000;

const ends = ['COMPLETED', 'FAILED', 'CANCELLED'];
const isEnd = ({ type }: { readonly type: string }) => /^execution\.(completed|failed|cancelled)$/.test(type);

describe.each(sharedStores)('with $name, a process that is gone', ({ kind }) => {
  async function start() {
    const services = await startServices(kind);
    closing.push(services.close);
    return services;
  }

  test('by SIGKILL: a run whose cancel waits ends CANCELLED, and the others FAILED, each once', {
    timeout: 120_000,
  }, async () => {
    const { one, two, calls } = await start();
    const workflow = await define(
      one,
      work('first'),
      work('second', ['first'], {}),
      work('third', ['second']),
    );
    const [cancelled, interrupted] = [await startRun(one, workflow), await startRun(one, workflow)];
    for (const runId of [cancelled, interrupted]) {
      await until('its second step acts', async () => {
        return (await getRun(two, runId)).step_results['second']?.status === 'RUNNING';
      });
    }
    // A suspended process cannot handle the signal, so that it still waits when the process is killed.
    one.process.kill('SIGSTOP');
    expect(await post(two, `/runs/${cancelled}/cancel`, { reason: 'too late' })).toMatchObject({
      status: 202,
    });
    one.process.kill('SIGKILL');
    for (const [runId, status] of [
      [cancelled, 'CANCELLED'],
      [interrupted, 'FAILED'],
    ] as const) {
      await until(
        `it is ${status}`,
        async () => ends.includes((await getRun(two, runId)).status),
        RECOVERY_MS,
      );
      const step = status === 'CANCELLED' ? 'CANCELLED' : 'FAILED';
      expect(await getRun(two, runId)).toMatchObject({
        status,
        error: status === 'FAILED' ? 'interrupted' : expect.stringContaining('too late'),
        step_results: {
          first: { status: 'COMPLETED' },
          second: { status: step },
          third: { status: 'SKIPPED' },
        },
      });
      const events = await pollEvents(two, runId);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.filter(isEnd)).toEqual([events.at(-1)]);
      expect((await calls()).filter((key) => key.startsWith(runId))).toEqual([
        `${runId}:first`,
        `${runId}:second`,
      ]);
    }
    expect((await post(two, `/runs/${interrupted}/retry`)).status).toBe(202);
    expect((await post(two, `/runs/${interrupted}/cancel`)).status).toBe(202);
    await until('it is cancelled', async () => (await getRun(two, interrupted)).status === 'CANCELLED');
  });

  test('by SIGSTOP: it changes nothing of its runs when it goes on, and serves again', {
    timeout: 120_000,
  }, async () => {
    const { one, two, calls } = await start();
    const workflow = await define(one, work('only', [], { ms: 2_000 }));
    const runId = await startRun(one, workflow);
    await until('it acts', async () => (await calls()).length === 1);
    await until('its start is stored', async () => (await getRun(two, runId)).status === 'RUNNING');
    one.process.kill('SIGSTOP');
    await until('it has ended', async () => (await getRun(two, runId)).status === 'FAILED', RECOVERY_MS);
    const before = await pollEvents(two, runId);
    const retried = await post(two, `/runs/${runId}/retry`);
    expect(retried.status).toBe(202);
    one.process.kill('SIGCONT');
    await until('it is completed', async () => (await getRun(two, runId)).status === 'COMPLETED');
    const events = await pollEvents(two, runId);
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.filter(isEnd).map(({ type }) => type)).toEqual(['execution.failed', 'execution.completed']);
    expect(await calls()).toEqual([`${runId}:only`, `${runId}:only`]);
    await until('the other process serves', async () => {
      return (await fetch(`${one.baseUrl}/health?probe=ready`)).status === 200;
    });
    expect(await getRun(one, runId)).toEqual(await getRun(two, runId));
    const another = await startRun(one, workflow);
    await until('it runs', async () => (await getRun(two, another)).status === 'COMPLETED');
  });
});
