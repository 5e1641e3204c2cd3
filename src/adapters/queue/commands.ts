import { unavailable } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommandClient } from './connections.ts';
import { reasonOf } from './reason.ts';

/** Commands of a bounded duration. */
export interface Commands {
  /**
   * The outcome of `send`. Rejects with `unavailable` after `timeoutMs` milliseconds, and at once while there is no
   * connection or the last command that timed out has had no reply. What was sent may be applied even then.
   */
  run<T>(send: () => Promise<T>): Promise<T>;
}

/** Seconds after which a caller may retry. */
const RETRY_AFTER_SECONDS = 1;

/** Creates {@link Commands} over a client whose commands reject while it is not connected. Errors name what they are for. */
export function createCommands(
  client: Pick<CommandClient, 'isReady'>,
  clock: Pick<Clock, 'after'>,
  timeoutMs: number,
  name = 'the run queue',
): Commands {
  const notReachable = (reason: string) => notReachableBy(name, reason);
  let unanswered: Promise<unknown> | undefined;

  function suspend(pending: Promise<unknown>): void {
    const settled = pending
      .catch(() => undefined)
      .then(() => {
        if (unanswered === settled) unanswered = undefined;
      });
    unanswered = settled;
  }

  return {
    run(send) {
      if (!client.isReady || unanswered !== undefined) return Promise.reject(notReachable('DISCONNECTED'));
      const pending = send();
      return new Promise((resolve, reject) => {
        // A reply that arrived while this process was blocked is read before `setImmediate` runs.
        const cancel = clock.after(timeoutMs, () => setImmediate(onTimeout));
        let isSettled = false;

        function onTimeout(): void {
          if (isSettled) return;
          suspend(pending);
          reject(notReachable('TIMEOUT'));
        }

        pending
          .finally(() => {
            isSettled = true;
            cancel();
          })
          .then(resolve, (error: unknown) => reject(notReachable(reasonOf(error))));
      });
    },
  };
}

/** The cause is a safe word: the texts of the client library and of the store are not passed on. */
function notReachableBy(name: string, reason: string) {
  return unavailable(`${name} cannot be reached`, RETRY_AFTER_SECONDS, new Error(reason));
}
