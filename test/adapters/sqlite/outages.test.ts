import { renameSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { SqliteFile } from '../../../src/adapters/sqlite/file.ts';
import { createHealth } from '../../../src/application/health.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import { createHttpApp } from '../../../src/entries/http.ts';
import { storeVersions } from '../../contracts/definition-store.ts';
import { at, handled, sampleItem } from '../../contracts/inbox-store-samples.ts';
import { recordLogs } from '../../support/fakes.ts';
import { bodyOf } from '../../support/process/service.ts';
import { type FileAdapters, makeFile, openFile } from '../../support/sqlite/files.ts';
import { sampleTrace } from '../../support/sqlite/traces.ts';
import { append, ended, endOf, newRun, running, stepCompleted } from '../../support/workflow/run-events.ts';

const unavailable = { code: 'unavailable' };

/** Lets the file grow no further: SQLite answers as on a full disk. */
function fill({ database }: SqliteFile): void {
  database.exec('PRAGMA max_page_count = 1');
}

function makeRoom({ database }: SqliteFile): void {
  database.exec('PRAGMA max_page_count = 1000000');
}

/** A trace of about 200 KB, which needs new pages. */
const largeTrace = (id: string): Trace => sampleTrace(id, { message: 'x'.repeat(200_000) });

async function untilAvailable({ ports }: FileAdapters): Promise<void> {
  await vi.waitFor(() => ports.storage.assertAvailable(), { timeout: 10_000, interval: 50 });
}

describe('a full disk', () => {
  test('rejects what needs the store, keeps finished work, and recovers by itself', async () => {
    const logger = recordLogs();
    const { file, adapters } = await makeFile({ logger });
    const { ports } = adapters;
    await ports.traces.put(largeTrace('before'));
    await ports.runs.create(newRun('run'));
    await storeVersions(ports.workflows, 'x', 1);
    fill(file);

    await ports.traces.put(largeTrace('during'));
    expect(() => ports.storage.assertAvailable()).toThrow('the store cannot serve requests now');
    expect(await adapters.probe()).toBe('error');
    await expect(ports.runs.create(newRun('other'))).rejects.toMatchObject(unavailable);
    await expect(append(ports.runs, 'run', 1, [stepCompleted('a')], running())).rejects.toMatchObject(
      unavailable,
    );
    await expect(ports.workflows.delete('x')).rejects.toMatchObject(unavailable);

    expect(await ports.traces.get('before')).toEqual(largeTrace('before'));
    expect(await ports.traces.get('during')).toEqual(largeTrace('during'));
    expect(await ports.runs.summary('run')).toMatchObject({ status: 'PENDING' });

    makeRoom(file);
    await untilAvailable(adapters);
    expect(await adapters.probe()).toBe('ok');
    await expect.poll(async () => (await ports.traces.list({ limit: 9, offset: 0 })).total).toBe(2);
    expect(await append(ports.runs, 'run', 1, [endOf()], ended())).toBe('appended');
    expect(logger.lines.map(({ message, reason }) => [message, reason])).toEqual([
      ['the store is not available', 'full'],
      ['the store is available', undefined],
    ]);
    expect(file.database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  test('keeps a message with its item and its entries together until it can be stored', async () => {
    const { file, adapters } = await makeFile();
    const { traces, inbox, conversations } = adapters.ports;
    await conversations.enter('c-1', 'customer-1', at(0));
    await conversations.record(handled('before', 'c-1'));
    await inbox.create(sampleItem('open'));
    fill(file);
    const message = (id: string) =>
      handled(id, 'c-1', { withItem: true, text: `Text of ${id} `.repeat(10_000) });
    for (const id of ['during', 'during', 'deleted']) await conversations.record(message(id));
    expect(await traces.get('during')).toEqual(message('during').trace);
    expect(await inbox.get('item-of-during')).toBeUndefined();
    for (const change of [
      () => inbox.create(sampleItem('other', { excerpt: 'x'.repeat(100_000) })),
      () => inbox.claimNext({ assignee: 'ann', claimedUntil: at(1) }),
      () => conversations.enter('c-2', 'customer-1', at(0)),
      () => conversations.removeEntries('c-1', 'before'),
      () => conversations.delete('c-1'),
      () => traces.delete('before'),
    ]) {
      await expect(change()).rejects.toMatchObject(unavailable);
    }
    // It was nowhere but in memory.
    expect(await traces.delete('deleted')).toBe(true);
    expect(await traces.get('deleted')).toBeUndefined();
    const before = await conversations.get('c-1');
    expect(before).toMatchObject({ openItemId: null, entries: handled('before', 'c-1').entries });

    makeRoom(file);
    await untilAvailable(adapters);
    // A listing finds what has waited.
    expect((await traces.list({ limit: 9, offset: 0 })).items.map(({ traceId }) => traceId)).toEqual([
      ...['during', 'before'],
    ]);
    const { items } = await inbox.list({}, { limit: 9 });
    expect(items).toHaveLength(2);
    expect(items).toContainEqual(message('during').item);
    expect(await conversations.get('c-1')).toMatchObject({
      openItemId: 'item-of-during',
      entries: [...(before?.entries ?? []), ...message('during').entries],
    });
  });

  test('answers 503 over HTTP until there is room', async () => {
    const { file, adapters } = await makeFile();
    const orchestrator = createOrchestrator(defaultPorts(adapters.ports));
    const { storage } = adapters.ports;
    const health = createHealth({ clock: systemClock, storage }, { sqlite: adapters.probe });
    const app = createHttpApp({ orchestrator, health });
    const post = (path: string, body: unknown) =>
      app.request(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const message = { customer_id: 'c-1', message: `Where is my order? ${'x'.repeat(10_000)}` };
    fill(file);
    let replies = 0;
    let last = await post('/messages', message);
    const traceIds: string[] = [];
    for (; last.status === 200 && replies < 100; replies++) {
      traceIds.push((await bodyOf<{ trace_id: string }>(last)).trace_id);
      last = await post('/messages', message);
    }
    expect(last.status).toBe(503);
    expect(last.headers.get('retry-after')).toBe('1');
    expect((await post('/workflows', { name: 'w', steps: [{ id: 'a', tool_name: 't' }] })).status).toBe(503);
    expect((await app.request('/health?probe=ready')).status).toBe(503);
    makeRoom(file);
    await untilAvailable(adapters);
    expect((await post('/messages', message)).status).toBe(200);
    expect((await app.request('/health?probe=ready')).status).toBe(200);
    // Every message that was answered has its trace, also the one whose write failed.
    for (const id of traceIds) expect((await app.request(`/trace/${id}`)).status).toBe(200);
    await orchestrator.close();
  });

  test('writes nothing of a transaction that did not fit', async () => {
    const { file, adapters } = await makeFile();
    const { runs } = adapters.ports;
    fill(file);
    const input = { text: 'x'.repeat(100_000) };
    const outcomes = await Promise.allSettled([1, 2, 3].map((id) => runs.create(newRun(`${id}`, { input }))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    makeRoom(file);
    await untilAvailable(adapters);
    expect((await runs.listAll({}, { limit: 9 })).items).toEqual([]);
  });

  test('keeps no run from being claimed whose release could not be written', async () => {
    const { file, adapters } = await makeFile();
    const { runs } = adapters.ports;
    await runs.create(newRun('run'));
    fill(file);
    await expect(
      runs.create(newRun('large', { input: { text: 'x'.repeat(100_000) } })),
    ).rejects.toMatchObject(unavailable);
    await expect(runs.release('run')).rejects.toMatchObject(unavailable);
    makeRoom(file);
    await untilAvailable(adapters);
    expect(await runs.claim('run')).toMatchObject({ crashed: false, run: { runId: 'run' } });
    expect(await runs.claim('run')).toBeUndefined();
    expect(await append(runs, 'run', 1, [stepCompleted('a')], running())).toBe('appended');
    expect(await runs.claim('run')).toBeUndefined();
    await runs.release('run');
    expect(await runs.claim('run')).toMatchObject({ crashed: false });
  });

  test('drops the oldest of too many traces that wait, and counts them', async () => {
    let dropped = 0;
    const { file, adapters } = await makeFile({ onDropped: () => dropped++ });
    const { traces } = adapters.ports;
    fill(file);
    const message = 'x'.repeat(8_000_000);
    for (let number = 0; number < 10; number++) await traces.put(sampleTrace(`${number}`, { message }));
    // 64 MiB fit.
    expect(dropped).toBe(2);
    expect(await traces.get('1')).toBeUndefined();
    expect(await traces.get('2')).toMatchObject({ traceId: '2' });
    makeRoom(file);
  });

  test('opens a file that is full, and records interrupted runs once there is room', async () => {
    const { path, adapters } = await makeFile();
    await adapters.ports.runs.create(newRun('run'));
    await adapters.close();
    const again = openFile(path);
    fill(again.file);
    const told: string[] = [];
    again.adapters.ports.runs.listen({
      onSignal: () => undefined,
      onLost: () => undefined,
      async onAbandoned(runId) {
        told.push(runId);
        const large = stepCompleted('a', { text: 'x'.repeat(100_000) });
        await append(again.adapters.ports.runs, runId, 1, [large, endOf('FAILED')], ended('FAILED'));
      },
    });
    await expect.poll(() => told).toHaveLength(1);
    makeRoom(again.file);
    await vi.waitFor(
      async () => expect(await again.adapters.ports.runs.summary('run')).toMatchObject({ status: 'FAILED' }),
      { timeout: 10_000 },
    );
  });
});

describe('a file that was moved away', () => {
  test('takes nothing that a restart would not find, and is used again when it is back', async () => {
    const logger = recordLogs();
    const { path, adapters } = await makeFile({ logger });
    const { ports } = adapters;
    await ports.runs.create(newRun('before'));
    renameSync(path, `${path}.moved`);
    expect(await adapters.probe()).toBe('error');
    await expect(ports.runs.create(newRun('during'))).rejects.toMatchObject(unavailable);
    expect(() => ports.storage.assertAvailable()).toThrow('the store cannot serve requests now');
    renameSync(`${path}.moved`, path);
    await untilAvailable(adapters);
    await ports.runs.create(newRun('after'));
    expect((await ports.runs.listAll({}, { limit: 9 })).items.map(({ runId }) => runId)).toEqual([
      'after',
      'before',
    ]);
    expect(logger.lines.map(({ reason }) => reason)).toEqual(['gone', undefined]);
  });
});
