import { describe, expect, test } from 'vitest';
import { createTestSimulator, endsOf, resultOf, tool } from '../../../support/workflow/simulator.ts';

const HOUR = 3_600_000;

describe('an approval', () => {
  const ask = { id: 'p', kind: 'approval', title: 'ok?' } as const;

  test('is given at once by the simulation, with data that fit the schema of the response', async () => {
    const { simulate } = createTestSimulator();
    const responseSchema = { type: 'object', properties: { sum: { type: 'integer', minimum: 5 } } };
    const run = await simulate([ask, { ...ask, id: 'q', responseSchema }]);
    const answer = { approved: true, decided_by: 'simulation', note: null };
    expect(resultOf(run, 'p').output).toMatchObject({ ...answer, data: null });
    expect(resultOf(run, 'q').output).toMatchObject({ ...answer, data: { sum: 5 } });
    expect(resultOf(run, 'p').output?.['decided_at']).toBe(run.createdAt);
  });

  test('is answered as its mock says', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate([ask, { ...ask, id: 'q' }, { ...ask, id: 'r', onReject: 'continue' }], {
      p: { output: { approved: true, data: { n: 1 }, note: 'fine', decided_by: 'ann' }, delayMs: HOUR },
      q: { output: { approved: false, note: 'too much' } },
      r: { output: { approved: false } },
    });
    expect(endsOf(run)).toEqual({
      p: 'COMPLETED',
      q: 'FAILED: rejected by "simulation": too much',
      r: 'COMPLETED',
    });
    const output = { approved: true, data: { n: 1 }, note: 'fine', decided_by: 'ann' };
    expect(resultOf(run, 'p')).toMatchObject({ output, durationMs: HOUR });
    expect(resultOf(run, 'r').output).toMatchObject({ approved: false, data: null });
  });

  test.each([
    [HOUR - 1, 'reject', 'COMPLETED'],
    [HOUR + 1, 'reject', 'FAILED: rejected by "service": nobody has decided in time'],
    [HOUR + 1, 'approve', 'COMPLETED'],
  ] as const)('answered after %i ms, which expires after an hour (%s)', async (delayMs, onExpire, end) => {
    const { simulate } = createTestSimulator();
    const run = await simulate([{ ...ask, expiresInMs: HOUR, onExpire }], { p: { delayMs } });
    expect(endsOf(run)).toEqual({ p: end });
    expect(resultOf(run, 'p').durationMs).toBe(Math.min(delayMs, HOUR));
  });

  test('has an answer for each item', async () => {
    const { simulate } = createTestSimulator();
    const foreach = { items: [1, 2, 3], onItemError: 'continue' } as const;
    const run = await simulate([{ ...ask, foreach }], {
      p: [{ output: { approved: true, data: 'a' } }, { output: { approved: false } }],
    });
    expect(resultOf(run, 'p').output).toMatchObject({
      results: [{ approved: true, data: 'a' }, null, { approved: true }],
      errors: { 1: 'rejected by "simulation"' },
    });
  });

  test('whose mock has data that do not fit is refused', async () => {
    const { simulate } = createTestSimulator();
    const responseSchema = { type: 'object', properties: { sum: { type: 'integer' } } };
    const mocks = { p: { output: { approved: true, data: { sum: 'x' } } } };
    await expect(simulate([{ ...ask, responseSchema }], mocks)).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringMatching(/^mocks\.p\.output\.data\.sum: /),
    });
  });

  test('fails where no data can be made for it, and where nobody can be asked', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate([{ ...ask, responseSchema: { type: 'string', pattern: '^[A-Z]{3}$' } }]);
    expect(endsOf(run)).toEqual({
      p: 'FAILED: simulate: no example fits the response_schema: give a mock for step "p"',
    });
    const without = createTestSimulator({ options: { inbox: false } });
    expect(endsOf(await without.simulate([ask]))).toEqual({
      p: 'FAILED: nobody can be asked: the inbox is off',
    });
  });

  test('goes on beside steps that run', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate([ask, tool('a'), tool('b', { dependsOn: ['a', 'p'] })], {
      p: { delayMs: HOUR },
      a: { output: {}, delayMs: 5_000 },
      b: { output: {} },
    });
    expect(run.status).toBe('COMPLETED');
    expect(Date.parse(resultOf(run, 'b').startedAt ?? '') - Date.parse(run.createdAt)).toBe(HOUR);
  });
});

