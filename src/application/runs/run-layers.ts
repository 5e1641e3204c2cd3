import { INTERRUPTED, type RunChange } from '../../domain/run/run.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import type { Turns } from '../../lib/async/legacy.ts';
import { isThenable } from '../../lib/async/legacy.ts';
import { elapsedMs, isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import {
  type ActiveRun,
  layerFailure,
  layerResults,
  nextLayerResults,
  runningResults,
  skipRest,
} from './active-run.ts';
import type { ChangeWriter, SaveOutcome } from './change-writer.ts';
import { ending, goingOn, type Results } from './run-record.ts';
import type { RunLayer } from './run-steps.ts';

/** Bytes of outputs above which the results of a layer are saved in parts. */
const PART_BYTES = 1_024 * 1_024;

/** Why a run ends whose results cannot be saved: what comes after must not act without a record. */
const NOT_SAVED = 'the results could not be saved';

/** Carries a run through its layers to its end, saving each, and returns the change that ended it. Never rejects. */
export type RunLayers = (run: ActiveRun) => Promise<RunChange>;

type LayerPorts = Pick<Ports, 'clock' | 'logger' | 'telemetry'>;

/** Makes the function that carries runs through their layers. */
export function createRunLayers(
  { clock, logger, telemetry }: LayerPorts,
  runLayer: RunLayer,
  writer: ChangeWriter,
  turns: Turns,
): RunLayers {
  /** Ends the run: from `layer` on, what has not ended is skipped. `unsaved` is what the store does not know yet. */
  async function end(
    run: ActiveRun,
    layer: number,
    error: string | null,
    unsaved: Results,
  ): Promise<RunChange> {
    const change = lastChange(run, layer, error, unsaved);
    if ((await save(run, change)) === 'given_up') writer.keepTrying(run.head.runId, change);
    return change;
  }

  /** Ends the run because a change of it could not be saved. */
  function stop(run: ActiveRun, layer: number, outcome: SaveOutcome, unsaved: Results): RunChange {
    const ended = outcome === 'ended';
    const change = lastChange(run, layer, ended ? INTERRUPTED : NOT_SAVED, unsaved);
    if (ended) logger.warn('a workflow run was ended by another process');
    else writer.keepTrying(run.head.runId, change);
    return change;
  }

  function lastChange(run: ActiveRun, layer: number, error: string | null, unsaved: Results): RunChange {
    skipRest(unsaved, run, layer);
    const durationMs = elapsedMs(run.startedMs, clock.monotonic());
    return ending(run, error, isoTime(clock.now()), durationMs, unsaved);
  }

  /** Saves a change, in parts where its outputs are large: no store has to take in anything huge at once. */
  function save(run: ActiveRun, change: RunChange): Promise<SaveOutcome> {
    if (run.outputBytes > PART_BYTES) return saveInParts(run, change);
    return writer.save(run.head.runId, change, run.controller.signal);
  }

  async function saveInParts(run: ActiveRun, change: RunChange): Promise<SaveOutcome> {
    const { runId } = run.head;
    const { signal } = run.controller;
    let part: Results = [];
    let bytes = 0;
    for (const item of change.stepResults) {
      const size = run.sizes[item.index] ?? 0;
      if (bytes + size > PART_BYTES) {
        const outcome = await writer.save(runId, goingOn(run, part), signal);
        if (outcome !== 'saved') return outcome;
        await turns.next(clock.monotonic());
        part = [];
        bytes = 0;
      }
      part.push(item);
      bytes += size;
    }
    return writer.save(runId, { ...change, stepResults: part }, signal);
  }

  /** A background run was recorded when it was accepted; that it has begun must be known before any of its steps acts. */
  function saveStart(run: ActiveRun): Promise<SaveOutcome> {
    return save(run, goingOn(run, runningResults(run, 0)));
  }

  function runLayerInSpan(run: ActiveRun, layer: number): Awaitable<void> {
    const steps = run.plan.layers[layer]?.length ?? 0;
    return telemetry.span('workflow.layer', { layer, steps }, () => runLayer(run, layer));
  }

  async function goThrough(run: ActiveRun): Promise<RunChange> {
    const { layers } = run.plan;
    if (run.head.background) {
      const outcome = await saveStart(run);
      if (outcome !== 'saved') return stop(run, 0, outcome, []);
    }
    for (let layer = 0; ; layer++) {
      if (run.controller.signal.aborted) return end(run, layer, INTERRUPTED, []);
      const ran = runLayerInSpan(run, layer);
      if (isThenable(ran)) await ran;
      const error = layerFailure(run, layer);
      if (error !== null || layer + 1 >= layers.length) {
        return end(run, layer, error, layerResults(run, layer));
      }
      const outcome = await save(run, goingOn(run, nextLayerResults(run, layer)));
      if (outcome !== 'saved') return stop(run, layer + 1, outcome, layerResults(run, layer));
      const turn = turns.next(clock.monotonic());
      if (turn !== undefined) await turn;
    }
  }

  return async (run) => {
    try {
      return await goThrough(run);
    } catch (error) {
      logger.error('a workflow run failed unexpectedly', { err: error });
      const unsaved = run.plan.layers.flatMap((_, layer) => layerResults(run, layer));
      return end(run, 0, 'the run failed unexpectedly', unsaved);
    }
  };
}
