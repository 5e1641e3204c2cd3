import { isOrchestrationError } from '../../domain/errors.ts';
import type { RunEvent } from '../../domain/run/events.ts';
import { evolve } from '../../domain/run/evolve.ts';
import type { Wait } from '../../domain/run/run.ts';
import { changeBeforeEnd, changeOf, type RunChange, summaryOf } from '../../domain/run/state.ts';
import { endOfStep } from '../../domain/run/step-end.ts';
import { indexOfStep } from '../../domain/workflow/shape.ts';
import { backoffMs } from '../../lib/async/backoff.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { createThrottle } from '../../lib/async/throttle.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import type { Ports } from '../../ports/ports.ts';
import type { LoadedRun } from './loaded-run.ts';

/**
 * The outcome of a save: `lost` when another process has written to the log, `unavailable` when the store was
 * unavailable for too long. In both cases the events stay unsaved. `signalled` as in `RunLog.append`.
 */
export type SaveOutcome = 'saved' | 'lost' | 'unavailable' | 'signalled';

/**
 * Records the events of one run, and appends them to its log. Nothing else changes the state of a run. One append is
 * under way at a time: each names the number of the last event before it.
 */
export interface Appender {
  /** The events that are not in the log yet, oldest first. */
  readonly unsaved: readonly RunEvent[];
  /** The waits of the run, as the log has them. */
  readonly savedWaitingFor: readonly Wait[];
  /**
   * Applies an event, which is saved with the next append. The end of a step whose output does not fit is recorded as
   * its failure. Returns the event as recorded.
   */
  record(event: RunEvent): RunEvent;
  /** Records several events. */
  recordAll(events: readonly RunEvent[]): void;
  /** Applies events that are in the log already. */
  apply(events: readonly RunEvent[]): void;
  /** Stores the run with its first events. Resolves to false where it is stored already. */
  create(): Promise<boolean>;
  /** Saves the unsaved events after some milliseconds, together with those that follow until then. */
  saveSoon(): void;
  /** Cancels that. Returns the append that is under way, if there is one. */
  cancelSave(): Promise<void> | undefined;
  /**
   * Saves the unsaved events of a run that goes on. When the store fails, retries for up to ten seconds, or for a
   * durable run without a limit, until the run is told to stop.
   */
  save(): Promise<SaveOutcome>;
  /** Resolves to true once everything recorded so far is saved, and to false where that fails. */
  flush(): Promise<boolean>;
  /**
   * Saves the unsaved events and then those that end the run, or suspend it, in one append where they are not large.
   * These are not applied.
   */
  saveEnd(ending: readonly RunEvent[], change: RunChange): Promise<SaveOutcome>;
  /** Saves the unsaved events of a run that has ended, without a retry. */
  saveOnce(): Promise<SaveOutcome>;
}

/** Bytes of outputs above which events are saved in chunks, so that the store never receives a very large append. */
const CHUNK_BYTES = 1_024 * 1_024;

const MAX_RETRY_MS = 10_000;

/** Events of a layer that goes on are saved this many milliseconds after the first of them, together. */
const SAVE_DELAY_MS = 50;

/** The same for durable runs, whose events must be in the log within 50 milliseconds. */
const DURABLE_SAVE_DELAY_MS = 20;

/** Maximum size of all outputs of one run, in bytes of JSON, so that its record can be stored and read. */
const MAX_RUN_OUTPUT_BYTES = 32 * 1_024 * 1_024;

/** The error of a step whose output does not fit. */
const OUTPUTS_TOO_LARGE = `the outputs of this run together are larger than ${MAX_RUN_OUTPUT_BYTES} bytes of JSON`;

const alreadySaved = Promise.resolve<SaveOutcome>('saved');

const noRetries = AbortSignal.abort();

/** Applies events to a run in memory, and keeps the outputs that they bring. */
export interface Recorder {
  /** The bytes of JSON of all outputs of the run. */
  readonly outputBytes: number;
  /**
   * Applies an event. The end of a step whose output does not fit is applied as its failure. Returns the event as
   * applied.
   */
  record(event: RunEvent): RunEvent;
}

