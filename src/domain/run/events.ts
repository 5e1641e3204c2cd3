import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import type { SubjectEventData } from '../subject-event.ts';

/**
 * The data of each type of event in the log of a run: those that clients see, and those that a replay needs besides.
 * `startedAt` is when the tool or agent of a step was called, in milliseconds since the epoch: later than its
 * `step.started` where the layer has more steps than may run at once.
 */
export interface RunEventData {
  'execution.created': SubjectEventData['execution.created'] & {
    readonly input: JsonObject;
    /** The run that this one reruns, or null. */
    readonly rerunOf: string | null;
    /** The parts of another run that it continues; absent for one that begins anew. */
    readonly continues?: Continuation | undefined;
    /** The run whose step has started this one; absent for one that no run has started. */
    readonly parentRunId?: string | undefined;
    /** The number of nested runs, this one included; 1 when absent. */
    readonly depth?: number | undefined;
    /** The number of runs that there can be at this depth below the outermost one; 1 when absent. */
    readonly breadth?: number | undefined;
    /** The schedule that has started it, the run that this one reruns, or its parent; absent where none has. */
    readonly schedule?: ScheduleOrigin | undefined;
    /** The attempt of that run; 1 when absent. */
    readonly parentAttempt?: number | undefined;
    /** The customer of the run; absent for none. */
    readonly customerId?: string | undefined;
  };
  'execution.started': SubjectEventData['execution.started'];
  'layer.started': SubjectEventData['layer.started'];
  'step.started': SubjectEventData['step.started'];
  'step.retrying': SubjectEventData['step.retrying'];
  'step.progress': SubjectEventData['step.progress'] & {
    /** The items that have ended since the last event of the step. */
    readonly ends: readonly ItemEnd[];
    /** Items from this index on have not been called. */
    readonly mark: number;
  };
  'step.waiting': SubjectEventData['step.waiting'] & {
    /** The id of what ends the wait: an inbox item or a child run; any unique id for a time. */
    readonly itemId: string;
    /** Calls of the tool or agent so far. */
    readonly attempts: number;
    /** The index of the item that the wait is for; absent for a step without `foreach`. */
    readonly item?: number | undefined;
    /** The step fails when the time has come; else the wait ends as its kind demands. */
    readonly timesOut?: true;
  };
  'step.completed': SubjectEventData['step.completed'] & {
    readonly output: JsonObject;
    readonly startedAt: number;
  };
  'step.failed': SubjectEventData['step.failed'] & { readonly startedAt: number };
  'step.skipped': SubjectEventData['step.skipped'];
  'step.cancelled': SubjectEventData['step.cancelled'] & { readonly startedAt: number };
  'execution.waiting': SubjectEventData['execution.waiting'];
  'execution.resumed': SubjectEventData['execution.resumed'] & {
    readonly stepId: string;
    /** The item of the wait that was decided. */
    readonly itemId: string;
    /** With `retry` the step runs again; else its end comes next. */
    readonly outcome: WaitOutcome;
    readonly note: string | null;
    /** The data that comes with an approval; null when absent. */
    readonly data?: JsonValue | undefined;
    /** Nobody has decided in time. */
    readonly isExpired?: true;
    /** The end of the item that the wait was for; absent for a step without `foreach`. */
    readonly end?: ItemEnd | undefined;
  };
  'execution.cancel_requested': SubjectEventData['execution.cancel_requested'];
  'execution.retried': SubjectEventData['execution.retried'] & {
    /** The attempt of the parent that retries it; absent where another one does. */
    readonly parentAttempt?: number | undefined;
  };
  'execution.recovered': SubjectEventData['execution.recovered'] & {
    /** The steps that were under way and run again. */
    readonly steps: readonly string[];
  };
  'execution.completed': SubjectEventData['execution.completed'] & {
    /** Absent where the definition has none. */
    readonly output?: JsonObject | undefined;
  };
  'execution.failed': SubjectEventData['execution.failed'] & {
    /** The run gave up: see `RunSummary.gaveUp`. Absent where it failed for any other reason. */
    readonly gaveUp?: true | undefined;
  };
  'execution.cancelled': SubjectEventData['execution.cancelled'];
}

/** The types of the events of a run. */
export type RunEventType = keyof RunEventData;

/** An event in the log of a run. Its data stand beside its envelope. */
export type RunEvent<T extends RunEventType = RunEventType> = {
  readonly [Type in T]: {
    /** 1, 2, 3 … without gaps within the run. */
    readonly seq: number;
    readonly type: Type;
    /** Wall-clock time in milliseconds since the epoch. */
    readonly at: number;
  } & RunEventData[Type];
}[T];

/** The decisions about a step of unknown outcome: it has completed, it has failed, or it is to run again. */
export const stepDecisions = ['completed', 'failed', 'retry'] as const;

/** One of {@link stepDecisions}. */
export type StepDecision = (typeof stepDecisions)[number];

/**
 * The outcomes of a wait: of a decision about a step of unknown outcome, of an approval, or of the end of a child run
 * or of a time.
 */
export type WaitOutcome = StepDecision | 'approved' | 'rejected';

/** The end of one item of a step with `foreach`. */
export interface ItemEnd {
  readonly index: number;
  /** Null for a failed item. */
  readonly output: JsonObject | null;
  /** Null for a completed item. */
  readonly error: string | null;
  readonly attempts: number;
}

/** The schedule that has started a run, as it was then. */
export interface ScheduleOrigin {
  readonly id: string;
  /** The fire time in ISO 8601; null for a run that a client has triggered. */
  readonly fireAt: string | null;
  /** Its IANA time zone. */
  readonly timezone: string;
}

/** The parts of an ended run that a new run continues. */
export interface Continuation {
  /** The run whose idempotency keys its calls have: so a receiver can tell what it has got already. */
  readonly keysOf: string;
  /** The step whose items it continues; all steps when absent. */
  readonly stepId?: string | undefined;
  /** The items of steps with `foreach` as that run had them, by the ids of the steps. */
  readonly items: Readonly<Record<string, readonly JsonValue[]>>;
  /** The child runs of that run which it continues. */
  readonly children: readonly ContinuedChild[];
}

/** A child run, of a step or of one of its items. */
export interface ContinuedChild {
  readonly stepId: string;
  readonly item?: number | undefined;
  readonly runId: string;
  /** The run whose idempotency keys its calls have: itself, or the first of those that it continues. */
  readonly keysOf: string;
}

/** A request to end a run. */
export interface CancelSignal {
  readonly type: 'cancel';
  /** The name of the one who asks for it. */
  readonly by: string;
  readonly reason: string | null;
}

/** A decision that ends a wait of a run. */
export interface ResolveSignal {
  readonly type: 'resolve';
  /** The item of the wait. */
  readonly itemId: string;
  readonly outcome: WaitOutcome;
  /** The name of the one who has decided. */
  readonly by: string;
  /** A note of the one who has decided; for a child run that has failed, its error. */
  readonly note: string | null;
  /** The output of the step, with `completed`; else null. */
  readonly output: JsonObject | null;
  /** The data that comes with an approval; null when absent. */
  readonly data?: JsonValue | undefined;
}

/** A message to the process that runs a run, from any process. */
export type RunSignal = CancelSignal | ResolveSignal;
