import type { RunEvent } from '../../../domain/run/events.ts';
import type { StepRules } from '../../../domain/run/layer.ts';
import type { RunSummary } from '../../../domain/run/run.ts';
import { itemAt } from '../../../lib/array.ts';
import { isoTime } from '../../../lib/text/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import { endOf } from '../child-runs.ts';
import type { LoadedRun } from '../loaded-run.ts';
import type { Budget } from './budget.ts';
import type { StepMock } from './mocks.ts';
import type { Scopes } from './scopes.ts';
import type { ScratchLog } from './scratch-log.ts';

/** The mocked child runs and waits of one simulation. */
export interface MockedChildren {
  /**
   * Notes that a step has begun to wait. Where it has a mock, its wait ends as that says: there is no other child than
   * that.
   */
  add(runId: string, event: RunEvent<'step.waiting'>): void;
  /** The rules of a run by which a wait with a mock ends as that says, and not by its own time. */
  adaptRules(run: LoadedRun, rules: StepRules): StepRules;
}

/** What {@link createMockedChildren} works with. */
export interface MockedChildrenDeps {
  readonly clock: Clock;
  readonly runs: ScratchLog;
  readonly scopes: Scopes;
  readonly budget: Pick<Budget, 'spendOutput'>;
}

/** Creates {@link MockedChildren}. */
export function createMockedChildren({ clock, runs, scopes, budget }: MockedChildrenDeps): MockedChildren {
  /** Ends the child later than its parent looks at it, as the runner tells of the end of a child. */
  function endLater(runId: string, child: RunSummary, mock: StepMock): void {
    clock.after(mock.delayMs ?? 0, () => {
      const ended = endedChild(child, mock, clock.now());
      runs.addMocked(ended);
      void runs.signal(runId, { type: 'resolve', ...endOf(ended) });
    });
  }

  /** Ends a wait for a time as its mock says. */
  function endWaitLater(runId: string, { itemId, stepId, item }: RunEvent<'step.waiting'>): void {
    const { mock } = scopes.step(runId, stepId, item);
    if (!isWaitMock(mock) || (mock.output !== undefined && !budget.spendOutput(mock.output))) return;
    const { output = {}, error = null, delayMs = 0 } = mock;
    const end = { itemId, by: 'simulation', note: error, output: error === null ? output : null };
    clock.after(delayMs, () => {
      const outcome = error === null ? 'completed' : 'failed';
      void runs.signal(runId, { type: 'resolve', outcome, ...end });
    });
  }

  return {
    adaptRules: (run, rules) => ({
      ...rules,
      wait(index, item) {
        const wait = rules.wait(index, item);
        const { id, kind } = itemAt(run.plan.definition.steps, index);
        if ('error' in wait || kind !== 'wait') return wait;
        return isWaitMock(scopes.step(run.state.head.runId, id, item).mock) ? { until: null } : wait;
      },
    }),
    add(runId, event) {
      if (event.for === 'wait') return endWaitLater(runId, event);
      if (event.for !== 'workflow') return;
      scopes.addChild(runId, event);
      const { step, mock } = scopes.step(runId, event.stepId, event.item);
      const isMocked = mock !== undefined && (mock.output ?? mock.error) !== undefined;
      if (step.kind !== 'workflow' || !isMocked) return;
      if (mock.output !== undefined && !budget.spendOutput(mock.output)) return;
      const child = startedChild(event.itemId, step.workflowId ?? '', runId, clock.now());
      if ((mock.delayMs ?? 0) === 0) return runs.addMocked(endedChild(child, mock, clock.now()));
      runs.addMocked(child);
      endLater(runId, child, mock);
    },
  };
}

/** Whether a mock says how a wait ends; `{}` does not. */
function isWaitMock(mock: StepMock | undefined): mock is StepMock {
  return mock !== undefined && (mock.output ?? mock.error ?? mock.delayMs) !== undefined;
}

function startedChild(runId: string, workflowId: string, parentRunId: string, now: number): RunSummary {
  const at = isoTime(now);
  return {
    runId,
    workflowId,
    parentRunId,
    workflowName: workflowId,
    version: 1,
    rerunOf: null,
    customerId: null,
    status: 'RUNNING',
    background: true,
    input: {},
    output: null,
    error: null,
    createdAt: at,
    startedAt: at,
    completedAt: null,
    durationMs: null,
    attempt: 1,
    recoveries: 0,
    recoveriesWithoutProgress: 0,
    waitingFor: [],
    wakeAt: null,
  };
}

function endedChild(child: RunSummary, { output, error }: StepMock, now: number): RunSummary {
  const completedAt = isoTime(now);
  return output === undefined
    ? { ...child, status: 'FAILED', error: error ?? null, completedAt }
    : { ...child, status: 'COMPLETED', output, completedAt };
}
