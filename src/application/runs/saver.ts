import type { RunEvent } from '../../domain/run/events.ts';
import type { RunChange } from '../../domain/run/state.ts';
import { AbortError } from '../../lib/async/timeout.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ActiveRun } from './active-run.ts';
import { loseRun } from './active-runs.ts';
import type { LogWriter, SaveOutcome } from './log-writer.ts';

/** Saves the events of runs, one save of a run at a time: each names the number of the last event before it. */
export interface Saver {
  /** Saves the unsaved events soon, unless that is planned already, or the layer has ended: then it is saved anyway. */
  saveSoon(run: ActiveRun): void;
  /**
   * Plans no more saves, because the layer has ended. Returns the end of the save that is under way, if there is one.
   */
  stopSaving(run: ActiveRun): Promise<void> | undefined;
  /** Resolves to true once the event `seq` is saved, with all before it, and to false where that fails. */
  saveUpTo(run: ActiveRun, seq: number): Promise<boolean>;
  /** Saves as `LogWriter.save`. */
  save(run: ActiveRun): Promise<SaveOutcome>;
  /** Saves as `LogWriter.saveEnd`. */
  saveEnd(run: ActiveRun, ending: readonly RunEvent[], change: RunChange): Promise<SaveOutcome>;
}

/** Events of a layer that goes on are saved this many milliseconds after the first of them, together. */
const SAVE_DELAY_MS = 50;

/** The same for durable runs, whose events must be in the log within 50 milliseconds. */
const DURABLE_SAVE_DELAY_MS = 20;

/** Dependencies of {@link createSaver}. */
export interface SaverDeps {
  readonly clock: Ports['clock'];
  readonly writer: Pick<LogWriter, 'save' | 'saveEnd'>;
  readonly isDurable: boolean;
}

/** Creates a {@link Saver}. */
export function createSaver({ clock, writer, isDurable }: SaverDeps): Saver {
  const delayMs = isDurable ? DURABLE_SAVE_DELAY_MS : SAVE_DELAY_MS;

  async function settle(run: ActiveRun): Promise<void> {
    while (run.saving !== undefined) await run.saving.catch(() => undefined);
  }

  /** Of those who wait for the same save, one goes on at a time: the others find its save under way. */
  async function exclusively(run: ActiveRun, write: () => Promise<SaveOutcome>): Promise<SaveOutcome> {
    while (run.saving !== undefined) await settle(run);
    const saving = write();
    run.saving = saving;
    try {
      return await saving;
    } finally {
      run.saving = undefined;
    }
  }

  const save = (run: ActiveRun): Promise<SaveOutcome> => exclusively(run, () => writer.save(run));

  async function saveUpTo(run: ActiveRun, seq: number): Promise<boolean> {
    while (run.saving !== undefined) await settle(run);
    // Another one may have saved the event.
    if (run.savedSeq >= seq) return !run.isLost;
    const outcome = await save(run);
    if (outcome === 'lost' && isDurable) loseRun(run);
    else if (outcome === 'lost') run.controller.abort(new AbortError('lost'));
    return outcome === 'saved';
  }

  return {
    saveSoon(run) {
      if (run.open === 0) return;
      run.cancelSave ??= clock.after(delayMs, () => {
        run.cancelSave = undefined;
        void saveUpTo(run, run.state.seq);
      });
    },
    stopSaving(run) {
      run.open = 0;
      run.cancelSave?.();
      run.cancelSave = undefined;
      return run.saving && settle(run);
    },
    saveUpTo,
    save,
    saveEnd: (run, ending, change) => exclusively(run, () => writer.saveEnd(run, ending, change)),
  };
}