describe('a child run', () => {
  test('is simulated too, with its own mocks', async () => {
    const { simulate, define } = createTestSimulator();
    const leaf = await define([tool('x', { staticInput: { n: '$input.n' } }), tool('y')], {
      output: { got: '$step.x.n' },
    });
    const middle = await define([{ id: 'm', kind: 'workflow', workflowId: leaf.id, staticInput: { n: 1 } }]);
    const run = await simulate([{ id: 'c', kind: 'workflow', workflowId: middle.id }], {
      'c/m/x': { output: { n: 5 }, delayMs: HOUR / 1_000 },
      'c/m/y': { output: {} },
    });
    expect(run.status).toBe('COMPLETED');
    expect(resultOf(run, 'c')).toMatchObject({
      output: { status: 'COMPLETED', output: null },
      durationMs: HOUR / 1_000,
    });
  });

  test('fails its step with the names of the missing mocks', async () => {
    const { simulate, define } = createTestSimulator();
    const leaf = await define([tool('x')]);
    const run = await simulate([{ id: 'c', kind: 'workflow', workflowId: leaf.id }]);
    const missing = 'step "x" failed: simulate: give a mock for step "c/x"';
    expect(endsOf(run)['c']).toMatch(new RegExp(`^FAILED: execution ".*" ended FAILED: ${missing}$`));
  });

  test('of a step with a mock does not run', async () => {
    const { simulate } = createTestSimulator();
    const child = (id: string, dependsOn: readonly string[] = []) =>
      ({ id, kind: 'workflow', workflowId: 'not there yet', onError: 'continue', dependsOn }) as const;
    const run = await simulate(
      [child('a'), child('b', ['a']), child('c'), child('d'), { ...child('e'), timeoutMs: 5 }],
      {
        a: { output: { n: 1 } },
        b: { output: { n: 2 }, delayMs: HOUR },
        c: { error: 'broken', delayMs: 7 },
        e: { output: {}, delayMs: 6 },
      },
    );
    expect(resultOf(run, 'a').output).toMatchObject({ status: 'COMPLETED', output: { n: 1 } });
    expect(resultOf(run, 'b')).toMatchObject({ output: { output: { n: 2 } }, durationMs: HOUR });
    expect(endsOf(run)['c']).toMatch(/^FAILED: execution ".*" ended FAILED: broken$/);
    expect(endsOf(run)['d']).toBe('FAILED: no workflow "not there yet" is stored');
    expect(endsOf(run)['e']).toBe('FAILED: timed out after 5 ms');
  });

  test('is nested eight deep at most', async () => {
    const { simulate, define, ports } = createTestSimulator();
    const endless = await define([{ id: 'c', kind: 'workflow', workflowId: 'endless' }]);
    await ports.workflows.put({ ...endless, id: 'endless' });
    const run = await simulate([{ id: 'c', kind: 'workflow', workflowId: 'endless' }]);
    expect(run.error).toContain('workflows may be nested at most 8 deep');
  });

  test('is cancelled when its step times out', async () => {
    const { simulate, define } = createTestSimulator();
    const leaf = await define([tool('x', { retry: { maxAttempts: 20 } }), tool('y', { dependsOn: ['x'] })]);
    const run = await simulate([{ id: 'c', kind: 'workflow', workflowId: leaf.id, timeoutMs: 2_000 }], {
      'c/x': { output: {}, delayMs: 9_000 },
      'c/y': { output: {} },
    });
    expect(endsOf(run)).toEqual({ c: 'FAILED: timed out after 2000 ms' });
    expect(resultOf(run, 'c').durationMs).toBe(2_000);
  });
});

