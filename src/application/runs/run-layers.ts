import { INTERRUPTED, type RunChange } from '../../domain/run/run.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { elapsedMs, isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import {
  type ActiveRun,
  layerFailure,
  layerOf,
  layerResults,
  nextLayerResults,
  outputSize,
  runningResults,
  skipRest,
} from './active-run.ts';
import type { ChangeWriter, SaveOutcome } from './change-writer.ts';
import { type EndedChange, endedChange, type Results, runningChange } from './run-record.ts';
import type { RunLayer } from './run-steps.ts';

/** Bytes of outputs above which the results of a layer are saved in parts. */
const PART_BYTES = 1_024 * 1_024;

/** The error of a run whose results cannot be saved: the next layer must not run without a record. */
const NOT_SAVED = 'the results could not be saved';

/** Runs all layers, saves the results of each, and resolves to the change that ended the run. Never rejects. */
export type RunLayers = (run: ActiveRun) => Promise<EndedChange>;

type LayerPorts = Pick<Ports, 'clock' | 'logger' | 'telemetry'>;

/** Creates the function that runs all layers of a run. */
export function createRunLayers(
  { clock, logger, telemetry }: LayerPorts,
  runLayer: RunLayer,
  writer: ChangeWriter,
): RunLayers {
  /** Ends the run and saves its end, with the `unsaved` results. Skips the steps from `layer` on that have not ended. */
  async function end(
    run: ActiveRun,
    layer: number,
    error: string | null,
    unsaved: Results,
  ): Promise<EndedChange> {
    const change = lastChange(run, layer, error, unsaved);
    const outcome = await save(run, change);
    if (outcome === 'unavailable') writer.retryInBackground(run.head.runId, change);
    return change;
  }

  /** Ends the run because a change of it was not saved. */
  function stop(run: ActiveRun, layer: number, outcome: SaveOutcome, unsaved: Results): EndedChange {
    const endedElsewhere = outcome === 'ended';
    const change = lastChange(run, layer, endedElsewhere ? INTERRUPTED : NOT_SAVED, unsaved);
    if (endedElsewhere) logger.warn('a workflow run was ended by another process');
    else writer.retryInBackground(run.head.runId, change);
    return change;
  }

  function lastChange(run: ActiveRun, layer: number, error: string | null, unsaved: Results): EndedChange {
    const results = [...unsaved, ...skipRest(run, layer)];
    const durationMs = elapsedMs(run.startedMs, clock.monotonic());
    return endedChange(run, error, isoTime(clock.now()), durationMs, results);
  }

  /** Saves a change, in parts where its outputs are large, so that the store never receives a very large change. */
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
      const size = outputSize(run, item.index);
      if (bytes + size > PART_BYTES && part.length > 0) {
        const outcome = await writer.save(runId, runningChange(run, part), signal);
        if (outcome !== 'saved') return outcome;
        await yieldIfDue();
        part = [];
        bytes = 0;
      }
      part.push(item);
      bytes += size;
    }
    return writer.save(runId, { ...change, stepResults: part }, signal);
  }

  function runLayerInSpan(run: ActiveRun, layer: number): Promise<void> {
    const steps = layerOf(run, layer).length;
    return telemetry.span('workflow.layer', { layer, steps }, () => runLayer(run, layer));
  }

  async function runAll(run: ActiveRun): Promise<EndedChange> {
    const last = run.plan.layers.length - 1;
    if (run.head.background) {
      // A background run was recorded as PENDING. It must be recorded as RUNNING before any of its steps has an effect.
      const outcome = await save(run, runningChange(run, runningResults(run, 0)));
      if (outcome !== 'saved') return stop(run, 0, outcome, []);
    }
    for (let layer = 0; ; layer++) {
      if (run.controller.signal.aborted) return end(run, layer, INTERRUPTED, []);
      await runLayerInSpan(run, layer);
      const error = layerFailure(run, layer);
      if (error !== null || layer === last) return end(run, layer, error, layerResults(run, layer));
      const outcome = await save(run, runningChange(run, nextLayerResults(run, layer)));
      if (outcome !== 'saved') return stop(run, layer + 1, outcome, layerResults(run, layer));
      await yieldIfDue();
    }
  }

  return async (run) => {
    try {
      return await runAll(run);
    } catch (error) {
      logger.error('a workflow run failed unexpectedly', { err: error });
      const unsaved = run.plan.layers.flatMap((_, layer) => layerResults(run, layer));
      return end(run, 0, 'the run failed unexpectedly', unsaved);
    }
  };
}
