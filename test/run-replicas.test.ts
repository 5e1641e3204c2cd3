import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../src/entries/client.ts';
import { bodyOf } from './support/process/service.ts';
import {
  define,
  type EventBody,
  getRun,
  pollEvents,
  post,
  type Services,
  startRun,
  startServices,
  work,
} from './support/process/services.ts';
import { sharedStores } from './support/process/shared-store.ts';
import { until } from './support/until.ts';

/** Far below the five seconds after which a cancel must have taken effect, with room for a busy machine. */
const CANCEL_MS = 5_000;

describe.each(sharedStores)('with $name', ({ kind }) => {
  let services: Services;

  beforeAll(async () => {
    services = await startServices(kind, { MAX_BACKGROUND_RUNS: '1' });
  });
  afterAll(() => services.close());

  const untilStatus = (runId: string, status: string, withinMs?: number) =>
    until(
      `the run is ${status}`,
      async () => (await getRun(services.two, runId)).status === status,
      withinMs,
    );

  describe('a run of another replica', () => {
    test('is cancelled within five seconds, while it acts and while it waits in the queue', async () => {
      const { one, two } = services;
      const workflow = await define(one, work('only', [], {}));
      const acting = await startRun(one, workflow);
      const waiting = await startRun(one, workflow);
      await untilStatus(acting, 'RUNNING');
      expect((await getRun(two, waiting)).status).toBe('PENDING');
      const cancels = await Promise.all(
        [waiting, acting].map((runId) => post(two, `/runs/${runId}/cancel`, { reason: 'no longer needed' })),
      );
      expect(cancels.map(({ status }) => status)).toEqual([202, 202]);
      await Promise.all([acting, waiting].map((runId) => untilStatus(runId, 'CANCELLED', CANCEL_MS)));
      expect((await getRun(two, acting)).step_results['only']?.status).toBe('CANCELLED');
      expect((await getRun(two, waiting)).step_results['only']).toMatchObject({
        status: 'SKIPPED',
        attempts: 0,
      });
      const calls = await services.calls();
      expect(calls.filter((key) => key.startsWith(waiting))).toEqual([]);
      const repeat = await post(two, `/runs/${acting}/cancel`);
      expect(repeat).toMatchObject({ status: 200, body: await getRun(one, acting) });
    });

    test('is retried, rerun and deleted, also at the same time from both replicas', async () => {
      const { one, two } = services;
      const steps = [work('first'), work('second', ['first'], { ms: 1, fails: true })];
      const workflow = await define(one, ...steps);
      const runId = await startRun(one, workflow);
      await untilStatus(runId, 'FAILED');
      const retries = await Promise.all(
        [one, two, one, two].map((each) => post(each, `/runs/${runId}/retry`)),
      );
      expect(retries.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
      await untilStatus(runId, 'COMPLETED');
      const record = await getRun(two, runId);
      expect(record).toMatchObject({
        attempt: 2,
        step_results: { first: { attempts: 1 }, second: { attempts: 2 } },
      });
      expect((await services.calls()).filter((key) => key.startsWith(runId))).toEqual([
        ...[`${runId}:first`, `${runId}:second`, `${runId}:second`],
      ]);

      const path = `/runs/${runId}/rerun`;
      const rerun = await post(two, path, { from_step: 'second', background: false });
      expect(rerun).toMatchObject({ status: 200, body: { status: 'FAILED', rerun_of: runId } });
      const again = rerun.body.execution_id;
      expect((await services.calls()).filter((key) => key.startsWith(again))).toEqual([`${again}:second`]);

      const remove = ({ baseUrl }: typeof one, id: string) =>
        fetch(`${baseUrl}/runs/${id}`, { method: 'DELETE' });
      const removed = await Promise.all([one, two].map((each) => remove(each, runId)));
      expect(removed.map(({ status }) => status).sort()).toEqual([204, 404]);
      for (const { baseUrl } of [one, two]) {
        expect((await fetch(`${baseUrl}/runs/${runId}`)).status).toBe(404);
        expect((await fetch(`${baseUrl}/workflows/${workflow}/runs/${runId}/events`)).status).toBe(404);
      }
      expect(await getRun(one, again)).toEqual(rerun.body);
    });

    test('shows each of its events once and in order while it goes on, as JSON and as a stream', async () => {
      const { one, two } = services;
      const ids = Array.from({ length: 25 }, (_, index) => `s${index}`);
      const workflow = await define(
        one,
        ...ids.map((id, index) => work(id, ids.slice(Math.max(0, index - 1), index), { ms: 80 })),
      );
      const runId = await startRun(one, workflow);
      const streamed: EventBody[] = [];
      const arrivals: number[] = [];
      async function readStream(): Promise<void> {
        const url = `${two.baseUrl}/workflows/${workflow}/runs/${runId}/events`;
        for await (const event of readEvents(url)) {
          streamed.push(event as EventBody);
          arrivals.push(Date.now());
        }
      }
      const [polled] = await Promise.all([pollEvents(two, runId), readStream()]);
      expect(polled.map(({ seq }) => seq)).toEqual(polled.map((_, index) => index + 1));
      expect(streamed).toEqual(polled);
      expect(await pollEvents(one, runId)).toEqual(polled);
      expect(polled.at(-1)?.type).toBe('execution.completed');
      expect(polled.filter(({ type }) => type === 'step.completed')).toHaveLength(25);
      const endedAt = Date.parse(String(polled.at(-1)?.at));
      expect(arrivals[0]).toBeLessThan(endedAt);
    });
  });

  describe('requests with the same Idempotency-Key to both replicas', () => {
    test('start one run, and one rerun', async () => {
      const { one, two } = services;
      const workflow = await define(one, work('only', [], { ms: 300 }));
      async function sendAll(path: string, key: string, body: object): Promise<string> {
        const headers = { 'Idempotency-Key': key };
        const replies = await Promise.all(
          Array.from({ length: 50 }, (_, index) => post(index % 2 === 0 ? one : two, path, body, headers)),
        );
        for (const { status } of replies) expect([200, 409]).toContain(status);
        const first = replies.filter(
          (reply) => reply.status === 200 && !reply.headers.has('idempotency-replayed'),
        );
        expect(first).toHaveLength(1);
        const runId = first[0]?.body.execution_id ?? expect.fail();
        for (const each of [one, two]) {
          const replay = await post(each, path, body, headers);
          expect(replay).toMatchObject({ status: 200, body: first[0]?.body });
          expect(replay.headers.get('idempotency-replayed')).toBe('true');
        }
        expect((await services.calls()).filter((call) => call.startsWith(runId))).toHaveLength(1);
        return runId;
      }
      const runId = await sendAll(`/workflows/${workflow}/run`, 'run-once', { input: { order: 7 } });
      const rerunId = await sendAll(`/runs/${runId}/rerun`, 'rerun-once', { background: false });
      const listing = await fetch(`${two.baseUrl}/workflows/${workflow}/runs`);
      const { executions } = await bodyOf<{ executions: { execution_id: string }[] }>(listing);
      expect(executions.map(({ execution_id }) => execution_id)).toEqual([rerunId, runId]);
    });
  });

  describe('the feed of a replica', () => {
    test('shows what happens in the other, live and afterwards', async () => {
      const { one, two } = services;
      const workflow = await define(one, work('only'));
      const live: EventBody[] = [];
      const stop = new AbortController();
      const isConnected = Promise.withResolvers<void>();
      async function readFeed(): Promise<void> {
        const options = {
          signal: stop.signal,
          async fetch(url: string, init: RequestInit) {
            const response = await fetch(url, init);
            isConnected.resolve();
            return response;
          },
        };
        const url = `${two.baseUrl}/events?workflow_id=${workflow}`;
        for await (const event of readEvents(url, options)) live.push(event as EventBody);
      }
      const reading = readFeed();
      await isConnected.promise;
      const { body } = await post(one, `/workflows/${workflow}/run`);
      const expected = await pollEvents(one, body.execution_id);
      const ofRun = (events: readonly EventBody[]) =>
        events.filter(({ subject }) => subject.id === body.execution_id);
      await until('the stream has the end', () => ofRun(live).at(-1)?.type === 'execution.completed');
      stop.abort();
      await reading;
      expect(ofRun(live)).toEqual(expected);
      const listing = await fetch(`${two.baseUrl}/events?workflow_id=${workflow}&limit=200`);
      const { events } = await bodyOf<{ events: EventBody[] }>(listing);
      expect(ofRun(events)).toEqual(expected.toReversed());
    });
  });
});
