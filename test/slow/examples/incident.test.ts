import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../support/docs/pages.ts';
import {
  define,
  type Execution,
  endOf,
  runWorkflow,
  startExample,
  statusesOf,
} from '../../support/process/example-service.ts';
import { bodyOf, postJson, type Service } from '../../support/process/service.ts';

const example = 'examples/workflows/incident';
const extension = `${example}/operations.ts`;
const workflow = JSON.parse(await readFile(join(root, example, 'workflow.json'), 'utf8'));
const nextWorkflow = JSON.parse(await readFile(join(root, example, 'workflow-2.json'), 'utf8'));

const report =
  'The payment service answers with errors since 9:40. Nobody knows why. Refunds are not affected.';

/** An input whose reminder is due after some seconds. */
const incident = (seconds: number, incidentId = 'INC-7') => ({
  incident_id: incidentId,
  report,
  remind_at: new Date(Date.now() + seconds * 1_000).toISOString(),
});

interface Event {
  readonly type: string;
  readonly data: { readonly step_id?: string; readonly error?: string };
}

describe('the example of an incident', () => {
  let service: Service;
  let id: string;

  beforeAll(async () => {
    service = await startExample(extension, { ON_CALL: 'Ann' });
    id = await define(service, workflow);
  });

  afterAll(() => service.stop());

  /** Stores the next version where the newest one is that of the tag. */
  const replace = (definition: unknown, tag: string): Promise<Response> =>
    fetch(`${service.baseUrl}/workflows/${id}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', 'If-Match': tag },
      body: JSON.stringify(definition),
    });

  test('tells the person on call, waits, and reminds', async () => {
    const run = await runWorkflow(service, id, incident(1));
    expect(run).toMatchObject({ status: 'COMPLETED', output: { told: 'Ann', reminded: true } });
    expect(run.step_results['tell']?.output).toMatchObject({
      to: 'Ann',
      text: 'INC-7: The payment service answers with errors since 9:40.',
    });
    expect(run.step_results['remind']?.output).toEqual({ to: 'Ann', text: 'INC-7 is still open' });
  });

  test('does not accept a time that is none', async () => {
    const input = { ...incident(0), remind_at: 'tomorrow' };
    const reply = await postJson(`${service.baseUrl}/workflows/${id}/run`, { input });
    expect(reply.status).toBe(422);
    expect(await bodyOf(reply)).toMatchObject({ detail: expect.stringContaining('input.remind_at: ') });
  });

  test('keeps its version while it waits, and the next run has the new one', async () => {
    const waiting = await runWorkflow(service, id, incident(4), 1);
    expect(waiting).toMatchObject({
      status: 'WAITING',
      version: 1,
      waiting_for: [{ kind: 'wait', step_id: 'pause' }],
    });
    const stored = await replace(nextWorkflow, '"1"');
    expect([stored.status, stored.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await replace(workflow, '"1"')).status).toBe(412);

    const second = await runWorkflow(service, id, incident(60));
    expect(second).toMatchObject({ status: 'COMPLETED', version: 2, output: { told: 'Ann' } });
    const first = await endOf(service, waiting);
    expect(first).toMatchObject({ status: 'COMPLETED', version: 1, output: { reminded: true } });

    const old = await postJson(`${service.baseUrl}/workflows/${id}/run`, { version: 1, input: incident(0) });
    expect(await bodyOf<Execution>(old)).toMatchObject({ version: 1, output: { reminded: true } });
  });
});

describe('the example of an incident without a person on call', () => {
  test('tells the operations desk, and reminds of nothing that is closed', async () => {
    const service = await startExample(extension);
    try {
      const id = await define(service, workflow);
      const run = await runWorkflow(service, id, incident(0, 'INC-8-closed'));
      const output = { told: 'the operations desk', reminded: false };
      expect(run).toMatchObject({ status: 'COMPLETED', output });
      expect(run.step_results['on_call']).toMatchObject({ status: 'COMPLETED', error: null });
      expect(statusesOf(run)).toMatchObject({ remind: 'SKIPPED' });
      const reply = await fetch(`${service.baseUrl}/workflows/${id}/runs/${run.execution_id}/events`);
      const { events } = await bodyOf<{ readonly events: readonly Event[] }>(reply);
      const end = events.find(({ type, data }) => type === 'step.completed' && data.step_id === 'on_call');
      expect(end?.data.error).toBe('the rota has nobody for today');
    } finally {
      await service.stop();
    }
  });
});

describe('the example of an incident with records in a file', () => {
  test('goes on waiting after its process was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'incident-'));
    const settings = { ON_CALL: 'Ann', TRACE_BACKEND: 'sqlite' };
    try {
      const first = await startExample(extension, settings, folder);
      const id = await define(first, workflow);
      const waiting = await runWorkflow(first, id, incident(3), 1);
      expect(waiting.status).toBe('WAITING');
      await first.stop();
      const second = await startExample(extension, settings, folder);
      try {
        const run = await endOf(second, waiting);
        expect(run).toMatchObject({ status: 'COMPLETED', output: { reminded: true } });
        expect(run.step_results['tell']).toEqual(waiting.step_results['tell']);
      } finally {
        await second.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
