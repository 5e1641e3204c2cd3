import { describe, expect, test } from 'vitest';
import type { StepDraft } from '../../../../src/domain/workflow/definition.ts';
import { ask, call, createCore } from '../../../support/workflow/core.ts';

/** The interval at which a process looks for runs that are due while there are some. */
const SWEEP_MS = 5_000;

/** A run that waits for an approval. */
async function asking(more: Partial<StepDraft> = {}, ...others: readonly StepDraft[]) {
  const core = createCore();
  const runId = await core.start([ask('ok', more), ...others], { input: { amount: 700, who: 'c-42' } });
  const [item] = await core.open();
  const { inbox } = core;
  return { ...core, inbox, runId, item: item ?? expect.fail('nobody was asked') };
}

describe('an approval', () => {
  test('asks with a title and a payload that are made of the input', async () => {
    const schema = { type: 'object', required: ['why'] };
    const { item, runId, get } = await asking({
      title: 'Pay ${{ input.amount }} to ${{ input.who }}?',
      payload: { all: '${{ input.amount * 2 }}', who: '$input.who' },
      responseSchema: schema,
    });
    expect(item).toMatchObject({
      kind: 'approval',
      status: 'open',
      title: 'Pay 700 to c-42?',
      reasons: ['approval'],
      payload: { all: 1_400, who: 'c-42' },
      responseSchema: schema,
      subject: { kind: 'execution', id: runId, stepId: 'ok' },
    });
    const run = await get(runId);
    expect(run).toMatchObject({
      status: 'WAITING',
      waitingFor: [{ kind: 'approval', stepId: 'ok', itemId: item.itemId, until: null }],
    });
  });

  test('completes with what was decided, by whom and when', async () => {
    const after = call('after', 'echo', { dependsOn: ['ok'], staticInput: { by: '$step.ok.decided_by' } });
    const { inbox, item, clock, runId, settle, get } = await asking({}, after);
    await clock.advance(5_000);
    const decision = { outcome: 'approved', by: 'ann', note: 'fine', data: { limit: 3 } } as const;
    expect(await inbox.resolve(item.itemId, decision)).toMatchObject({
      status: 'resolved',
      resolution: { outcome: 'approved', by: 'ann', note: 'fine', data: { limit: 3 } },
    });
    await settle();
    const run = await get(runId);
    expect(run.status).toBe('COMPLETED');
    expect(run.stepResults[0]).toMatchObject({
      status: 'COMPLETED',
      attempts: 1,
      durationMs: 5_000,
      output: {
        approved: true,
        data: { limit: 3 },
        decided_by: 'ann',
        note: 'fine',
        decided_at: new Date(clock.now()).toISOString(),
      },
    });
    expect(run.stepResults[1]?.output).toEqual({ by: 'ann' });
    expect(clock.pending()).toBe(0);
  });

  test('has data null where none was given, and fails where it is rejected', async () => {
    const approved = await asking();
    await approved.inbox.resolve(approved.item.itemId, { outcome: 'approved', by: 'ann' });
    await approved.settle();
    expect((await approved.get(approved.runId)).stepResults[0]?.output).toMatchObject({
      data: null,
      note: null,
    });

    const rejected = await asking();
    await rejected.inbox.resolve(rejected.item.itemId, { outcome: 'rejected', by: 'bob', note: 'too much' });
    await rejected.settle();
    expect(await rejected.get(rejected.runId)).toMatchObject({
      status: 'FAILED',
      error: 'step "ok" failed: rejected by "bob": too much',
      stepResults: [{ status: 'FAILED', error: 'rejected by "bob": too much' }],
    });
  });

  test('completes with approved false where it is to continue', async () => {
    const after = call('after', 'echo', { dependsOn: ['ok'], when: 'steps.ok.approved' });
    const { inbox, item, runId, settle, get } = await asking({ onReject: 'continue' }, after);
    await inbox.resolve(item.itemId, { outcome: 'rejected', by: 'bob' });
    await settle();
    expect(await get(runId)).toMatchObject({
      status: 'COMPLETED',
      stepResults: [{ status: 'COMPLETED', output: { approved: false, data: null } }, { status: 'SKIPPED' }],
    });
  });

  test.each([
    ['reject', undefined, 'FAILED', null],
    ['reject', 'continue', 'COMPLETED', { approved: false }],
    ['approve', undefined, 'COMPLETED', { approved: true }],
  ] as const)('that expires ends as %s, on_reject %s', async (onExpire, onReject, status, output) => {
    const { item, clock, runId, get, inbox } = await asking({ expiresInMs: 60_000, onExpire, onReject });
    await clock.advance(59_999);
    expect((await get(runId)).status).toBe('WAITING');
    await clock.advance(1);
    const run = await get(runId);
    expect(run.status).toBe(status);
    if (output === null) {
      expect(run.stepResults[0]?.error).toBe('rejected by "service": nobody has decided in time');
    } else {
      const by = { decided_by: 'service', note: 'nobody has decided in time', data: null };
      expect(run.stepResults[0]?.output).toMatchObject({ ...output, ...by });
    }
    expect((await inbox.get(item.itemId)).item.status).toBe('expired');
    const late = inbox.resolve(item.itemId, { outcome: 'approved', by: 'ann' });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    await clock.advance(SWEEP_MS);
    expect(clock.pending()).toBe(0);
  });

  test('refuses data that does not fit, goes on waiting, and needs none for a rejection', async () => {
    const responseSchema = {
      type: 'object',
      properties: { limit: { type: 'integer', maximum: 10 } },
      required: ['limit'],
      additionalProperties: false,
    };
    const { inbox, item, runId, get, settle } = await asking({ responseSchema, onReject: 'continue' });
    for (const data of [undefined, {}, { limit: 11 }, { limit: 1, other: 2 }, 'text', null]) {
      const refused = inbox.resolve(item.itemId, { outcome: 'approved', by: 'ann', data });
      await expect(refused).rejects.toMatchObject({ code: 'validation' });
    }
    const misfit = { outcome: 'rejected', by: 'ann', data: { limit: 'none' } } as const;
    await expect(inbox.resolve(item.itemId, misfit)).rejects.toMatchObject({ code: 'validation' });
    expect((await get(runId)).status).toBe('WAITING');
    await inbox.resolve(item.itemId, { outcome: 'rejected', by: 'ann' });
    await settle();
    expect((await get(runId)).status).toBe('COMPLETED');
  });

  test('that somebody else has claimed is theirs', async () => {
    const { inbox, item, runId, get, settle } = await asking();
    await inbox.claim(item.itemId, 'bob');
    const other = inbox.resolve(item.itemId, { outcome: 'approved', by: 'ann' });
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
    expect((await get(runId)).status).toBe('WAITING');
    await inbox.resolve(item.itemId, { outcome: 'approved', by: 'bob' });
    await settle();
    expect((await get(runId)).status).toBe('COMPLETED');
  });

  test('cannot be answered as a step of unknown outcome', async () => {
    const { runs, runId, get } = await asking();
    const wrong = runs.resolve(runId, 'ok', { outcome: 'completed', by: 'ann' });
    await expect(wrong).rejects.toMatchObject({ code: 'conflict' });
    expect((await get(runId)).status).toBe('WAITING');
  });

  test('is withdrawn when its run is cancelled, and cannot be answered any more', async () => {
    const { runs, inbox, runId, item, statuses, settle, clock, get } = await asking({ expiresInMs: 60_000 });
    await runs.cancel(runId, { by: 'ann', reason: 'not needed' });
    await settle();
    expect(await statuses(runId)).toEqual(['CANCELLED', 'CANCELLED']);
    expect((await get(runId)).waitingFor).toEqual([]);
    expect((await inbox.get(item.itemId)).item).toMatchObject({ status: 'withdrawn', payload: null });
    const late = inbox.resolve(item.itemId, { outcome: 'approved', by: 'ann' });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    // The timer of the expiry, if it is left, finds nothing to do.
    await clock.advance(120_000);
    expect(await statuses(runId)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(clock.pending()).toBe(0);
  });

  test('leaves nothing of what a person wrote when its run is deleted', async () => {
    const { runs, inbox, runId, item, settle } = await asking({ payload: { who: '$input.who' } });
    await expect(runs.delete(runId)).rejects.toMatchObject({ code: 'conflict' });
    await inbox.resolve(item.itemId, { outcome: 'approved', by: 'ann', note: 'c-42 is known' });
    await settle();
    await runs.delete(runId);
    expect((await inbox.get(item.itemId)).item).toMatchObject({
      status: 'withdrawn',
      payload: null,
      resolution: null,
    });
  });

  test('fails at once where the inbox is off', async () => {
    const { start, get } = createCore({ inbox: false });
    const runId = await start([ask('ok')]);
    expect(await get(runId)).toMatchObject({
      status: 'FAILED',
      stepResults: [{ status: 'FAILED', error: 'nobody can be asked: the inbox is off' }],
    });
  });

  test('fails where its title or payload cannot be made', async () => {
    const core = createCore();
    for (const broken of [{ title: '${{ input.none }}' }, { payload: { a: '$input.none' } }]) {
      const runId = await core.start([ask('ok', broken)]);
      expect((await core.get(runId)).status).toBe('FAILED');
    }
    expect(await core.open()).toEqual([]);
  });

  test('ends after its timeout_ms, with its item', async () => {
    const { clock, runId, get, inbox, item } = await asking({ timeoutMs: 1_000, expiresInMs: 5_000 });
    await clock.advance(1_000);
    expect(await get(runId)).toMatchObject({
      status: 'FAILED',
      stepResults: [{ error: 'timed out after 1000 ms' }],
    });
    expect((await inbox.get(item.itemId)).item.status).toBe('expired');
    expect(clock.pending()).toBe(0);
  });

  test.each([
    ['fail', 'FAILED', { status: 'FAILED', error: 'rejected by "ann"' }],
    ['continue', 'COMPLETED', { status: 'FAILED', error: 'rejected by "ann"' }],
    [
      { output: { approved: 'never' } },
      'COMPLETED',
      { status: 'COMPLETED', output: { approved: 'never' }, error: null },
    ],
  ] as const)('that is rejected follows on_error %o', async (onError, status, result) => {
    const { inbox, item, runId, settle, get, eventsOf } = await asking({ onError });
    await inbox.resolve(item.itemId, { outcome: 'rejected', by: 'ann' });
    await settle();
    expect(await get(runId)).toMatchObject({ status, stepResults: [result] });
    if (typeof onError === 'object') {
      expect(await eventsOf(runId, 'step.completed')).toMatchObject([{ error: 'rejected by "ann"' }]);
    }
  });

  test('asks again, with a new item, when its run is retried', async () => {
    const { runs, inbox, item, runId, settle, open, get } = await asking();
    await inbox.resolve(item.itemId, { outcome: 'rejected', by: 'ann' });
    await settle();
    await runs.retry(runId, { by: 'ann' });
    await settle();
    const [again] = await open();
    expect(again?.itemId).not.toBe(item.itemId);
    await inbox.resolve(again?.itemId ?? '', { outcome: 'approved', by: 'ann' });
    await settle();
    expect(await get(runId)).toMatchObject({ status: 'COMPLETED', stepResults: [{ attempts: 2 }] });
  });
});
