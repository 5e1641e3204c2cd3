import type { JsonObject } from '../../lib/json/json.ts';
import type { SubjectEventData } from '../subject-event.ts';

/**
 * What the log of a run stores of each type of event: what clients see of it, and what a replay needs besides.
 * `startedAt` is when the tool or agent of a step was called, in milliseconds since the epoch: later than its
 * `step.started` where the layer has more steps than may run at once.
 */
export interface RunEventData {
  'execution.created': SubjectEventData['execution.created'] & {
    readonly input: JsonObject;
    /** The run that this one reruns, or null. */
    readonly rerunOf: string | null;
  };
  'execution.started': SubjectEventData['execution.started'];
  'layer.started': SubjectEventData['layer.started'];
  'step.started': SubjectEventData['step.started'];
  'step.retrying': SubjectEventData['step.retrying'];
  'step.waiting': SubjectEventData['step.waiting'] & {
    /** The id of the inbox item that asks for the end of the wait. */
    readonly itemId: string;
    /** Calls of the tool or agent so far. */
    readonly attempts: number;
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
    readonly outcome: StepDecision;
    readonly note: string | null;
  };
  'execution.cancel_requested': SubjectEventData['execution.cancel_requested'];
  'execution.retried': SubjectEventData['execution.retried'];
  'execution.recovered': SubjectEventData['execution.recovered'] & {
    /** The steps that were under way and run again. */
    readonly steps: readonly string[];
  };
  'execution.completed': SubjectEventData['execution.completed'];
  'execution.failed': SubjectEventData['execution.failed'];
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

/** What somebody can decide about a step of unknown outcome: it has completed, it has failed, or it is to run again. */
export const stepDecisions = ['completed', 'failed', 'retry'] as const;

/** One of {@link stepDecisions}. */
export type StepDecision = (typeof stepDecisions)[number];

/** A request to end a run. */
export interface CancelSignal {
  readonly type: 'cancel';
  /** Who asks for it. */
  readonly by: string;
  readonly reason: string | null;
}

/** A decision that ends a wait of a run. */
export interface ResolveSignal {
  readonly type: 'resolve';
  /** The item of the wait. */
  readonly itemId: string;
  readonly outcome: StepDecision;
  /** Who has decided. */
  readonly by: string;
  readonly note: string | null;
  /** The output of the step, with `completed`; else null. */
  readonly output: JsonObject | null;
}

/** A message to the process that runs a run, from any process. */
export type RunSignal = CancelSignal | ResolveSignal;
