import { describe, expect, test } from 'vitest';
import { cancelledWaits } from '../../../src/domain/run/control.ts';
import type { RunEvent } from '../../../src/domain/run/events.ts';
import { evolve } from '../../../src/domain/run/evolve.ts';
import { initialState, openWaits, type RunState } from '../../../src/domain/run/state.ts';
import { endDueWaits, nextDue, openWaitsOf } from '../../../src/domain/run/waits.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import { shapeOf } from '../../../src/domain/workflow/shape.ts';
import { definitionOf } from '../../support/workflow/simulated-run.ts';

const NOW = Date.UTC(2026, 0, 1);

const head = {
  runId: 'run',
  workflowId: 'workflow',
  workflowName: 'n',
  version: 1,
  background: true,
  ...({
    origin: 'api',
    input: {},
    rerunOf: null,
    parentRunId: null,
    customerId: null,
    depth: 1,
    breadth: 1,
  } as const),
};

/** A run each of whose steps waits, until the given times; null for no time. */
function waitingRun(times: readonly (number | null)[]): RunState {
  const steps = times.map((_, index): Step => {
    return { id: `step-${index}`, kind: 'wait', durationMs: 1, dependsOn: [], staticInput: {} };
  });
  const state = initialState(head, shapeOf(definitionOf(steps)));
  evolve(state, { seq: 1, type: 'execution.started', at: NOW, attempt: 1 });
  evolve(state, { seq: 2, type: 'layer.started', at: NOW, layer: 0, steps: steps.map(({ id }) => id) });
  for (const [index, time] of times.entries()) evolve(state, waiting(state, `step-${index}`, time));
  return state;
}

function waiting(state: RunState, stepId: string, time: number | null): RunEvent<'step.waiting'> {
  const until = time === null ? null : new Date(time).toISOString();
  const ids = { stepId, itemId: `item-${state.seq}`, attempts: 1 };
  return { seq: state.seq + 1, type: 'step.waiting', at: NOW, for: 'wait', until, ...ids };
}

/** Counts how often the waits of a run are read from now on. */
function countReads(state: RunState): () => number {
  const waits = new Map(state.waits);
  const get = waits.get.bind(waits);
  let reads = 0;
  waits.get = (itemId) => {
    reads++;
    return get(itemId);
  };
  state.waits = waits;
  return () => reads;
}

function many(count: number): RunState {
  return waitingRun(Array.from({ length: count }, () => NOW));
}

describe('the open waits of a run', () => {
  test('are found in their order, and by their step', () => {
    const state = waitingRun([NOW, null, NOW + 5]);
    evolve(state, waiting(state, 'step-0', NOW + 1));
    const open = openWaits(state).map(({ stepId }) => stepId);
    expect(open).toEqual(['step-0', 'step-1', 'step-2', 'step-0']);
    expect(openWaitsOf(state, 'step-0').map(({ dueAt }) => dueAt)).toEqual([NOW, NOW + 1]);
    expect(openWaitsOf(state, 'none')).toEqual([]);
  });

  test('end one by one when their time has come', () => {
    const state = waitingRun([NOW + 10, null, NOW + 5]);
    const end = (now: number) => endDueWaits(state, now, (event) => evolve(state, event));
    expect(nextDue(state)).toBe(NOW + 5);
    end(NOW + 9);
    expect(openWaits(state).map(({ stepId }) => stepId)).toEqual(['step-0', 'step-1']);
    expect(nextDue(state)).toBe(NOW + 10);
    end(NOW + 10);
    expect(openWaits(state).map(({ stepId }) => stepId)).toEqual(['step-1']);
    expect(nextDue(state)).toBeNull();
  });

  test('end in parts where many are due', () => {
    const state = many(1_200);
    const left: number[] = [];
    while (state.openItems.size > 0) {
      endDueWaits(state, NOW, (event) => evolve(state, event));
      left.push(state.openItems.size);
    }
    expect(left).toEqual([700, 200, 0]);
    expect(state.results.every(({ status }) => status === 'COMPLETED')).toBe(true);
  });

  test('end in time that grows with their number, not with its square', () => {
    const state = many(2_000);
    const reads = countReads(state);
    for (const event of cancelledWaits(state, NOW)) evolve(state, event);
    expect(openWaits(state)).toEqual([]);
    expect(reads()).toBeLessThan(10 * 2_000);
  });
});
