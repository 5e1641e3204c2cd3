import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestApp, expectError } from '../../support/http/app.ts';
import {
  createGrowingLog,
  openStream,
  readUntil,
  startEventServer,
} from '../../support/http/event-server.ts';
import { until } from '../../support/until.ts';

const servers: Awaited<ReturnType<typeof startEventServer>>[] = [];

async function serve(...args: Parameters<typeof startEventServer>) {
  const server = await startEventServer(...args);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ server }) => server.close()));
});

const idsIn = (text: string): number[] => Array.from(text.matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('a stream of events', () => {
  test('begins with the retry time and the first event, goes on live, and ends with the run', async () => {
    const log = createGrowingLog();
    log.append(2);
    const { url } = await serve(log.source);
    const response = await openStream(url);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const reading = readUntil(response, undefined);
    await until('the stream waits', () => log.waiting === 1);
    log.append();
    log.end();
    const text = await reading;
    const data = {
      seq: 1,
      type: 'step.completed',
      at: '1970-01-01T00:00:00.000Z',
      subject: { kind: 'execution', id: 'run', workflow_id: 'w' },
      data: { step_id: 'step-1', attempts: 1, duration_ms: 1 },
    };
    expect(
      text.startsWith(`retry: 2000\n\nid: 1\nevent: step.completed\ndata: ${JSON.stringify(data)}\n\n`),
    ).toBe(true);
    expect(idsIn(text)).toEqual([1, 2, 3]);
    expect(text.endsWith('\n\nevent: stream.end\ndata: {}\n\n')).toBe(true);
  });

  test('goes on after Last-Event-ID, which wins over after', async () => {
    const log = createGrowingLog();
    log.append(600);
    log.end();
    const { url } = await serve(log.source);
    const text = await readUntil(await openStream(`${url}?after=9`, { 'Last-Event-ID': '4' }), undefined);
    expect(idsIn(text)).toEqual(numbers(5, 600));
    expect(idsIn(await readUntil(await openStream(`${url}?after=597`), undefined))).toEqual([598, 599, 600]);
  });

  test('is 204 when the client has all events of an ended run', async () => {
    const log = createGrowingLog();
    log.append(3);
    log.end();
    const { url } = await serve(log.source);
    for (const id of ['3', '99']) {
      expect((await openStream(url, { 'Last-Event-ID': id })).status).toBe(204);
    }
  });

  test.each(['x', '-1', '1.5', '', '9'.repeat(16)])('is 422 for the last id %j', async (id) => {
    const { request } = createTestApp();
    const { url } = await serve(createGrowingLog().source);
    const response = await openStream(url, { 'Last-Event-ID': id });
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('Last-Event-ID')]);
    expect((await request('/events')).status).toBe(200);
  });

  test('gets a comment when nothing else was sent', async () => {
    const log = createGrowingLog();
    const { url } = await serve(log.source, { commentAfterMs: 300, stalledAfterMs: 60_000 });
    const text = await readUntil(await openStream(url), ': still here\n\n: still here\n\n');
    expect(text).toBe('retry: 2000\n\n: still here\n\n: still here\n\n');
  });

  test('shares the reading with other streams, and releases everything when it is closed', async () => {
    const log = createGrowingLog();
    const { url, metrics } = await serve(log.source);
    const responses = await Promise.all(numbers(1, 30).map(() => openStream(url)));
    const texts = Promise.all(responses.map((response) => readUntil(response, 'id: 5\n')));
    await until('all streams wait', () => log.waiting === 1 && metrics.open === 30);
    const before = log.reads;
    for (let index = 0; index < 5; index++) {
      log.append();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const text of await texts) expect(idsIn(text)).toEqual([1, 2, 3, 4, 5]);
    expect(log.reads - before).toBeLessThan(20);
    await until('all streams are closed', () => metrics.open === 0 && log.waiting === 0);
    expect(metrics.sent).toBe(150);
  });

  test('over the limit is 503 with Retry-After', async () => {
    const { url, metrics } = await serve(createGrowingLog().source, { maxStreams: 1 });
    const first = await openStream(url);
    await expect(
      openStream(url).then(async (response) => [
        response.status,
        response.headers.get('retry-after'),
        await response.json(),
      ]),
    ).resolves.toEqual([
      503,
      '5',
      { error: 'Service Unavailable', detail: 'the limit of 1 event streams is reached' },
    ]);
    expect(metrics.rejected).toBe(1);
    await first.body?.cancel();
    await until('the first is closed', () => metrics.open === 0);
    await (await openStream(url)).body?.cancel();
  });

  test('ends at the shutdown, also for a client that takes nothing', async () => {
    const log = createGrowingLog();
    log.append(20_000, 'x'.repeat(500));
    const { url, port, shutdown, metrics, server } = await serve(log.source);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
    const waiting = await openStream(`${url}?after=20000`);
    await until('both are open', () => metrics.open === 2);
    const startedAt = performance.now();
    shutdown.abort();
    expect(await readUntil(waiting, undefined)).not.toContain('stream.end');
    socket.on('error', () => undefined);
    await Promise.race([server.drain(20_000), new Promise((resolve) => socket.once('close', resolve))]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(metrics.open).toBe(0);
    expect((await openStream(url).catch(() => undefined))?.status ?? 503).toBe(503);
    socket.destroy();
  });

  test('is closed when its client takes nothing, and no more is read than the buffers hold', async () => {
    const log = createGrowingLog();
    log.append(100_000, 'x'.repeat(500));
    const { port, metrics } = await serve(log.source, {
      commentAfterMs: 60_000,
      stalledAfterMs: 1_000,
    });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
    await until('the stream is open', () => metrics.open === 1);
    await until('it is closed', () => metrics.open === 0);
    expect(metrics.sent).toBeLessThan(50_000);
    socket.destroy();
  });
});