/** Creates the {@link Recorder} of a run. `reserve` as in {@link createAppenders}. */
export function createRecorder(
  { state, plan, sources, evaluated }: LoadedRun,
  reserve: (output: JsonObject) => string | null,
): Recorder {
  let outputBytes = sources.outputs.reduce((sum, output) => sum + (output ? jsonByteLength(output) : 0), 0);

  /** Keeps the output of a step for the inputs of later ones. Returns the error of the step where it does not fit. */
  function keepOutput(index: number, output: JsonObject): string | null {
    const remaining = MAX_RUN_OUTPUT_BYTES - outputBytes;
    const bytes = jsonByteLength(output, remaining);
    const error = bytes > remaining ? OUTPUTS_TOO_LARGE : reserve(output);
    if (error !== null) return error;
    outputBytes += bytes;
    sources.outputs[index] = output;
    return null;
  }

  /** The end of a step whose output is kept, or its failure where that does not fit. */
  function toFitting(event: RunEvent<'step.completed'>): RunEvent {
    const index = indexOfStep(plan.indexes, event.stepId);
    const error = keepOutput(index, event.output);
    if (error === null) return event;
    const { seq, at, stepId, attempts, durationMs, startedAt } = event;
    const base = { seq, at, stepId, attempts, durationMs, startedAt };
    const failed = endOfStep(state, base, { error });
    const isFit = failed.type === 'step.failed' || keepOutput(index, failed.output) === null;
    return isFit ? failed : { ...base, type: 'step.failed', error };
  }

  return {
    get outputBytes() {
      return outputBytes;
    },
    record(event) {
      const recorded = event.type === 'step.completed' ? toFitting(event) : event;
      evolve(state, recorded);
      if (
        evaluated.items.size > 0 &&
        (recorded.type === 'step.completed' || recorded.type === 'step.failed')
      ) {
        evaluated.items.delete(indexOfStep(plan.indexes, recorded.stepId));
      }
      return recorded;
    },
  };
}

