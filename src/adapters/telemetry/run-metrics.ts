import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EventSink } from '../../domain/events.ts';
import type { RunEvent } from '../../domain/run/events.ts';
import { type EndStatus, waitKinds } from '../../domain/run/run.ts';
import { createRunningRuns, type RunningRuns } from '../../domain/run/running-runs.ts';
import { runOrigins } from '../../domain/subject-event.ts';
import { withTimeout } from '../../lib/async/timeout.ts';
import { systemClock } from '../shared/system.ts';

/** Upper bounds in seconds, from one millisecond to the default timeout of an agent. */
export const latencyBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

const endStatuses: readonly EndStatus[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/**
 * Creates an event sink that counts runs and steps. It counts what was saved to the logs of runs, so that a run counts
 * once, in the process that saved its end. `runsWaiting` is the number of runs that wait for their start.
 */
export function createRunMetrics(registry: Registry, runsWaiting?: () => Promise<number>): EventSink {
  const counters = createCounters(registry);
  const running = createRunningRuns();
  createRunGauges(registry, running, runsWaiting);
  const latencies = new Histogram({
    name: 'service_run_latency_seconds',
    help: 'Seconds that a workflow run took, all its attempts together, by the status with which it ended.',
    labelNames: ['status'],
    // Runs may take far longer than requests.
    buckets: [...latencyBuckets, 300, 900, 3_600],
    registers: [registry],
  });

  function runEnded(status: EndStatus, durationMs: number | null): void {
    counters.runs.labels(status).inc();
    // Nobody knows how long a run took whose process is gone.
    if (durationMs !== null) latencies.labels(status).observe(durationMs / 1_000);
  }

  function count(event: RunEvent): void {
    if (event.type === 'execution.created') counters.created.labels(event.origin).inc();
    else if (event.type === 'step.retrying') counters.stepRetries.inc();
    else if (event.type === 'step.waiting') counters.waits.labels(event.for).inc();
    else if (event.type === 'step.completed') {
      if (event.copied !== true) counters.steps.labels('COMPLETED').inc();
    } else if (event.type === 'step.failed') counters.steps.labels('FAILED').inc();
    else if (event.type === 'step.skipped') counters.steps.labels('SKIPPED').inc();
    else if (event.type === 'step.cancelled') counters.steps.labels('CANCELLED').inc();
    else if (event.type === 'execution.cancel_requested') counters.cancelRequests.inc();
    else if (event.type === 'execution.retried') counters.retries.inc();
    else if (event.type === 'execution.recovered') {
      // A hand-over at a shutdown counts none.
      if (event.recoveriesWithoutProgress > 0) counters.recoveries.inc();
    } else if (event.type === 'execution.completed') runEnded('COMPLETED', event.durationMs);
    else if (event.type === 'execution.failed') runEnded('FAILED', event.durationMs);
    else if (event.type === 'execution.cancelled') runEnded('CANCELLED', event.durationMs);
  }

  return (event) => {
    running.follow(event);
    if (event.type === 'run.appended') for (const appended of event.events) count(appended);
  };
}

/** Returns a function that creates counters in a registry. */
export function countersOf(registry: Registry) {
  return <Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> => new Counter({ name, help, labelNames, registers: [registry] });
}

function createCounters(registry: Registry) {
  const counter = countersOf(registry);
  const counters = {
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
    steps: counter(
      'service_steps_total',
      'Ended workflow steps, by status; a step that runs again in a retry of its run ends more than once.',
      ['status'],
    ),
  };
  // Metrics of closed sets begin at 0.
  for (const origin of runOrigins) counters.created.labels(origin).inc(0);
  for (const kind of waitKinds) counters.waits.labels(kind).inc(0);
  for (const status of endStatuses) counters.runs.labels(status).inc(0);
  for (const status of [...endStatuses, 'SKIPPED']) counters.steps.labels(status).inc(0);
  return counters;
}

/** Milliseconds that the metrics wait for what they ask a store. */
export const READ_TIMEOUT_MS = 1_000;

/**
 * Creates the gauges of runs, which are computed when the metrics are read. The gauge of waiting runs needs
 * `runsWaiting`. It keeps its last value where that rejects or takes longer than a second.
 */
function createRunGauges(
  registry: Registry,
  running: Pick<RunningRuns, 'size'>,
  runsWaiting?: () => Promise<number>,
): void {
  const registers = [registry];
  new Gauge({
    name: 'service_runs_running',
    help: 'Workflow runs that this process runs now.',
    registers,
    collect() {
      this.set(running.size);
    },
  });
  if (runsWaiting === undefined) return;
  new Gauge({
    name: 'service_runs_waiting',
    help: 'Workflow runs that wait for their start now: in this process, or in all replicas that share a queue.',
    registers,
    async collect() {
      try {
        this.set(await withTimeout(runsWaiting, { clock: systemClock, timeoutMs: READ_TIMEOUT_MS }));
      } catch {
        // The store is away: the metrics must be readable then above all.
      }
    },
  });
}
