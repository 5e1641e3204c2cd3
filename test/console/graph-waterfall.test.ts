import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ticksOf } from '../../console/graph/time/axis.ts';
import { criticalPath } from '../../console/graph/time/critical-path.ts';
import { type RunRecord, toWaterfall } from '../../console/graph/time/to-waterfall.ts';
import type { WaterfallData, WaterfallRow } from '../../console/graph/types.ts';
import { createHttpApp } from '../../src/adapters/http/app.ts';
import { toEventResponse } from '../../src/adapters/http/events/event-schemas.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import { createClient, type EventResponse } from '../../src/entries/client.ts';
import { defaultPorts } from '../../src/entries/defaults.ts';
import { ToolError } from '../../src/entries/index.ts';
import { defineTool } from '../../src/entries/tools.ts';

const orchestrator = createOrchestrator(defaultPorts());
const app = createHttpApp({ orchestrator });
const client = createClient('http://localhost', {
  fetch: async (input: string | URL | Request, init?: RequestInit) => app.request(input, init),
});

let calls = 0;
const work = (name: string, act: () => Promise<void>) =>
  defineTool({
    name,
    description: name,
    effect: 'read',
    input: z.object({}).loose(),
    async execute() {
      await act();
      return {};
    },
  });

beforeAll(() => {
  orchestrator.tools.register(work('quick', async () => {}));
  orchestrator.tools.register(work('slow', () => sleep(40)));
  orchestrator.tools.register(
    work('flaky', async () => {
      if (++calls < 3) throw new ToolError('not yet');
    }),
  );
});
afterAll(() => orchestrator.close());

/** Runs a workflow in the background until it has ended or waits. Returns its id, record and events. */
async function run(steps: Parameters<typeof orchestrator.workflows.create>[0]['steps']) {
  const { id } = await orchestrator.workflows.create({ name: 'sample', steps });
  const { runId } = await orchestrator.workflows.run(id, { input: {}, background: true });
  return { runId, ...(await read(runId)) };
}

async function read(
  runId: string,
  goesOn: readonly string[] = ['PENDING', 'RUNNING'],
): Promise<{ record: RunRecord; events: readonly EventResponse[] }> {
  const source = orchestrator.runs.events(runId);
  for (;;) {
    const { lastSeq } = await source.read(0, 1);
    const { status } = await orchestrator.runs.get(runId);
    if (!goesOn.includes(status)) break;
    await source.changed(lastSeq, AbortSignal.timeout(5_000));
  }
  const reply = await client.runs[':execution_id'].$get({ param: { execution_id: runId } });
  const record = await reply.json();
  if (!('step_results' in record)) throw new Error(record.error);
  const { events } = await source.read(0, 200);
  return { record, events: events.map(toEventResponse) };
}

const rowOf = ({ rows }: WaterfallData, id: string): WaterfallRow => {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  return row;
};
const kindsOf = ({ spans }: WaterfallRow): readonly string[] =>
  spans.map(({ kind, outcome }) => (outcome === undefined ? kind : `${kind} ${outcome}`));