/** Creates the function that creates the appender of a run. */
export function createAppenders(
  { clock, random, logger, events, runs }: Pick<Ports, 'clock' | 'random' | 'logger' | 'events' | 'runs'>,
  isDurable: boolean,
): (
  run: LoadedRun,
  given: {
    readonly unsaved: RunEvent[];
    readonly savedSeq: number;
    readonly savedWaitingFor: readonly Wait[];
    /** Aborted when the run is told to stop. */
    readonly signal: AbortSignal;
    /** Counts an output in the memory of this process. Returns the error of the step where there is no room. */
    readonly reserve: (output: JsonObject) => string | null;
    /** Called when another process has written to the log. */
    readonly onLost: () => void;
  },
) => Appender {
  const maxRetryMs = isDurable ? Number.POSITIVE_INFINITY : MAX_RETRY_MS;
  const delayMs = isDurable ? DURABLE_SAVE_DELAY_MS : SAVE_DELAY_MS;
  const logFailure = createFailureLog({ clock, logger }, 'events of a workflow run could not be saved');

  return (run, { signal, reserve, onLost, ...given }) => {
    const { state } = run;
    const { runId, workflowId } = state.head;
    let { unsaved, savedSeq, savedWaitingFor } = given;
    const recorder = createRecorder(run, reserve);
    /** The append that is under way. */
    let saving: Promise<SaveOutcome> | undefined;
    let cancelTimer: (() => void) | undefined;

    function record(event: RunEvent): RunEvent {
      const recorded = recorder.record(event);
      unsaved.push(recorded);
      return recorded;
    }

    /**
     * Tries to append, at least once, until it succeeds, the time is over, or `retries` is aborted. Where it fails, the
     * events `back` are unsaved again.
     */
    async function append(
      batch: readonly RunEvent[],
      change: RunChange,
      back: readonly RunEvent[],
      retries: AbortSignal,
    ): Promise<SaveOutcome> {
      let outcome: SaveOutcome = 'unavailable';
      let startedMs: number | undefined;
      for (let attempt = 1; ; attempt++) {
        try {
          const appended = await runs.append(runId, savedSeq, batch, change);
          if (appended === 'appended') {
            savedSeq += batch.length;
            savedWaitingFor = change.waitingFor;
            events({ type: 'run.appended', runId, workflowId, events: batch });
            return 'saved';
          }
          outcome = appended === 'conflict' ? 'lost' : appended;
          break;
        } catch (error) {
          logFailure(runId, error);
        }
        startedMs ??= clock.monotonic();
        const waitMs = backoffMs(attempt, random);
        const elapsedMs = clock.monotonic() - startedMs;
        if (retries.aborted || elapsedMs + waitMs > maxRetryMs) break;
        await sleep(clock, waitMs, retries);
      }
      unsaved = [...back, ...unsaved];
      return outcome;
    }

    /** Saves the unsaved events, then `ending`, in chunks where the outputs are large. */
    function write(
      ending: readonly RunEvent[],
      change: RunChange,
      retries: AbortSignal,
    ): Promise<SaveOutcome> {
      const back = unsaved;
      const all = ending.length === 0 ? back : [...back, ...ending];
      if (all.length === 0) return alreadySaved;
      unsaved = [];
      // One append in the usual case, without another promise (benchmark `engine`).
      if (recorder.outputBytes <= CHUNK_BYTES) return append(all, change, back, retries);
      return appendChunks(all, change, back, retries);
    }

    async function appendChunks(
      all: readonly RunEvent[],
      change: RunChange,
      back: readonly RunEvent[],
      retries: AbortSignal,
    ): Promise<SaveOutcome> {
      // The run ends in the store with the last chunk: should the process die before it, its log would have no end.
      // So does a wait: a decision that waits is kept until its events are written.
      const running = { ...changeBeforeEnd(state), waitingFor: savedWaitingFor };
      let saved = 0;
      for (const chunk of chunkEvents(all)) {
        const isLast = saved + chunk.length === all.length;
        const outcome = await append(chunk, isLast ? change : running, back.slice(saved), retries);
        if (outcome !== 'saved') return outcome;
        saved += chunk.length;
        await yieldIfDue();
      }
      return 'saved';
    }

    async function untilIdle(): Promise<void> {
      while (saving !== undefined) await saving.catch(() => undefined);
    }

    /**
     * Saves the unsaved events, then `ending`. Of several that wait for the same append, one continues at a time: the
     * others find its append under way. The change is that of the state then unless it is given.
     */
    async function save(
      retries: AbortSignal,
      ending: readonly RunEvent[] = [],
      change?: RunChange,
    ): Promise<SaveOutcome> {
      while (saving !== undefined) await untilIdle();
      saving = write(ending, change ?? changeOf(state), retries);
      try {
        return await saving;
      } finally {
        saving = undefined;
      }
    }

    async function flush(): Promise<boolean> {
      const { seq } = state;
      while (saving !== undefined) await untilIdle();
      // Another append may have saved the event.
      if (savedSeq >= seq) return true;
      const outcome = await save(signal);
      if (outcome === 'lost') onLost();
      return outcome === 'saved';
    }

    return {
      get unsaved() {
        return unsaved;
      },
      get savedWaitingFor() {
        return savedWaitingFor;
      },
      record,
      recordAll(all) {
        for (const event of all) record(event);
      },
      apply(all) {
        for (const event of all) evolve(state, event);
      },
      async create() {
        const batch = unsaved;
        const { seq } = state;
        // A signal may come as soon as the run is stored, which adds to the unsaved events.
        unsaved = [];
        const { definition } = state.shape;
        if (!(await runs.create({ summary: summaryOf(state), definition, events: batch }))) return false;
        savedSeq = seq;
        events({ type: 'run.appended', runId, workflowId, events: batch });
        return true;
      },
      saveSoon() {
        cancelTimer ??= clock.after(delayMs, () => {
          cancelTimer = undefined;
          void flush();
        });
      },
      cancelSave() {
        cancelTimer?.();
        cancelTimer = undefined;
        return saving && untilIdle();
      },
      save: () => save(signal),
      flush,
      saveEnd: (ending, change) => save(signal, ending, change),
      saveOnce: () => save(noRetries),
    };
  };
}

/** Splits events into chunks with at most {@link CHUNK_BYTES} bytes of outputs each, or one output. */
function* chunkEvents(events: readonly RunEvent[]): Generator<readonly RunEvent[]> {
  let chunk: RunEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = event.type === 'step.completed' ? jsonByteLength(event.output) : 0;
    if (bytes + size > CHUNK_BYTES && chunk.length > 0) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(event);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** Milliseconds in which a refusal of a full store is logged at most once. */
const REFUSAL_LOG_MS = 60_000;

/**
 * Creates a log of failed writes. A store that is full refuses many writes a second: such a refusal, which has no
 * cause, is logged once a minute at most, without a stack, with the field `times`: how often it happened since.
 */
export function createFailureLog(
  { clock, logger }: Pick<Ports, 'clock' | 'logger'>,
  message: string,
): (runId: string, error: unknown) => void {
  const refusals = createThrottle(REFUSAL_LOG_MS, () => clock.monotonic());
  return (runId, error) => {
    if (!isOrchestrationError(error, 'unavailable') || error.cause !== undefined) {
      logger.warn(message, { execution_id: runId, err: error });
      return;
    }
    const times = refusals();
    if (times !== undefined) logger.warn(message, { execution_id: runId, reason: error.message, times });
  };
}
