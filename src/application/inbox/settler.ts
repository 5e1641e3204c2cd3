import { isOrchestrationError } from '../../domain/errors.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ItemWriter } from './item-writer.ts';

/** Does what time brings: claims lapse, items become overdue and expire. */
export interface Settler {
  /**
   * Does everything that was due when it was called. Callers at the same time share the work. Rejects with
   * `unavailable` when the store cannot be reached.
   */
  settle(): Promise<void>;
  /** Does so every few seconds from now on, until `close`. */
  start(): void;
  /** Stops; resolves when nothing is under way any more. */
  close(): Promise<void>;
}

const INTERVAL_MS = 5_000;

/** Items that are read at a time. */
const BATCH = 100;

/** Creates a {@link Settler}. Several processes may settle the same items: each change happens once. */
export function createSettler(
  { clock, inbox, logger }: Pick<Ports, 'clock' | 'inbox' | 'logger'>,
  items: ItemWriter,
): Settler {
  let cancel = (): void => undefined;
  let isClosed = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function settleAll(): Promise<void> {
    while (!isClosed) {
      const due = await inbox.due(clock.now(), BATCH);
      let changed = 0;
      for (const { itemId, version } of due) {
        const item = await items.change(itemId, () => undefined).catch(ignoreGone);
        if (item?.version !== version) changed += 1;
        await yieldIfDue();
      }
      if (due.length < BATCH || changed === 0) return;
    }
  }

  function settle(): Promise<void> {
    if (running === undefined) {
      running = settleAll().finally(() => {
        running = undefined;
      });
      return running;
    }
    // The current turn may have read the time before this call: one more follows, for all who call until it begins.
    next ??= running.then(settleNext, settleNext);
    return next;
  }

  function settleNext(): Promise<void> {
    next = undefined;
    return settle();
  }

  function settleLater(): void {
    cancel = clock.after(INTERVAL_MS, () => {
      settle()
        .catch((error: unknown) => logger.debug('the inbox could not be settled', { err: error }))
        .finally(() => {
          if (!isClosed) settleLater();
        });
    });
  }

  return {
    settle,
    start: settleLater,
    async close() {
      isClosed = true;
      cancel();
      await (next ?? running)?.catch(() => undefined);
    },
  };
}

/** An item that was removed meanwhile has nothing to settle. */
function ignoreGone(error: unknown): undefined {
  if (!isOrchestrationError(error, 'not_found')) throw error;
  return undefined;
}