describe('the waterfall of a run', () => {
  test('tells the attempts, the pauses between them and the wait for earlier steps', async () => {
    calls = 0;
    const { record, events } = await run([
      { id: 'slow', kind: 'tool', toolName: 'slow' },
      { id: 'quick', kind: 'tool', toolName: 'quick' },
      {
        id: 'flaky',
        kind: 'tool',
        toolName: 'flaky',
        dependsOn: ['slow', 'quick'],
        retry: { maxAttempts: 3, backoffMs: 20 },
      },
      { id: 'never', kind: 'tool', toolName: 'quick', dependsOn: ['flaky'], when: '1 > 2' },
    ]);
    const data = toWaterfall(record, events);
    expect(data.rows.map(({ id, isCritical }) => [id, isCritical])).toEqual([
      ['slow', true],
      ['quick', false],
      ['flaky', true],
      ['never', false],
    ]);
    const flaky = rowOf(data, 'flaky');
    const kinds = kindsOf(flaky).filter((kind) => kind !== 'backoff' && kind !== 'queued');
    expect(kinds).toEqual(['dependencies', 'attempt failed', 'attempt failed', 'attempt completed']);
    expect(flaky.spans.find(({ outcome }) => outcome === 'failed')?.error).toContain('not yet');
    expect(flaky.spans.map(({ attempt }) => attempt).filter((one) => one !== undefined)).toEqual([1, 2, 3]);
    for (const { spans, to } of data.rows) {
      for (const [index, { from }] of spans.entries())
        expect(from).toBeGreaterThanOrEqual(spans[index - 1]?.to ?? 0);
      expect(to ?? 0).toBeLessThanOrEqual(data.to ?? 0);
    }
    expect(rowOf(data, 'never').from).toBeNull();
  });

  test('needs no events: the record tells when steps started and ended', async () => {
    const { record } = await run([
      { id: 'slow', kind: 'tool', toolName: 'slow' },
      { id: 'quick', kind: 'tool', toolName: 'quick', dependsOn: ['slow'] },
    ]);
    const data = toWaterfall(record, []);
    expect(kindsOf(rowOf(data, 'slow')).at(-1)).toBe('attempt completed');
    expect(kindsOf(rowOf(data, 'quick'))).toEqual(['dependencies', 'attempt completed']);
    expect(data.rows.every(({ isCritical }) => isCritical)).toBe(true);
  });

  test('shows what waits for a person, goes on until it is decided, and what failed after it', async () => {
    const { runId, record, events } = await run([
      { id: 'ask', kind: 'approval', title: 'Refund?' },
      { id: 'quick', kind: 'tool', toolName: 'quick', dependsOn: ['ask'] },
    ]);
    const waiting = toWaterfall(record, events);
    expect(waiting.to).toBeNull();
    expect(rowOf(waiting, 'ask').spans.at(-1)).toMatchObject({
      kind: 'waiting',
      waitsFor: 'approval',
      to: null,
    });
    expect(toWaterfall(record, []).rows[0]?.spans.at(-1)).toMatchObject({
      kind: 'waiting',
      waitsFor: 'approval',
    });
    const listing = await orchestrator.inbox?.list({}, { limit: 1 });
    await orchestrator.inbox?.resolve(listing?.items[0]?.itemId ?? '', { by: 'Ann', outcome: 'rejected' });
    const after = await read(runId, ['WAITING', 'PENDING', 'RUNNING']);
    const ended = toWaterfall(after.record, after.events);
    expect(ended.to).not.toBeNull();
    expect(kindsOf(rowOf(ended, 'ask')).at(-1)).toBe('waiting');
    expect(rowOf(ended, 'ask').to).not.toBeNull();
    expect(rowOf(ended, 'quick')).toMatchObject({ from: null, status: 'SKIPPED' });
  });

  test('shows the attempts before and after a retry of the run, and no time for what a rerun copies', async () => {
    calls = 1;
    const { runId, record } = await run([
      { id: 'quick', kind: 'tool', toolName: 'quick' },
      { id: 'flaky', kind: 'tool', toolName: 'flaky', dependsOn: ['quick'], retry: { maxAttempts: 1 } },
    ]);
    expect(record.step_results['flaky']?.status).toBe('FAILED');
    await orchestrator.runs.retry(runId, { by: 'Ann' });
    const { record: after, events } = await read(runId);
    const flaky = rowOf(toWaterfall(after, events), 'flaky');
    expect(kindsOf(flaky).filter((kind) => kind.startsWith('attempt'))).toEqual([
      'attempt failed',
      'attempt completed',
    ]);
    const again = await orchestrator.runs.rerun(runId, { fromStep: 'flaky', background: true });
    const copy = await read(again.runId);
    const quick = rowOf(toWaterfall(copy.record, copy.events), 'quick');
    expect(quick).toMatchObject({ isCopied: true, spans: [], from: null });
  });
});