describe('a page of events', () => {
  test('says where it is, and whether the run has ended', async () => {
    const log = createGrowingLog();
    log.append(3);
    const { url } = await serve(log.source);
    const page = async (query: string) => {
      const { events, ...rest } = (await (await fetch(url + query)).json()) as { events: { seq: number }[] };
      return { seqs: events.map(({ seq }) => seq), ...rest };
    };
    expect(await page('?limit=2')).toEqual({ seqs: [1, 2], last_seq: 3, ended: false });
    log.end();
    expect(await page('?limit=2')).toEqual({ seqs: [1, 2], last_seq: 3, ended: false });
    expect(await page('?after=2')).toEqual({ seqs: [3], last_seq: 3, ended: true });
    expect(await page('?after=7&wait=30')).toEqual({ seqs: [], last_seq: 3, ended: true });
  });

  test('waits for the next event, for the end, and at most as long as asked', async () => {
    const log = createGrowingLog();
    const { url } = await serve(log.source);
    const waiting = fetch(`${url}?wait=30`).then((response) => response.json());
    await until('it waits', () => log.waiting === 1);
    log.append();
    expect(await waiting).toMatchObject({ events: [{ seq: 1 }], last_seq: 1, ended: false });
    expect(await (await fetch(`${url}?after=1&wait=1`)).json()).toMatchObject({ events: [], ended: false });
    const last = fetch(`${url}?after=1&wait=30`).then((response) => response.json());
    await until('it waits', () => log.waiting === 1);
    log.end();
    expect(await last).toEqual({ events: [], last_seq: 1, ended: true });
  });

  test('stops waiting when the client is gone, and at the shutdown', async () => {
    const log = createGrowingLog();
    const { url, shutdown } = await serve(log.source);
    const controller = new AbortController();
    const gone = fetch(`${url}?wait=30`, { signal: controller.signal }).catch(() => undefined);
    await until('it waits', () => log.waiting === 1);
    controller.abort();
    await gone;
    await until('it waits no more', () => log.waiting === 0);
    const waiting = fetch(`${url}?wait=30`).then((response) => response.json());
    await until('another waits', () => log.waiting === 1);
    shutdown.abort();
    expect(await waiting).toEqual({ events: [], last_seq: 0, ended: false });
  });

  test.each(['after=x', 'after=-1', 'limit=0', 'limit=201', 'wait=31', 'wait=1.5', 'limit=1&limit=2'])(
    'is 422 for ?%s',
    async (query) => {
      const { request, post } = createTestApp();
      const sent = await post('/messages', { customer_id: 'c', message: 'hello' });
      const { trace_id } = (await sent.json()) as { trace_id: string };
      await expectError(await request(`/trace/${trace_id}/events?${query}`), 422, /^(?:after|limit|wait): /);
    },
  );
});
