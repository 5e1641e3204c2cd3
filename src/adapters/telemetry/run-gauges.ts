import { Gauge, type Registry } from 'prom-client';
import type { RunningRuns } from '../../domain/run/running-runs.ts';
import { withTimeout } from '../../lib/async/timeout.ts';
import { systemClock } from '../shared/system.ts';

/** Milliseconds that the metrics wait for the number of waiting runs. */
const WAIT_MS = 1_000;

/**
 * Creates the gauges of runs, which are computed when the metrics are read. The gauge of waiting runs needs
 * `runsWaiting`. It keeps its last value where that rejects or takes longer than a second.
 */
export function createRunGauges(
  registry: Registry,
  running: Pick<RunningRuns, 'size'>,
  runsWaiting?: () => Promise<number>,
): void {
  new Gauge({
    name: 'service_runs_running',
    help: 'Workflow runs that this process runs now.',
    registers: [registry],
    collect() {
      this.set(running.size);
    },
  });
  if (runsWaiting !== undefined) createWaitingGauge(registry, runsWaiting);
}

function createWaitingGauge(registry: Registry, runsWaiting: () => Promise<number>): void {
  new Gauge({
    name: 'service_runs_waiting',
    help: 'Workflow runs that wait for their start now: in this process, or in all replicas that share a queue.',
    registers: [registry],
    async collect() {
      try {
        this.set(await withTimeout(runsWaiting, { clock: systemClock, timeoutMs: WAIT_MS }));
      } catch {
        // The store is away: the metrics must be readable then above all.
      }
    },
  });
}
