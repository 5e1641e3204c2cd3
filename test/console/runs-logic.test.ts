import { describe, expect, it } from 'vitest';
import { storyOf } from '../../console/pages/runs/logic/attempts.ts';
import { compareSteps, differencesOf } from '../../console/pages/runs/logic/differences.ts';
import {
  dependents,
  effectOf,
  firstToSee,
  planRerun,
  planRetry,
  progressOf,
} from '../../console/pages/runs/logic/plan.ts';
import type { Run, StepDefinition, StepResult } from '../../console/pages/runs/logic/reads.ts';
import { sourcesOf } from '../../console/pages/runs/logic/sources.ts';
import { itemsOf, moveIn, treeRows } from '../../console/pages/runs/logic/tree.ts';
import { sinceOf, waitText } from '../../console/pages/runs/logic/words.ts';
import type { EventResponse } from '../../src/entries/client.ts';

function result(id: string, layer: number, values: Partial<StepResult> = {}): StepResult {
  const times = { started_at: null, completed_at: '2026-11-22T10:00:00.000Z', duration_ms: 1 };
  const base = { step_id: id, kind: 'tool', status: 'COMPLETED', layer, attempts: 1, error: null } as const;
  return { ...base, output: {}, ...times, ...values };
}

function step(id: string, depends_on: string[], tool_name = 'find'): StepDefinition {
  return { id, kind: 'tool', tool_name, depends_on, static_input: {} };
}

const results = (...list: StepResult[]): Pick<Run, 'step_results'> => ({
  step_results: Object.fromEntries(list.map((entry) => [entry.step_id, entry])),
});

// Only the steps of these runs matter.
const run = (...list: StepResult[]): Run => results(...list) as Run;

const effects = {
  tools: new Map([
    ['find', 'read'],
    ['send', 'write'],
  ] as const),
  agents: new Map([['echo', 'idempotent']] as const),
};

const steps = [step('a', []), step('b', ['a'], 'send'), step('c', ['a']), step('d', ['b'], 'gone')];

describe('what runs again', () => {
  const failed = run(
    result('a', 0),
    result('b', 1, { status: 'FAILED' }),
    result('c', 1),
    result('d', 2, { status: 'SKIPPED', attempts: 0 }),
  );

  it('is what has not completed, for a retry', () => {
    expect(planRetry(failed, steps, effects)).toEqual({
      runs: [
        { id: 'b', effect: 'write', isRepeat: true },
        { id: 'd', effect: 'unknown', isRepeat: false },
      ],
      kept: ['a', 'c'],
    });
  });

  it('is the step, all that depend on it, and what never completed, for a rerun from it', () => {
    const plan = planRerun(failed, steps, effects, 'c');
    expect(plan.runs.map(({ id }) => id)).toEqual(['b', 'c', 'd']);
    expect(plan.kept).toEqual(['a']);
  });

  it('is everything, for a rerun from the start', () => {
    expect(planRerun(failed, steps, effects, undefined).runs).toHaveLength(4);
  });

  it('begins where a reader looks first: what nobody knows, what failed, what waits', () => {
    const wait = { step_id: 'd', kind: 'approval' } as const;
    const unknown = { step_id: 'c', kind: 'recovery' } as const;
    const at = (status: Run['status'], waiting_for: Run['waiting_for']) =>
      firstToSee({ ...failed, status, waiting_for });
    expect(at('FAILED', [])).toBe('b');
    expect(at('WAITING', [wait])).toBe('d');
    expect(at('WAITING', [wait, unknown])).toBe('c');
    expect(at('COMPLETED', [])).toBe(undefined);
  });

  it('counts what was skipped as ended', () => {
    const skipped = result('d', 2, { status: 'SKIPPED', completed_at: null });
    const waiting = result('e', 2, { status: 'WAITING', completed_at: null });
    expect(progressOf(results(result('a', 0), skipped, waiting))).toEqual({ ended: 2, all: 3 });
  });

  it('follows dependencies to their end', () => {
    expect([...dependents(steps, 'b')]).toEqual(['b', 'd']);
    const chain = Array.from({ length: 10_000 }, (_, n) => step(`s${n}`, n === 0 ? [] : [`s${n - 1}`]));
    expect(dependents(chain, 's1').size).toBe(9_999);
  });

  it('has the effect of its tool or agent, and none where it only waits', () => {
    const { id, depends_on, static_input } = step('x', []);
    const other = { id, depends_on, static_input };
    expect(effectOf({ ...other, kind: 'agent', agent_name: 'echo' }, effects)).toBe('idempotent');
    expect(effectOf({ ...other, kind: 'workflow', workflow_id: 'w' }, effects)).toBe('runs');
    expect(effectOf({ ...other, kind: 'wait', duration_ms: 1 }, effects)).toBe('waits');
    expect(effectOf(undefined, effects)).toBe('unknown');
  });
});

describe('where an input came from', () => {
  const outputOf = (id: string) => (id === 'order' ? { id: 7, lines: [{ article: 'lamp' }] } : undefined);
  const sources = (template: unknown) => sourcesOf(template, { city: 'Ulm' }, outputOf);

  it('is a step, the input of the run, an expression or the definition', () => {
    const template = {
      a: '$step.order.lines.0.article',
      b: '$input.city',
      c: ['${{ 1 + 1 }}'],
      d: '$$x',
      e: 5,
    };
    expect(sources(template)).toEqual([
      { path: 'a', kind: 'step', from: 'order.lines.0.article', stepId: 'order', value: 'lamp' },
      { path: 'b', kind: 'input', from: 'input.city', stepId: undefined, value: 'Ulm' },
      { path: 'c.0', kind: 'expression', from: '${{ 1 + 1 }}', stepId: undefined, value: undefined },
      { path: 'd', kind: 'fixed', from: '"$x"', stepId: undefined, value: '$x' },
      { path: 'e', kind: 'fixed', from: '5', stepId: undefined, value: 5 },
    ]);
  });

  it('has no value while its step has none, and none that is only inherited', () => {
    expect(sources({ a: '$step.later.x' })[0]?.value).toBeUndefined();
    expect(sources({ a: '$input.constructor' })[0]?.value).toBeUndefined();
    expect(sources({})).toEqual([]);
  });
});

