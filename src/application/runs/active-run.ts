import type { RunFinished } from '../../domain/events.ts';
import type { Limits } from '../../domain/limits.ts';
import type { CancelSignal, RunEvent, RunSignal } from '../../domain/run/events.ts';
import { evolve } from '../../domain/run/evolve.ts';
import { hasEnded, type RunFailure, type Wait } from '../../domain/run/run.ts';
import type { RunState } from '../../domain/run/state.ts';
import type { StepIssue } from '../../domain/run/steps/rules.ts';
import { openWaits } from '../../domain/run/waits.ts';
import type { StepSources, WorkflowPlan } from '../../domain/workflow/plan.ts';
import type { JsonObject, JsonValue } from '../../lib/json/json.ts';
import { jsonByteLength, memoryBytes } from '../../lib/json/size.ts';
import type { Clock } from '../../ports/clock.ts';

/** The items of a step, or why there are none. */
export type StepItems = { readonly values: readonly JsonValue[] } | StepIssue;

/** About how many bytes a run takes, and all runs of its process with it; undefined until it is counted with these. */
export interface RunMemory {
  bytes: number;
  ofAll: { bytes: number } | undefined;
}

/** A run that this process runs. */
export interface ActiveRun {
  readonly state: RunState;
  readonly plan: WorkflowPlan;
  /** Aborted when the steps under way are to stop. Its reason says why. */
  readonly controller: AbortController;
  /** Monotonic time at which this attempt started, in milliseconds. */
  startedMs: number;
  /** The values that the inputs of steps may refer to; outputs by the index of their step. */
  readonly sources: StepSources & { readonly outputs: (JsonObject | null)[] };
  /** The items of steps with `foreach` that have not ended, by the indexes of the steps. */
  readonly items: Map<number, StepItems>;
  /** What was evaluated of steps before they start, by their indexes. */
  readonly evaluated: {
    readonly conditions: Map<number, boolean | StepIssue>;
    readonly waits: Map<number, { readonly until: number | null } | StepIssue>;
  };
  /** Bytes of JSON of all outputs together. */
  outputBytes: number;
  /** What its input and outputs take in the memory of this process. */
  readonly memory: RunMemory;
  /** The events that are not in the log yet, oldest first. */
  unsaved: RunEvent[];
  /** The number of the last event in the log. */
  savedSeq: number;
  /** The signals that are not handled yet, by what they are about. */
  readonly signals: Map<string, RunSignal>;
  /** Whether the events that end the run are being saved: its state must not change meanwhile. */
  isEnding: boolean;
  /** The number of steps of the current layer that have not ended. */
  open: number;
  /** Cancels the timer after which the unsaved events are saved while steps are under way; undefined without one. */
  cancelSave: (() => void) | undefined;
  /** Cancels the timer after which a wait ends by itself while steps are under way; undefined without one. */
  cancelDue: (() => void) | undefined;
  /** The save of its events that is under way, if there is one. */
  saving: Promise<unknown> | undefined;
  /** Aborted when a cancelled run waits no longer for its steps; undefined for a run that is not cancelled. */
  deadline: AbortController | undefined;
  /** Cancels the timer of the deadline. */
  cancelDeadline: (() => void) | undefined;
  /** Whether the queue gave it to this process. */
  readonly isQueued: boolean;
  /** Whether no more steps are to start, because the run is to be handed back. */
  isStopping: boolean;
  /** Whether another process runs it by now: nothing more of it is recorded. */
  isLost: boolean;
  /** Why the run must end; null while it may go on. */
  readonly failure: RunFailure | null;
  /** What it waits for, as the log has it. */
  savedWaitingFor: readonly Wait[];
  /** The items that the inbox has as the waits of the run are, with whether these are open. */
  readonly settledItems: Map<string, boolean>;
  /** The settlement of its items that is under way, if there is one. */
  settling: Promise<unknown> | undefined;
  /** Whether it is WAITING, so that no process runs it: signals are for the one that claims it. */
  isParked: boolean;
  /** Resolved when this process no longer runs it. */
  readonly released: PromiseWithResolvers<void>;
}