describe('a wait for a time', () => {
  const wait = { id: 'w', kind: 'wait', durationMs: 24 * HOUR } as const;

  test('passes as its mock says, and not by its own time', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate(
      [
        wait,
        { ...wait, id: 'short' },
        { ...wait, id: 'long' },
        { ...wait, id: 'bad' },
        { ...wait, id: 'late' },
      ],
      {
        w: { output: { by: 'mock' } },
        short: { delayMs: HOUR },
        long: { delayMs: 48 * HOUR },
        bad: { error: 'the clock is broken' },
        late: { error: 'too late', delayMs: 2 * HOUR },
      },
    );
    expect(endsOf(run)).toEqual({
      w: 'COMPLETED',
      short: 'COMPLETED',
      long: 'COMPLETED',
      bad: 'FAILED: the clock is broken',
      late: 'FAILED: too late',
    });
    expect(resultOf(run, 'w')).toMatchObject({ output: { by: 'mock' }, durationMs: 0 });
    expect(resultOf(run, 'short')).toMatchObject({ output: {}, durationMs: HOUR });
    expect(resultOf(run, 'long').durationMs).toBe(48 * HOUR);
    expect(resultOf(run, 'late').durationMs).toBe(2 * HOUR);
  });

  test('still ends by the time limit of its step, and by itself where its mock is empty', async () => {
    const { simulate } = createTestSimulator();
    const foreach = { items: [1, 2], onItemError: 'continue' } as const;
    const run = await simulate(
      [
        { ...wait, timeoutMs: HOUR },
        { ...wait, id: 'each', foreach },
      ],
      {
        w: { delayMs: 2 * HOUR },
        each: [{ error: 'no' }, {}],
      },
    );
    expect(endsOf(run)['w']).toContain('FAILED: ');
    expect(resultOf(run, 'w').durationMs).toBe(HOUR);
    expect(resultOf(run, 'each')).toMatchObject({
      output: { results: [null, {}], errors: { 0: 'no' } },
      durationMs: 24 * HOUR,
    });
  });
});

describe('a skipped step', () => {
  test('says why', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate(
      [
        { ...tool('a'), when: 'input.n > 5' },
        { ...tool('b'), dependsOn: ['a'], when: 'true' },
        { ...tool('ok'), when: 'true' },
        { ...tool('c'), dependsOn: ['ok', 'a'], runIf: 'all_completed' },
        { ...tool('bad'), dependsOn: ['ok'] },
        { ...tool('after'), dependsOn: ['bad'] },
        { ...tool('apart'), dependsOn: ['ok', 'b', 'c', 'bad'], runIf: 'always', when: 'false' },
      ],
      { ok: { output: {} }, bad: { error: 'broken' } },
      { input: { n: 1 } },
    );
    const causes = Object.fromEntries(run.stepResults.map(({ stepId, why }) => [stepId, why]));
    expect(causes).toEqual({
      a: { expression: 'input.n > 5', value: false },
      b: { expression: 'run_if: none_failed', value: { a: 'SKIPPED' } },
      ok: undefined,
      c: { expression: 'run_if: all_completed', value: { a: 'SKIPPED' } },
      bad: undefined,
      after: { expression: 'run_if: none_failed', value: { bad: 'FAILED' } },
      apart: { expression: 'false', value: false },
    });
  });

  test('names the step that has failed the run', async () => {
    const { simulate } = createTestSimulator();
    const run = await simulate([tool('bad'), tool('ok'), { ...tool('next'), dependsOn: ['ok'] }], {
      ok: { output: {} },
      bad: { error: 'broken' },
    });
    expect(resultOf(run, 'next')).toMatchObject({
      why: { expression: 'run_if: none_failed', value: { bad: 'FAILED' } },
    });
  });
});
