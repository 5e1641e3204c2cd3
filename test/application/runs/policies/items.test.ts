import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../../src/domain/tool-error.ts';
import type { StepDraft } from '../../../../src/domain/workflow/definition.ts';
import type { ForeachPolicy } from '../../../../src/domain/workflow/policies.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { ask, call, createCore } from '../../../support/workflow/core.ts';

const each = (foreach: ForeachPolicy, toolName = 'echo', more: Partial<StepDraft> = {}): StepDraft =>
  call('each', toolName, { foreach, staticInput: { n: '${{ item }}', at: '${{ index }}' }, ...more });

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a step with foreach', () => {
  test('calls its tool once for each item, with a key of its own, and keeps their order', async () => {
    const { start, get, calls, tool, clock } = createCore();
    tool('late', async (input, count) => {
      if (count === 1) await new Promise<void>((resolve) => clock.after(500, resolve));
      return input;
    });
    const runId = await start([each({ items: 'input.list' }, 'late')], {
      input: { list: ['a', 'b', { c: 1 }] },
    });
    await clock.advance(1_000);
    const { status, stepResults } = await get(runId);
    expect(status).toBe('COMPLETED');
    expect(stepResults[0]).toMatchObject({
      attempts: 3,
      output: {
        count: 3,
        failed: 0,
        errors: {},
        results: [
          { n: 'a', at: 0 },
          { n: 'b', at: 1 },
          { n: { c: 1 }, at: 2 },
        ],
      },
    });
    expect(calls.map(({ key }) => key)).toEqual([0, 1, 2].map((index) => `${runId}:each:${index}`));
  });

  test('has at most its concurrency under way, 8 by default', async () => {
    for (const concurrency of [undefined, 1, 3, 50]) {
      const { start, tool, clock, get } = createCore();
      let now = 0;
      let most = 0;
      tool('slow', async () => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => clock.after(10, resolve));
        now--;
        return {};
      });
      const runId = await start([each({ items: range(20), concurrency }, 'slow')]);
      await clock.advance(1_000);
      expect((await get(runId)).status).toBe('COMPLETED');
      expect(most).toBe(Math.min(20, concurrency ?? 8));
    }
  });

  test('completes at once without items, and fails where they are no list or too many', async () => {
    const core = createCore({ limits: { maxForeachItems: 5 } });
    const run = async (list: unknown) => {
      const runId = await core.start([each({ items: 'input.list' })], { input: { list } as never });
      return (await core.get(runId)).stepResults[0];
    };
    expect(await run([])).toMatchObject({
      status: 'COMPLETED',
      attempts: 0,
      output: { results: [], errors: {}, count: 0, failed: 0 },
    });
    expect((await run(range(5)))?.status).toBe('COMPLETED');
    for (const list of [range(6), 'text', { a: 1 }, null]) {
      expect(await run(list)).toMatchObject({
        status: 'FAILED',
        error: expect.stringMatching(/items|list/u),
      });
    }
    expect(core.calls).toHaveLength(5);
  });

  test('stops after the first failed item, and those under way end', async () => {
    const { start, get, calls, tool, clock } = createCore();
    tool('some', async ({ n }) => {
      await new Promise<void>((resolve) => clock.after(n === 2 ? 10 : 50, resolve));
      if (n === 2 || n === 1) throw new ToolError(`no ${n}`);
      return { n: n ?? null };
    });
    const runId = await start([each({ items: range(20), concurrency: 4 }, 'some')]);
    await clock.advance(1_000);
    expect((await get(runId)).stepResults[0]).toMatchObject({
      status: 'FAILED',
      error: 'item 1 failed: no 1',
    });
    expect(calls).toHaveLength(4);
  });

  test('goes on with the others where it is to continue', async () => {
    const { start, get, tool } = createCore();
    tool('odd', ({ n }) => {
      if (Number(n) % 2 === 1) throw new ToolError('odd');
      return { n: n ?? null };
    });
    const after = call('after', 'echo', { dependsOn: ['each'], staticInput: { n: '$step.each.failed' } });
    const runId = await start([each({ items: range(5), onItemError: 'continue' }, 'odd'), after]);
    const { status, stepResults } = await get(runId);
    expect(status).toBe('COMPLETED');
    expect(stepResults[0]?.output).toEqual({
      results: [{ n: 0 }, null, { n: 2 }, null, { n: 4 }],
      errors: { 1: 'odd', 3: 'odd' },
      count: 5,
      failed: 2,
    });
    expect(stepResults[1]?.output).toEqual({ n: 2 });
  });

  test('attempts each item as often as its retry says, and counts all attempts', async () => {
    const { start, get, tool, clock, calls, eventsOf } = createCore();
    const failures = new Map<unknown, number>();
    tool('flaky', ({ n }) => {
      const before = failures.get(n) ?? 0;
      failures.set(n, before + 1);
      if (before < Number(n)) throw new ToolError('not yet');
      return { n: n ?? null };
    });
    const retry = { maxAttempts: 3, backoffMs: 100 };
    const policy: ForeachPolicy = { items: [0, 1, 2, 3], onItemError: 'continue' };
    const runId = await start([each(policy, 'flaky', { retry })]);
    await clock.advance(1_000);
    const { stepResults } = await get(runId);
    expect(stepResults[0]).toMatchObject({
      attempts: 1 + 2 + 3 + 3,
      output: { failed: 1, errors: { 3: 'not yet' } },
    });
    expect(new Set(calls.map(({ key }) => key)).size).toBe(4);
    expect(await eventsOf(runId, 'step.retrying')).toHaveLength(5);
  });

  test('is bounded by timeout_ms as a whole', async () => {
    const { start, get, tool, clock, calls } = createCore();
    tool('slow', async (input) => {
      await new Promise<void>((resolve) => clock.after(100, resolve));
      return input;
    });
    const runId = await start([each({ items: range(20), concurrency: 1 }, 'slow', { timeoutMs: 450 })]);
    await clock.advance(5_000);
    expect((await get(runId)).stepResults[0]).toMatchObject({
      status: 'FAILED',
      error: 'timed out after 450 ms',
    });
    expect(calls).toHaveLength(5);
    expect(calls.at(-1)?.signal.aborted).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  test('tells its progress at most four times a second', async () => {
    const { start, get, tool, clock, eventsOf } = createCore();
    tool('slow', async () => {
      await new Promise<void>((resolve) => clock.after(10, resolve));
      return {};
    });
    const runId = await start([each({ items: range(300), concurrency: 1 }, 'slow')]);
    await clock.advance(10_000);
    expect((await get(runId)).status).toBe('COMPLETED');
    const progress = (await eventsOf(runId, 'step.progress')).map(({ at }) => at);
    expect(progress.length).toBeGreaterThan(8);
    expect(progress.length).toBeLessThanOrEqual(14);
    for (const [index, at] of progress.entries()) {
      if (index > 0) expect(at - (progress[index - 1] ?? 0)).toBeGreaterThanOrEqual(250);
    }
  });

  test('goes on in a durable run when the clock is set back', async () => {
    const recovery = { maxRecoveries: 3, unknownOutcome: 'fail' } as const;
    const { start, get, tool, clock } = createCore({ recovery });
    const write = async (input: JsonObject) => {
      await new Promise<void>((resolve) => clock.after(5, resolve));
      return input;
    };
    tool('write', write, 'write');
    const runId = await start([each({ items: range(200) }, 'write')]);
    await clock.advance(2);
    clock.jump(-600_000);
    await clock.advance(5_000);
    expect((await get(runId)).status).toBe('COMPLETED');
  });

  test('tells of items that cannot begin to wait in few events', async () => {
    const { start, get, eventsOf } = createCore();
    const foreach: ForeachPolicy = { items: range(1_000), onItemError: 'continue' };
    const runId = await start([ask('each', { foreach, title: '${{ item.name }}' })]);
    expect((await get(runId)).stepResults[0]).toMatchObject({
      status: 'COMPLETED',
      output: { failed: 1_000 },
    });
    expect((await eventsOf(runId, 'step.progress')).length).toBeLessThanOrEqual(5);
  });

  test('fails where its outputs together are too large, before all items have run', async () => {
    const { start, get, calls, tool } = createCore({ limits: { maxOutputBytes: 10_000 } });
    tool('large', () => ({ text: 'x'.repeat(2_000) }));
    const runId = await start([each({ items: range(100), concurrency: 2 }, 'large')]);
    expect((await get(runId)).stepResults[0]).toMatchObject({
      status: 'FAILED',
      error: 'the outputs of its items together are larger than 10000 bytes of JSON',
    });
    expect(calls.length).toBeLessThan(10);
  });

  test('keeps completed items in a retry of its run, and the keys of the others', async () => {
    const { start, get, calls, tool, runs, settle } = createCore();
    let isBroken = true;
    tool('fragile', ({ n }) => {
      if (isBroken && n === 3) throw new ToolError('broken');
      return { n: n ?? null };
    });
    const runId = await start([each({ items: range(6), concurrency: 1 }, 'fragile')]);
    expect((await get(runId)).stepResults[0]).toMatchObject({ status: 'FAILED', attempts: 4 });
    isBroken = false;
    const before = calls.length;
    await runs.retry(runId, { by: 'ann' });
    await settle();
    const { status, stepResults } = await get(runId);
    expect(status).toBe('COMPLETED');
    expect(stepResults[0]).toMatchObject({
      attempts: 4 + 3,
      output: { results: range(6).map((n) => ({ n })) },
    });
    expect(calls.slice(before).map(({ key }) => key)).toEqual(
      [3, 4, 5].map((index) => `${runId}:each:${index}`),
    );
  });

  test('ends with its run when it is cancelled, and no further item begins', async () => {
    const { start, get, calls, tool, runs, clock } = createCore();
    tool('slow', async (input, _, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      signal.throwIfAborted();
      return input;
    });
    const runId = await start([each({ items: range(20), concurrency: 2 }, 'slow')]);
    await runs.cancel(runId, { by: 'ann', reason: null });
    await clock.advance(100);
    expect(await get(runId)).toMatchObject({ status: 'CANCELLED', stepResults: [{ status: 'CANCELLED' }] });
    expect(calls).toHaveLength(2);
    expect(clock.pending()).toBe(0);
  });

  test('runs agents as well, with a retry of each item', async () => {
    const { start, get, agent, clock } = createCore();
    agent('unsure', (input, count) => {
      if (count <= 2) throw new Error('unsure');
      return input;
    });
    const foreach = { items: ['a', 'b'] };
    const step = { id: 'each', kind: 'agent', agentName: 'unsure', foreach } as const;
    const draft = { ...step, staticInput: { n: '${{ item }}' }, retry: { maxAttempts: 2 } };
    const runId = await start([draft]);
    await clock.advance(1_000);
    expect((await get(runId)).stepResults[0]).toMatchObject({
      status: 'COMPLETED',
      attempts: 4,
      output: { results: [{ n: 'a' }, { n: 'b' }] },
    });
  });

  test.each([
    ['continue', 'COMPLETED', { status: 'FAILED', error: 'item 0 failed: it does not work' }],
    [{ output: { none: true } }, 'COMPLETED', { status: 'COMPLETED', output: { none: true } }],
    ['fail', 'FAILED', { status: 'FAILED' }],
  ] as const)('follows on_error %o', async (onError, status, result) => {
    const { start, get } = createCore();
    const runId = await start([each({ items: [1, 2], concurrency: 1 }, 'fail', { onError })]);
    expect(await get(runId)).toMatchObject({ status, stepResults: [result] });
  });
});