/** Prepares a run to be run by this process. `state` becomes its own. */
export function activate(
  state: RunState,
  plan: WorkflowPlan,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): ActiveRun {
  const { attemptStartedAt } = state;
  const sinceStart = attemptStartedAt === null ? 0 : Math.max(0, clock.now() - attemptStartedAt);
  const outputs = state.results.map(({ output }) => output);
  return {
    state,
    plan,
    controller: new AbortController(),
    startedMs: clock.monotonic() - sinceStart,
    sources: { outputs, input: state.head.input, run: state },
    items: new Map(),
    evaluated: { conditions: new Map(), waits: new Map() },
    outputBytes: outputs.reduce((sum, output) => sum + (output === null ? 0 : jsonByteLength(output)), 0),
    memory: { bytes: memoryBytes(state.head.input) + memoryBytes(outputs), ofAll: undefined },
    unsaved: [],
    savedSeq: state.seq,
    signals: new Map(),
    isEnding: false,
    open: 0,
    cancelSave: undefined,
    cancelDue: undefined,
    saving: undefined,
    deadline: undefined,
    cancelDeadline: undefined,
    isQueued: false,
    isStopping: false,
    isLost: false,
    failure: null,
    savedWaitingFor: openWaits(state),
    settledItems: new Map(),
    settling: undefined,
    isParked: false,
    released: Promise.withResolvers(),
  };
}

/** Applies an event to the run, which is to be saved with the next append. */
export function record(run: ActiveRun, event: RunEvent): void {
  evolve(run.state, event);
  run.unsaved.push(event);
}

/** The event that tells of the end of a run; undefined while it has not ended. */
export function finishedEvent({ state }: ActiveRun): RunFinished | undefined {
  const { status, error, head } = state;
  const { runId, workflowId } = head;
  if (!hasEnded(status)) return undefined;
  const cancelledBy = state.cancel?.by ?? null;
  const durationMs = state.durationMs ?? 0;
  return { type: 'run.finished', runId, workflowId, status, error, cancelledBy, durationMs };
}

/** How many steps of the run may be under way at the same time. */
export function maxConcurrentOf(
  { plan }: ActiveRun,
  { maxConcurrentSteps }: Pick<Limits, 'maxConcurrentSteps'>,
): number {
  return Math.min(maxConcurrentSteps, plan.definition.maxConcurrentSteps ?? maxConcurrentSteps);
}

/** Whether the steps of the run were told to stop because this process shuts down, or has lost the run. */
export function isInterrupted({ controller, state }: ActiveRun): boolean {
  return controller.signal.aborted && state.cancel === null;
}

/** Whether a step of the run has started and has no end. */
export function hasStepUnderWay({ state }: ActiveRun): boolean {
  return state.results.some(({ status }) => status === 'RUNNING');
}

const CANCEL = 'cancel';

/** Keeps a signal to be handled later; of several about the same, the last. */
export function keepSignal({ signals }: ActiveRun, signal: RunSignal): void {
  signals.set(signal.type === 'cancel' ? CANCEL : signal.itemId, signal);
}

/** The request to cancel the run that is not handled yet. */
export function cancelOf({ signals }: ActiveRun): CancelSignal | undefined {
  const signal = signals.get(CANCEL);
  return signal?.type === 'cancel' ? signal : undefined;
}

/** Maximum size of all outputs of one run, in bytes of JSON, so that its record can be stored and read. */
const MAX_RUN_OUTPUT_BYTES = 32 * 1_024 * 1_024;

/** The error of a step whose output does not fit. */
const OUTPUTS_TOO_LARGE = `the outputs of this run together are larger than ${MAX_RUN_OUTPUT_BYTES} bytes of JSON`;

/** About how many bytes the inputs and outputs of all runs that a process runs may take in its memory. */
export const MAX_ACTIVE_BYTES = 256 * 1_024 * 1_024;

/** The error of a step whose output does not fit into the memory of the process. */
const OUT_OF_MEMORY = `the inputs and outputs of all runs under way take more than ${MAX_ACTIVE_BYTES} bytes of memory`;

/**
 * Keeps the output of a step for the inputs of later ones. The error of the step where the output does not fit, else
 * null.
 */
export function keepOutput(run: ActiveRun, index: number, output: JsonObject): string | null {
  const remaining = MAX_RUN_OUTPUT_BYTES - run.outputBytes;
  const bytes = jsonByteLength(output, remaining);
  if (bytes > remaining) return OUTPUTS_TOO_LARGE;
  const { memory } = run;
  const added = memoryBytes(output);
  // A small output, such as that of a policy, can always be kept.
  if (added > SMALL_OUTPUT && (memory.ofAll?.bytes ?? 0) + added > MAX_ACTIVE_BYTES) return OUT_OF_MEMORY;
  memory.bytes += added;
  if (memory.ofAll !== undefined) memory.ofAll.bytes += added;
  run.outputBytes += bytes;
  run.sources.outputs[index] = output;
  return null;
}

/** What a small output takes, in bytes of memory. */
const SMALL_OUTPUT = 4_096;
