import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/domain/run/decide.ts';
import type { RunEvent } from '../../../src/domain/run/events.ts';
import { evolve, replay } from '../../../src/domain/run/evolve.ts';
import { defaultRecoveryPolicy, recover } from '../../../src/domain/run/recover.ts';
import type { RunState } from '../../../src/domain/run/state.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import { toolStep } from '../../support/workflow/graphs.ts';
import { definitionOf, noRules } from '../../support/workflow/simulated-run.ts';

const TIME = 1_000;
const TOO_LATE = 'the workflow timed out after 1000 ms';

const at = { startedAt: 0, durationMs: 1 } as const;
const failed = { ...at, type: 'step.failed', stepId: 'a', attempts: 1, error: 'no stock' } as const;
const completed = { ...at, type: 'step.completed', stepId: 'a', attempts: 1, output: {} } as const;

/** The end of the step `a`, at the time 10. */
type End = typeof failed | typeof completed | (Omit<typeof failed, 'error'> & { readonly error: string });

/**
 * A run of at most 1,000 ms that began at 0: the step `a` of its first layer has ended, and no other one has begun.
 */
function afterFirst(steps: readonly Step[], end: End): RunState {
  const created = { workflowName: 'n', version: 1, background: true, origin: 'api', input: {} } as const;
  const events: RunEvent[] = [
    { seq: 1, type: 'execution.created', at: 0, ...created, rerunOf: null },
    { seq: 2, type: 'execution.started', at: 0, attempt: 1 },
    { seq: 3, type: 'layer.started', at: 0, layer: 0, steps: ['a', 'b', 'c'] },
    { seq: 4, type: 'step.started', at: 0, stepId: 'a', kind: 'tool', layer: 0, attempt: 1 },
    { seq: 5, at: 10, ...end },
  ];
  const definition = { ...definitionOf(steps), timeoutMs: TIME };
  return replay({ runId: 'r', workflowId: 'w', definition, events });
}

/** Decides at that time, and applies the events. */
function decideAt(state: RunState, now: number) {
  const rules = () => noRules;
  const decision = decide(state, { now, elapsedMs: now, failure: null, maxStarts: 2, rules });
  for (const event of decision.events) evolve(state, event);
  return decision;
}

const statusesOf = ({ results }: RunState) => results.map(({ status }) => status);

const layer = [toolStep('a'), toolStep('b'), toolStep('c')];

describe('a run in the middle of a layer', () => {
  test.each([
    ['has completed', completed],
    ['has failed', failed],
  ])('starts the other steps of the layer just before its time is over, where a step %s', (_, end) => {
    const state = afterFirst(layer, end);
    expect(decideAt(state, TIME - 1)).toMatchObject({ steps: [1, 2], end: null });
    expect(statusesOf(state).slice(1)).toEqual(['RUNNING', 'RUNNING']);
  });

  test.each([
    ['has completed', completed, TOO_LATE],
    ['has failed', failed, 'step "a" failed: no stock'],
    ['has failed by the time of the run', { ...failed, error: TOO_LATE }, TOO_LATE],
  ])('starts no other step of the layer once its time is over, where a step %s', (_, end, error) => {
    const state = afterFirst(layer, end);
    expect(decideAt(state, TIME)).toMatchObject({ steps: [], end: { type: 'execution.failed', error } });
    expect(statusesOf(state).slice(1)).toEqual(['SKIPPED', 'SKIPPED']);
  });

  test.each([completed, failed])(
    'starts only those steps of the layer then that always run, after $type',
    (end) => {
      const state = afterFirst([toolStep('a'), toolStep('b'), { ...toolStep('c'), runIf: 'always' }], end);
      expect(decideAt(state, TIME)).toMatchObject({ steps: [2], end: null });
      expect(statusesOf(state).slice(1)).toEqual(['SKIPPED', 'RUNNING']);
    },
  );

  test('starts those steps of it no more which its lost process had under way', () => {
    const state = afterFirst(layer, completed);
    decideAt(state, 20);
    const context = { policy: defaultRecoveryPolicy, crashed: true, signal: undefined, now: TIME };
    recover(state, { ...context, mayRepeat: () => true, newItemId: () => 'item' });
    expect(statusesOf(state)).toEqual(['COMPLETED', 'PENDING', 'PENDING']);
    expect(decideAt(state, TIME)).toMatchObject({ steps: [], end: { error: TOO_LATE } });
    expect(statusesOf(state)).toEqual(['COMPLETED', 'SKIPPED', 'SKIPPED']);
  });
});

describe('a run between two layers', () => {
  const chain = [toolStep('a'), toolStep('b', ['a'])];

  test('starts the next one before its time is over, and none after it', () => {
    expect(decideAt(afterFirst(chain, completed), TIME - 1)).toMatchObject({ steps: [1], end: null });
    expect(decideAt(afterFirst(chain, completed), TIME)).toMatchObject({
      steps: [],
      end: { type: 'execution.failed', error: TOO_LATE },
    });
  });

  test('starts no other one after a failure, whatever time is left', () => {
    expect(decideAt(afterFirst([toolStep('a'), toolStep('b', ['a'])], failed), 20)).toMatchObject({
      steps: [],
      end: { type: 'execution.failed', error: 'step "a" failed: no stock' },
    });
  });
});