describe('an approval for each item', () => {
  const policy = (more: Partial<ForeachPolicy> = {}): ForeachPolicy => ({ items: ['a', 'b', 'c'], ...more });

  async function asked(foreach: ForeachPolicy, more: Partial<StepDraft> = {}) {
    const core = createCore();
    const runId = await core.start([ask('each', { foreach, title: 'Item ${{ item }}?', ...more })]);
    const { inbox } = core;
    const decide = async (title: string, outcome: 'approved' | 'rejected') => {
      const item = (await core.open()).find((open) => open.title === title) ?? expect.fail(title);
      await inbox.resolve(item.itemId, { outcome, by: 'ann' });
      await core.settle();
    };
    return { ...core, inbox, runId, decide };
  }

  test('asks at most as many at a time as it may, and keeps their order', async () => {
    const { open, decide, get, runId } = await asked(policy({ concurrency: 2 }));
    expect((await open()).map(({ title }) => title)).toEqual(['Item a?', 'Item b?']);
    await decide('Item b?', 'approved');
    expect((await open()).map(({ title }) => title)).toEqual(['Item a?', 'Item c?']);
    await decide('Item c?', 'approved');
    await decide('Item a?', 'approved');
    const { status, stepResults } = await get(runId);
    expect(status).toBe('COMPLETED');
    expect(stepResults[0]?.output).toMatchObject({
      count: 3,
      failed: 0,
      results: [1, 2, 3].map(() => ({ approved: true })),
    });
  });

  test('tells its progress also after the clock was set back', async () => {
    const { decide, runId, clock, eventsOf } = await asked(policy({ concurrency: 1 }));
    const before = (await eventsOf(runId, 'step.progress')).length;
    clock.jump(-600_000);
    await decide('Item a?', 'approved');
    expect(await eventsOf(runId, 'step.progress')).toHaveLength(before + 1);
  });

  test('fails after a rejection once those that are open have ended', async () => {
    const { open, decide, get, runId } = await asked(policy({ concurrency: 2 }));
    await decide('Item a?', 'rejected');
    expect((await get(runId)).status).toBe('WAITING');
    expect(await open()).toHaveLength(1);
    await decide('Item b?', 'approved');
    expect((await get(runId)).stepResults[0]?.error).toBe('item 0 failed: rejected by "ann"');
  });

  test('asks only about the others in a retry', async () => {
    const { open, decide, get, runId, runs, settle } = await asked(policy());
    await decide('Item a?', 'approved');
    await decide('Item b?', 'rejected');
    await decide('Item c?', 'approved');
    await runs.retry(runId, { by: 'ann' });
    await settle();
    expect((await open()).map(({ title }) => title)).toEqual(['Item b?']);
    await decide('Item b?', 'approved');
    expect((await get(runId)).status).toBe('COMPLETED');
  });

  test('withdraws all that are open when the run is cancelled or the step times out', async () => {
    const cancelled = await asked(policy());
    await cancelled.runs.cancel(cancelled.runId, { by: 'ann', reason: null });
    await cancelled.settle();
    expect(await cancelled.open()).toEqual([]);
    const late = await asked(policy(), { timeoutMs: 1_000 });
    await late.clock.advance(1_000);
    expect(await late.open()).toEqual([]);
    expect((await late.get(late.runId)).stepResults[0]?.error).toBe('timed out after 1000 ms');
  });

  test('expires item by item', async () => {
    const { clock, get, runId } = await asked(policy({ concurrency: 1 }), {
      expiresInMs: 1_000,
      onExpire: 'approve',
    });
    await clock.advance(2_999);
    expect((await get(runId)).status).toBe('WAITING');
    await clock.advance(1);
    expect((await get(runId)).status).toBe('COMPLETED');
  });
});
