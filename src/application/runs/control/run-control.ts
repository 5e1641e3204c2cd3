import type { WaitOutcome } from '../../../domain/run/events.ts';
import type { Run, RunSummary } from '../../../domain/run/run.ts';
import type { EventSource } from '../../../domain/subject-event.ts';
import type { JsonObject, JsonValue } from '../../../lib/json/json.ts';
import type { CursorPage, CursorRequest, RunListFilter } from '../../../ports/storage/run-log.ts';

/** The request to cancel a run. */
export interface CancelRequest {
  /** Who asks for it. */
  readonly by: string;
  readonly reason: string | null;
}

/** What became of a request to cancel a run. */
export interface CancelResult {
  /** The run after the request. It may not have ended yet. */
  readonly run: Run;
  /** False when the run had ended already: it is unchanged. */
  readonly isAccepted: boolean;
}

/** The decision about a step of unknown outcome, or about an approval. */
export interface ResolveRequest {
  readonly outcome: WaitOutcome;
  /** The output of a step that has completed; `{}` when absent. Only with `completed`. */
  readonly output?: JsonObject | undefined;
  /** What comes with an approval; null when absent. */
  readonly data?: JsonValue | undefined;
  /** Who decides. */
  readonly by: string;
  readonly note?: string | null | undefined;
  /** The item whose question is answered; whichever the step waits for when absent. */
  readonly itemId?: string | undefined;
}

/** The request to retry a run. */
export interface RetryRequest {
  /** Who asks for it. */
  readonly by: string;
}

/** The request to run a definition again that a run has begun with. */
export interface RerunRequest {
  /**
   * The id of the step to begin with: the outputs of all completed steps that do not depend on it are copied. All steps
   * run when absent.
   */
  readonly fromStep?: string | undefined;
  /**
   * `failed`: of the step `fromStep`, which has `foreach`, the outputs of the items that have completed are copied, and
   * the others run with the idempotency keys of the original; a child run goes on with what has completed of it. Not
   * together with `input`.
   */
  readonly items?: 'failed' | undefined;
  /** The input of the new run; that of the original when absent. */
  readonly input?: JsonObject | undefined;
  /** True returns the PENDING run at once and runs it later. */
  readonly background: boolean;
  /**
   * Milliseconds after which a run that has not ended is returned as it is then; it continues in the background.
   * Without a limit when absent. Not used with `background`.
   */
  readonly waitMs?: number | undefined;
  /** The id of the new run, made by `NewId`; chosen here when absent. */
  readonly newRunId?: string | undefined;
}

/**
 * Reads and controls the runs of all workflows, whichever process runs them. Every member that takes the id of a run
 * rejects with `not_found` for an unknown one, and every member with `unavailable` when the store cannot be reached.
 * The message of a `conflict` names the state of the run.
 */
export interface RunControl {
  /** One run. */
  get(runId: string): Promise<Run>;
  /**
   * Runs of all workflows without their step results, newest first. Rejects with `not_found` for a filter by a workflow
   * `key:<key>` that does not exist.
   */
  list(filter: RunListFilter, page: CursorRequest): Promise<CursorPage<RunSummary>>;
  /**
   * Asks for the end of a run, and returns before it has ended: steps under way get time to end. A repeat, and a run
   * that has ended, are no errors.
   */
  cancel(runId: string, request: CancelRequest): Promise<CancelResult>;
  /**
   * Decides about a step that waits because nobody knows its outcome, and ends its inbox item. The first decision
   * counts; it is stored when this resolves, and the run goes on. Resolves to the run with the decision, or as it is
   * after ten seconds. Rejects with `conflict` where the step does not wait for that, with `not_found` also for an
   * unknown step, and with `validation` for an output that is not JSON or too large, or does not belong to the outcome.
   */
  resolve(runId: string, stepId: string, request: ResolveRequest): Promise<Run>;
  /**
   * Continues a FAILED or CANCELLED run in the background: its steps that have not completed run again. Resolves to the
   * run, with an `attempt` more. Rejects with `conflict` in any other state, and with `unavailable` when too many runs
   * wait.
   */
  retry(runId: string, request: RetryRequest): Promise<Run>;
  /**
   * Runs the definition of an ended run again, in its version, as a new run: resolves as a run of a workflow does.
   * Rejects with `conflict` while the original has not ended, with `validation` for an unknown step or an input that is
   * not JSON, and with `unavailable` as `retry` does. With `items` also with `validation` for a step without `foreach`,
   * and with `conflict` where no item is to run again, or the step is itself a copy.
   */
  rerun(runId: string, request: RerunRequest): Promise<Run>;
  /** Deletes an ended run with its events. Rejects with `conflict` while it has not ended. */
  delete(runId: string): Promise<void>;
  /**
   * The events of a run. Its `read` rejects with `not_found` for an unknown one, and with `ofWorkflow` also for a run
   * of another workflow. A page takes time for its own events, not for the whole log.
   */
  events(runId: string, ofWorkflow?: string): EventSource;
}
