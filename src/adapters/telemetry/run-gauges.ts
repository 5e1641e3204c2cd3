import { Gauge, type Registry } from 'prom-client';

/** The runs of this process that have not ended. Every run that this process accepts is also run by it. */
export interface RunGauges {
  /** A run was created, or is retried: it waits for its start. */
  waits(runId: string): void;
  /** A run that waited has started. Ignored for others, because the start of an ended run may be saved late. */
  started(runId: string): void;
  /** A run has ended. Ignored where that is known, and for the runs of other processes. */
  ended(runId: string): void;
}

/** Creates the gauges of runs. They are computed when the metrics are read. */
export function createRunGauges(registry: Registry): RunGauges {
  const waiting = new Set<string>();
  const running = new Set<string>();
  const count = (name: string, help: string, runs: ReadonlySet<string>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(runs.size);
      },
    });
  count('service_runs_waiting', 'Workflow runs of this process that wait for their start now.', waiting);
  count('service_runs_running', 'Workflow runs that this process runs now.', running);
  return {
    waits: (runId) => void waiting.add(runId),
    started(runId) {
      if (waiting.delete(runId)) running.add(runId);
    },
    ended(runId) {
      waiting.delete(runId);
      running.delete(runId);
    },
  };
}
