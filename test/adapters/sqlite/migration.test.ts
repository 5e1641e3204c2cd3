import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { openSqliteFile } from '../../../src/adapters/sqlite/file.ts';
import { migrations, schemaVersion } from '../../../src/adapters/sqlite/schema.ts';
import type { RunSignal } from '../../../src/domain/run/events.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { createFiles } from '../../support/sqlite/files.ts';
import { sampleTrace } from '../../support/sqlite/traces.ts';
import {
  changedSummary,
  newEndedRun,
  newRun,
  numbered,
  running,
  sampleDefinition,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const files = createFiles();
const logger = silentLogger;

afterEach(() => files.removeAll());

/** A file that version 1 of the schema wrote. */
async function fileOfVersion1(): Promise<string> {
  const path = await files.newPath();
  mkdirSync(dirname(path));
  const database = new DatabaseSync(path);
  database.exec(readFileSync(new URL('version-1.sql', import.meta.url), 'utf8'));
  database.close();
  return path;
}

/** Noon of the day on which the file was written. */
const noon = () => createFakeClock(Date.UTC(2026, 0, 1, 12, 1));

const firstPage = { limit: 50, offset: 0 };

describe('a file of schema version 1', () => {
  test('is brought to the last version, with every record', async () => {
    const { file, adapters } = files.open(await fileOfVersion1(), { clock: noon() });
    const { traces, workflows, routes, runs, idempotency } = adapters.ports;
    expect(schemaVersion(file.database)).toBe(migrations.length);
    const traceList = [
      sampleTrace('trace-2', { status: 'FAILED', message: 'x'.repeat(5_000) }),
      sampleTrace('trace-1'),
    ];
    for (const trace of traceList) expect(await traces.get(trace.traceId)).toEqual(trace);
    expect((await traces.list(firstPage)).items).toEqual(traceList.map(({ timeline: _, ...rest }) => rest));
    expect(await traces.list(firstPage, { statuses: ['FAILED'] })).toMatchObject({ total: 1 });
    expect(await workflows.get('workflow-1')).toEqual(sampleDefinition());
    expect((await workflows.list(firstPage)).items).toEqual([sampleDefinition()]);
    expect(await routes.get('routing-1')).toMatchObject({ goal: 'Say hello.' });

    const active = newRun('active');
    const events = numbered(2, [stepStarted('step-0'), stepCompleted('step-0', { a: 1 })]);
    expect(await runs.get('active')).toEqual({
      ...{ runId: 'active', workflowId: 'workflow-1', definition: sampleDefinition() },
      events: [...active.events, ...events],
    });
    expect((await runs.list('workflow-1', {}, firstPage)).items).toEqual([
      newEndedRun('ended').summary,
      changedSummary(active.summary, running()),
    ]);

    const claim = { fingerprint: 'body', owner: 'new', reference: 'new', keepMs: 1_000 };
    expect(await idempotency.claim({ key: 'lapsed', ...claim })).toMatchObject({ status: 'lapsed' });
    // Its answer was kept for a minute.
    expect(await idempotency.claim({ key: 'completed', ...claim })).toMatchObject({ status: 'claimed' });
  });

  test('has its workflow as the first version, which can be changed', async () => {
    const { adapters } = files.open(await fileOfVersion1(), { clock: noon() });
    const { workflows, runs } = adapters.ports;
    const second = { ...sampleDefinition(), version: 2, name: 'changed' };
    expect(await workflows.version('workflow-1', 1)).toEqual(sampleDefinition());
    expect(await workflows.replace(second)).toBe('replaced');
    expect(await workflows.versions('workflow-1', firstPage)).toEqual({
      ...{ total: 2, ...firstPage, items: [second, sampleDefinition()] },
    });
    expect((await runs.get('active'))?.definition).toEqual(sampleDefinition());
  });

  test('has its inbox, conversations and examples', async () => {
    const { adapters } = files.open(await fileOfVersion1(), { clock: noon() });
    const { inbox, conversations, examples } = adapters.ports;
    const { items } = await inbox.list({}, { limit: 9 });
    expect(items.map(({ itemId, status, version }) => [itemId, status, version])).toEqual([
      ['item-of-trace-4', 'open', 1],
      ['item-of-trace-3', 'resolved', 2],
    ]);
    const conversation = await conversations.get('conversation-1');
    expect(conversation).toMatchObject({ customerId: 'customer-1', openItemId: 'item-of-trace-4' });
    expect(conversation?.entries.map(({ from, text }) => [from, text])).toEqual([
      ['customer', 'Text of trace-3'],
      ['service', 'Reply to trace-3'],
      ['customer', 'Text of trace-4'],
      ['service', 'Reply to trace-4'],
      ['person', 'A reply.'],
    ]);
    expect(await conversations.ofCustomer('customer-1')).toEqual(['conversation-1']);
    expect((await examples.list('inbox', { customerId: 'customer-1' }, { limit: 9 })).examples).toMatchObject(
      [{ exampleId: 'item-of-trace-3', intent: 'refund' }],
    );
    expect(
      await inbox.claimNext({ assignee: 'ann', claimedUntil: '2026-01-01T13:00:00.000Z' }),
    ).toMatchObject({
      itemId: 'item-of-trace-4',
    });
  });

  test('gives its interrupted run to the listener, with the signal that waited', async () => {
    const { adapters } = files.open(await fileOfVersion1(), { clock: noon() });
    const told: [string, RunSignal | undefined][] = [];
    adapters.ports.runs.listen({
      onSignal: () => undefined,
      onLost: () => undefined,
      onAbandoned: async (...run) => void told.push(run),
    });
    await settle();
    expect(told[0]).toEqual(['active', { type: 'cancel', by: 'api', reason: null }]);
    expect(told.map(([runId]) => runId)).not.toContain('ended');
  });

  test('keeps what it has when a later step fails, and goes on from there', async () => {
    const path = await fileOfVersion1();
    const column = 'ALTER TABLE runs ADD COLUMN note TEXT';
    const broken = [...migrations, column, `${column}; SELECT wrong`];
    expect(() => openSqliteFile(path, { logger, migrations: broken })).toThrow(/cannot be opened/);
    const half = new DatabaseSync(path);
    expect(schemaVersion(half)).toBe(migrations.length + 1);
    half.close();
    const { database } = openSqliteFile(path, { logger, migrations: [...migrations, column, 'SELECT 1'] });
    expect(schemaVersion(database)).toBe(migrations.length + 2);
    expect(database.prepare('SELECT run_id, note FROM runs ORDER BY position').all()).toEqual([
      { run_id: 'active', note: null },
      { run_id: 'ended', note: null },
    ]);
    database.close();
  });
});
