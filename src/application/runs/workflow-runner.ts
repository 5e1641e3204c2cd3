import type { RetriedBy } from '../../domain/run/control.ts';
import type { Run, RunSummary } from '../../domain/run/run.ts';
import type { RunState } from '../../domain/run/state.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Durability } from './durable/durable-runs.ts';
import type { ContinueRun } from './start/continue-run.ts';
import type { NewRunRequest } from './start/new-run.ts';
import type { StepTargets } from './steps/call-step.ts';
import type { WaitItems } from './waits/wait-items.ts';

/**
 * Runs definitions (specification, sections 3 and 4). A run that is stored already, because it was started before with
 * the same id, is not started again: `run` and `start` resolve to its record as it is.
 */
export interface WorkflowRunner {
  /**
   * Runs a definition and resolves to its ended run, which is FAILED when a step failed. Rejects with `validation` for
   * an input that the definition does not accept, and with `unavailable` when the run cannot be recorded, before any
   * step has run, and after a shutdown. With `waitMs`, a run that takes longer is returned as it is then, and counts as
   * a background run from then on. A run that waits is returned after 30 seconds of waiting at most.
   */
  run(request: NewRunRequest, waitMs?: number): Promise<Run>;
  /**
   * Records a run and resolves to its PENDING record; the run starts when its turn comes. Rejects with `unavailable` as
   * above, and when too many runs wait already.
   */
  start(request: NewRunRequest): Promise<Run>;
  /**
   * Runs an ended run again in the background: all steps that did not complete. Rejects as `start`, and with `conflict`
   * when somebody else does it at the same time.
   */
  retry(state: RunState, by: RetriedBy): Promise<Run>;
  /** What a new run goes on with of one that has ended. */
  readonly continueRun: ContinueRun;
  /** Tells the parent of an ended child run of its end, unless it knows already. Rejects with `unavailable`. */
  tellParent(child: RunSummary): Promise<void>;
  /** Continues runs that wait from now on when their time has come, also those that other processes have left. */
  startWakes(): void;
  /**
   * Accepts no more background runs and waits up to `graceMs` milliseconds for running and waiting ones, then
   * interrupts the rest, which ends as FAILED, `interrupted`. Durable runs are handed back instead: those of the queue
   * as soon as no step of them is under way, the others after that time. Resolves when every run has been recorded.
   */
  close(graceMs: number): Promise<void>;
}

/** The ports of a runner. */
export type RunnerPorts = Pick<
  Ports,
  | 'clock'
  | 'newId'
  | 'random'
  | 'logger'
  | 'events'
  | 'telemetry'
  | 'runs'
  | 'runQueue'
  | 'expressions'
  | 'schemas'
  | 'workflows'
>;

/** What a runner works with, in addition to its ports. */
export interface RunnerDeps {
  /** The tools and agents that steps call. */
  readonly targets: StepTargets;
  /** The inbox items of the waits of runs. */
  readonly items: WaitItems;
  /** Whether somebody can be asked. */
  readonly hasInbox: boolean;
  /** Runs end with their process when absent. */
  readonly durability?: Durability | undefined;
}
