import { Counter, Histogram, type Registry } from 'prom-client';
import type { EventSink } from '../../domain/events.ts';
import type { RunEvent, RunEventType } from '../../domain/run/events.ts';
import { type EndStatus, type StepStatus, waitKinds } from '../../domain/run/run.ts';
import { createRunningRuns } from '../../domain/run/running-runs.ts';
import type { EndEvent } from '../../domain/run/state.ts';
import { runOrigins } from '../../domain/subject-event.ts';
import { latencyBuckets } from './request-metrics.ts';
import { createRunGauges } from './run-gauges.ts';

/** Upper bounds in seconds: runs may take far longer than requests. */
const buckets = [...latencyBuckets, 300, 900, 3_600];

/** What each type of event in the log of a run changes. */
type Projection = { readonly [T in RunEventType]: (runId: string, event: RunEvent<T>) => void };

function changesNothing(): void {}

/**
 * Creates an event sink that counts runs and steps. It counts what was saved to the logs of runs, so that a run counts
 * once, in the process that saved its end. `runsWaiting` is the number of runs that wait for their start.
 */
export function createRunMetrics(registry: Registry, runsWaiting?: () => Promise<number>): EventSink {
  const counters = createCounters(registry);
  const steps = countSteps(registry);
  const running = createRunningRuns();
  createRunGauges(registry, running, runsWaiting);
  const runLatencies = new Histogram({
    name: 'service_run_latency_seconds',
    help: 'Seconds that a workflow run took, all its attempts together, by the status with which it ended.',
    labelNames: ['status'],
    buckets,
    registers: [registry],
  });

  function endOf(status: EndStatus): (runId: string, end: Pick<EndEvent, 'durationMs'>) => void {
    const count = counters.runs.labels(status);
    const latency = runLatencies.labels(status);
    count.inc(0);
    return (_runId, { durationMs }) => {
      count.inc();
      // Nobody knows how long a run took whose process is gone.
      if (durationMs !== null) latency.observe(durationMs / 1_000);
    };
  }

  const createdBy = new Map(runOrigins.map((origin) => [origin, counters.created.labels(origin)]));
  const waitsFor = new Map(waitKinds.map((kind) => [kind, counters.waits.labels(kind)]));
  for (const count of [...createdBy.values(), ...waitsFor.values()]) count.inc(0);
  const projection = {
    'execution.created': (_runId, { origin }) => createdBy.get(origin)?.inc(),
    'execution.started': changesNothing,
    'layer.started': changesNothing,
    'step.started': changesNothing,
    'step.retrying': () => counters.stepRetries.inc(),
    'step.progress': changesNothing,
    'step.completed'(_runId, { copied }) {
      if (copied !== true) steps.COMPLETED++;
    },
    'step.waiting': (_runId, { for: kind }) => waitsFor.get(kind)?.inc(),
    'step.failed': () => steps.FAILED++,
    'step.skipped': () => steps.SKIPPED++,
    'step.cancelled': () => steps.CANCELLED++,
    'execution.waiting': changesNothing,
    'execution.resumed': changesNothing,
    'execution.cancel_requested': () => counters.cancelRequests.inc(),
    'execution.retried': () => counters.retries.inc(),
    'execution.recovered'(_runId, { recoveriesWithoutProgress }) {
      // A hand-over at a shutdown counts none.
      if (recoveriesWithoutProgress > 0) counters.recoveries.inc();
    },
    'execution.completed': endOf('COMPLETED'),
    'execution.failed': endOf('FAILED'),
    'execution.cancelled': endOf('CANCELLED'),
  } satisfies Projection;

  return (event) => {
    running.follow(event);
    if (event.type !== 'run.appended') return;
    for (const appended of event.events) apply(projection, appended.type, event.runId, appended);
  };
}

function apply<T extends RunEventType>(
  projection: Projection,
  type: T,
  runId: string,
  event: RunEvent<T>,
): void {
  projection[type](runId, event);
}

function createCounters(registry: Registry) {
  const counter = <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> => new Counter({ name, help, labelNames, registers: [registry] });
  return {
    created: counter(
      'service_runs_created_total',
      'Workflow runs created, by origin: api, rerun, workflow or schedule.',
      ['origin'],
    ),
    runs: counter(
      'service_runs_total',
      'Ended workflow runs, by status; a run that is retried ends more than once.',
      ['status'],
    ),
    retries: counter('service_run_retries_total', 'Ended workflow runs that were continued by a retry.'),
    recoveries: counter(
      'service_run_recoveries_total',
      'Workflow runs that were continued after a crash with a step under way.',
    ),
    waits: counter(
      'service_step_waits_total',
      'Waits that workflow steps began, one for each item of a step with foreach, by what ends them: approval, wait (a time), workflow (a child run), or recovery (the decision about an unknown outcome).',
      ['for'],
    ),
    cancelRequests: counter(
      'service_run_cancel_requests_total',
      'Requests to cancel a workflow run that had not ended.',
    ),
    stepRetries: counter(
      'service_step_retries_total',
      'Attempts at workflow steps that failed and were followed by another.',
    ),
  };
}

/**
 * Creates the counter of steps. It is computed from the returned numbers when the metrics are read, because to
 * increment a counter with a label takes longer than the rest of this sink.
 */
function countSteps(
  registry: Registry,
): Record<Exclude<StepStatus, 'PENDING' | 'RUNNING' | 'WAITING'>, number> {
  const ended = { COMPLETED: 0, FAILED: 0, CANCELLED: 0, SKIPPED: 0 };
  new Counter({
    name: 'service_steps_total',
    help: 'Ended workflow steps, by status; a step that runs again in a retry of its run ends more than once.',
    labelNames: ['status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [status, steps] of Object.entries(ended)) this.inc({ status }, steps);
    },
  });
  return ended;
}