describe('the attempts of a step', () => {
  const event = (type: string, at: number, data: object): EventResponse =>
    // Tests write only the members that matter.
    ({ type, at: new Date(at).toISOString(), data: { step_id: 's', ...data } }) as EventResponse;

  it('have their errors and back-offs, over retries of the run', () => {
    const { attempts } = storyOf(
      [
        event('step.started', 0, { attempt: 1 }),
        event('step.retrying', 10, { attempt: 1, error: 'busy', delay_ms: 5 }),
        event('step.failed', 20, { error: 'closed' }),
        event('step.started', 100, { attempt: 3 }),
        event('step.completed', 110, { attempts: 3 }),
      ],
      's',
    );
    expect(attempts.map(({ number, status, error, delayMs }) => [number, status, error, delayMs])).toEqual([
      [1, 'FAILED', 'busy', 5],
      [2, 'FAILED', 'closed', undefined],
      [3, 'COMPLETED', undefined, undefined],
    ]);
    expect(attempts[1]?.startedAt).toBe(new Date(15).toISOString());
  });

  it('are those of this step, with its progress and why it was skipped', () => {
    const story = storyOf(
      [
        event('step.started', 0, { step_id: 'other', attempt: 1 }),
        event('step.progress', 1, { done: 3, failed: 1, total: 9 }),
        event('step.skipped', 2, { why: 'condition' }),
      ],
      's',
    );
    expect(story).toMatchObject({
      attempts: [],
      progress: { done: 3, failed: 1, total: 9 },
      skipped: 'condition',
    });
  });
});

describe('the tree of steps', () => {
  const foreach = { results: [{ x: 1 }, null], errors: { 1: 'no such line' }, count: 2, failed: 1 };
  const tree = results(result('a', 0), result('b', 1, { output: foreach }), result('c', 1));
  const rows = (...toggled: string[]) => treeRows(tree, (id) => id === 'b', new Set(toggled));
  const ids = (...toggled: string[]) => rows(...toggled).map(({ id, level }) => `${level} ${id}`);

  it('has a row for each layer of several steps, and opens what is toggled', () => {
    expect(ids()).toEqual(['1 a', '1 layer:1', '2 b', '2 c']);
    expect(ids('b')).toEqual(['1 a', '1 layer:1', '2 b', '3 b:0', '3 b:1', '2 c']);
    expect(ids('layer:1')).toEqual(['1 a', '1 layer:1']);
  });

  it('tells which items failed', () => {
    expect(itemsOf(foreach).map(({ status, error }) => [status, error])).toEqual([
      ['COMPLETED', undefined],
      ['FAILED', 'no such line'],
    ]);
    expect(itemsOf(null)).toEqual([]);
  });

  it('moves, opens and closes by arrow keys', () => {
    expect(moveIn(rows(), 0, 'ArrowDown')).toEqual({ kind: 'to', index: 1 });
    expect(moveIn(rows(), 3, 'ArrowDown')).toEqual({ kind: 'to', index: 3 });
    expect(moveIn(rows(), 2, 'ArrowRight')).toEqual({ kind: 'toggle', id: 'b' });
    expect(moveIn(rows('b'), 4, 'ArrowLeft')).toEqual({ kind: 'to', index: 2 });
    expect(moveIn(rows(), 1, 'ArrowLeft')).toEqual({ kind: 'toggle', id: 'layer:1' });
    expect(moveIn(rows(), 0, 'x')).toBeUndefined();
  });
});

describe('two runs side by side', () => {
  it('show where their values differ', () => {
    expect(differencesOf({ a: [1, 2], b: 'x' }, { a: [1, 3], b: 'x', c: null })).toEqual([
      { path: 'a.1', left: 2, right: 3 },
      { path: 'c', left: undefined, right: null },
    ]);
    expect(differencesOf({ a: 1 }, null)).toEqual([{ path: '', left: { a: 1 }, right: null }]);
  });

  it('have all steps of both, and times are no difference', () => {
    const left = run(result('a', 0), result('b', 1));
    const right = run(result('a', 0, { duration_ms: 99 }), result('c', 1, { status: 'FAILED' }));
    expect(compareSteps(left, right).map(({ id, differs }) => [id, differs])).toEqual([
      ['a', false],
      ['b', true],
      ['c', true],
    ]);
  });
});

describe('the words of the list', () => {
  it('turn a span into a time, and leave a time as it is', () => {
    expect(sinceOf('24h', Date.parse('2026-11-22T10:00:00Z'))).toBe('2026-11-21T10:00:00.000Z');
    expect(sinceOf('2026-11-22T00:00Z', 0)).toBe('2026-11-22T00:00Z');
    expect(sinceOf('', 0)).toBeUndefined();
  });

  it('name the first wait and count the others', () => {
    const wait = { kind: 'approval', step_id: 'ask' } as const;
    expect(waitText([wait])).toBe('approval · ask');
    expect(waitText([wait, wait, wait])).toBe('approval · ask and 2 more');
    expect(waitText([])).toBe('');
  });
});
