import type { EventResponse } from '../../../../src/entries/client.ts';

/** A step as the events tell it. Times are in milliseconds since the epoch. */
export interface FoldedStep {
  status: 'PENDING' | 'RUNNING' | 'LOST' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
  attempts: number;
  error: string | null;
  /** When its calls were announced: at its starts and before each further attempt. */
  readonly calls: number[];
  /** The number of calls whose process was lost. */
  lost: number;
  endedAt: number | undefined;
}

/** A continuation after the loss of a process. */
export interface Recovered {
  readonly before: number;
  readonly after: number;
  readonly unknownSteps: readonly string[];
  readonly underWay: readonly string[];
  readonly at: number;
}

/** A run as its events tell it. */
export interface Folded {
  status: string;
  attempt: number;
  recoveries: number;
  recoveriesWithoutProgress: number;
  error: string | null;
  endedAt: number;
  readonly steps: ReadonlyMap<string, FoldedStep>;
  readonly recovered: readonly Recovered[];
  /** Events that cannot follow from those before them. */
  readonly illegal: readonly string[];
}

/** Folds the events of a run with those steps. It shares no code with the service. */
export function fold(stepIds: readonly string[], events: readonly EventResponse[]): Folded {
  const newStep = (): FoldedStep => ({
    status: 'PENDING',
    attempts: 0,
    error: null,
    calls: [],
    lost: 0,
    endedAt: undefined,
  });
  const steps = new Map(stepIds.map((id) => [id, newStep()]));
  const recovered: Recovered[] = [];
  const illegal: string[] = [];
  const counts = { attempt: 1, recoveries: 0, recoveriesWithoutProgress: 0 };
  const run = { status: '', ...counts, error: null as string | null, endedAt: 0 };
  const expect = (holds: boolean, { seq, type }: EventResponse): void => {
    if (!holds) illegal.push(`${seq} ${type}`);
  };
  const has = (step: FoldedStep, ...statuses: readonly FoldedStep['status'][]): boolean =>
    statuses.includes(step.status);

  for (const event of events) {
    const at = Date.parse(event.at);
    expect(event.seq === 1 ? event.type === 'execution.created' : run.status !== '', event);
    const isOpen = !['COMPLETED', 'FAILED', 'CANCELLED'].includes(run.status);
    expect(isOpen || event.type === 'execution.retried', event);
    const stepId = 'step_id' in event.data ? event.data.step_id : undefined;
    const step = steps.get(stepId ?? '') ?? newStep();
    if (stepId !== undefined) expect(steps.has(stepId), event);
    switch (event.type) {
      case 'execution.created':
        run.status = 'PENDING';
        break;
      case 'execution.started':
        expect(run.status === 'PENDING' && event.data.attempt === run.attempt, event);
        run.status = 'RUNNING';
        break;
      case 'layer.started':
      case 'execution.cancel_requested':
        break;
      case 'step.started':
        expect(has(step, 'PENDING', 'LOST') && event.data.attempt === step.attempts + 1, event);
        step.status = 'RUNNING';
        step.calls.push(at);
        break;
      case 'step.retrying':
        expect(has(step, 'RUNNING'), event);
        step.attempts = event.data.attempt;
        step.calls.push(at);
        break;
      case 'step.completed':
        expect(has(step, 'RUNNING') && event.data.attempts === step.attempts + 1, event);
        Object.assign(step, { status: 'COMPLETED', attempts: event.data.attempts, endedAt: at });
        run.recoveriesWithoutProgress = 0;
        break;
      case 'step.failed':
        if (has(step, 'RUNNING') && event.data.duration_ms === null) step.lost++;
        expect(has(step, 'RUNNING', 'LOST'), event);
        Object.assign(step, { status: 'FAILED', attempts: event.data.attempts, endedAt: at });
        step.error = event.data.error;
        break;
      case 'step.cancelled':
        if (has(step, 'RUNNING') && event.data.duration_ms === null) step.lost++;
        expect(has(step, 'RUNNING', 'LOST'), event);
        Object.assign(step, { status: 'CANCELLED', attempts: event.data.attempts, endedAt: at });
        break;
      case 'step.skipped':
        // A step may be skipped between its start and its call, though not one that a lost process had called.
        expect(has(step, 'PENDING') || (has(step, 'RUNNING') && step.lost === 0), event);
        step.status = 'SKIPPED';
        break;
      case 'execution.recovered': {
        const lost = [...steps].filter(([, { status }]) => status === 'RUNNING');
        for (const [, each] of lost) Object.assign(each, { status: 'LOST', attempts: each.attempts + 1 });
        for (const [, each] of lost) each.lost++;
        const { recoveries_without_progress: after, unknown_steps: unknownSteps } = event.data;
        const underWay = lost.map(([id]) => id);
        const before = run.recoveriesWithoutProgress;
        recovered.push({ before, after, unknownSteps, underWay, at });
        expect(event.data.recoveries - run.recoveries === after - before, event);
        run.recoveries = event.data.recoveries;
        run.recoveriesWithoutProgress = after;
        break;
      }
      case 'execution.retried':
        expect(!isOpen && event.data.attempt === run.attempt + 1, event);
        Object.assign(run, { status: 'PENDING', attempt: event.data.attempt, error: null });
        run.recoveriesWithoutProgress = 0;
        for (const id of event.data.steps) Object.assign(steps.get(id) ?? {}, { status: 'PENDING' });
        break;
      case 'execution.completed':
      case 'execution.failed':
      case 'execution.cancelled':
        expect(
          [...steps.values()].every((each) => !has(each, 'PENDING', 'RUNNING', 'LOST')),
          event,
        );
        run.status = event.type.slice('execution.'.length).toUpperCase();
        run.error = event.data.error;
        run.endedAt = at;
        break;
      default:
        illegal.push(`${event.seq} ${event.type}`);
    }
  }
  return { ...run, steps, recovered, illegal };
}