test('a pause that is cut short ends with its step, and an attempt that is lost with its process', () => {
  const event = <Type extends EventResponse['type']>(
    seq: number,
    type: Type,
    data: Extract<EventResponse, { type: Type }>['data'],
  ) => {
    const at = new Date(seq * 100).toISOString();
    return {
      seq,
      type,
      at,
      subject: { kind: 'execution', id: 'x', workflow_id: 'w' },
      data,
    } as EventResponse;
  };
  const step = { kind: 'tool', error: null, started_at: null, completed_at: null, layer: 0 };
  const record: RunRecord = {
    created_at: new Date(0).toISOString(),
    started_at: null,
    completed_at: null,
    waiting_for: [],
    step_results: {
      a: { ...step, step_id: 'a', status: 'CANCELLED', attempts: 1 },
      b: { ...step, step_id: 'b', status: 'RUNNING', attempts: 1 },
      c: { ...step, step_id: 'c', status: 'COMPLETED', attempts: 2 },
    },
  };
  const data = toWaterfall(record, [
    event(1, 'layer.started', { layer: 0, steps: ['a', 'b'] }),
    event(2, 'step.started', { step_id: 'a', kind: 'tool', layer: 0, attempt: 1 }),
    event(3, 'step.started', { step_id: 'b', kind: 'tool', layer: 0, attempt: 1 }),
    event(4, 'step.retrying', { step_id: 'a', attempt: 1, error: 'no', delay_ms: 5_000 }),
    event(5, 'step.cancelled', { step_id: 'a', attempts: 1, duration_ms: 300, why: 'cancelled' }),
    event(6, 'execution.recovered', { recoveries: 1, recoveries_without_progress: 1, unknown_steps: ['b'] }),
    event(7, 'step.started', { step_id: 'b', kind: 'tool', layer: 0, attempt: 2 }),
    event(8, 'step.progress', { step_id: 'b', done: 4, failed: 1, total: 9 }),
    event(9, 'step.started', { step_id: 'c', kind: 'tool', layer: 0, attempt: 1 }),
    event(10, 'step.retrying', { step_id: 'c', attempt: 1, error: 'no', delay_ms: 101 }),
    event(11, 'step.completed', { step_id: 'c', attempts: 2, duration_ms: 200 }),
  ]);
  expect(rowOf(data, 'a').spans).toEqual([
    { kind: 'queued', from: 100, to: 200 },
    { kind: 'attempt', from: 200, to: 400, attempt: 1, outcome: 'failed', error: 'no' },
    { kind: 'backoff', from: 400, to: 500 },
  ]);
  // Clocks differ a little: this pause was shorter than planned, and the attempt after it was made.
  expect(rowOf(data, 'c').spans.slice(-2)).toEqual([
    { kind: 'backoff', from: 1_000, to: 1_100 },
    { kind: 'attempt', from: 1_100, to: 1_100, attempt: 2, outcome: 'completed' },
  ]);
  expect(kindsOf(rowOf(data, 'b'))).toEqual(['queued', 'attempt lost', 'attempt']);
  expect(rowOf(data, 'b')).toMatchObject({ to: null, isCritical: true, progress: { done: 4, total: 9 } });
});

test('the critical path has the last step of each layer', () => {
  const row = (id: string, layer: number, from: number | null, to: number | null) => ({
    id,
    layer,
    from,
    to,
  });
  const rows = [
    row('a', 0, 0, 5),
    row('b', 0, 0, 9),
    row('c', 1, 9, null),
    row('d', 1, 9, 99),
    row('e', 2, null, null),
  ];
  expect([...criticalPath(rows)]).toEqual(['b', 'c']);
});

test.each([
  [1_000, 5, ['0', '200 ms', '400 ms', '600 ms', '800 ms', '1 s']],
  [7, 4, ['0', '2 ms', '4 ms', '6 ms']],
  [2_500, 5, ['0', '500 ms', '1 s', '1.5 s', '2 s', '2.5 s']],
  [95_000, 5, ['0', '30 s', '1 m', '1 m 30 s']],
  [3 * 3_600_000, 4, ['0', '1 h', '2 h', '3 h']],
  [20 * 86_400_000, 4, ['0', '5 d', '10 d', '15 d', '20 d']],
])('an axis of %i milliseconds has round marks', (length, most, labels) => {
  expect(ticksOf(length, most).map(({ label }) => label)).toEqual(labels);
});
