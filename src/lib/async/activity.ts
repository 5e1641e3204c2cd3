/**
 * Work that consists of promises, whose rest can be awaited: the moment at which nothing of it is left to do before
 * something from outside happens, such as a timer. It may wait only for promises of its own, for `yieldToEventLoop`,
 * and for what `outside` returns.
 */
export interface Activity {
  /**
   * Runs `work` in a turn of the event loop of its own, and resolves once all that follows from it is at rest. Rejects
   * where `work` throws. Must not be called before the last call has settled.
   */
  run(work: () => void): Promise<void>;
  /**
   * Waits for something that is not part of the activity, which is not at rest before that has settled and was handled.
   */
  outside<T>(work: Promise<T>): Promise<T>;
}

/** The activity whose continuations run now. */
interface Running {
  /** Counts a continuation that comes in a later turn. Returns what runs it then. */
  later(resume: () => void): () => void;
}

let current: Running | undefined;

/** Creates an {@link Activity} at rest. */
export function createActivity(): Activity {
  let pending = 0;
  let rest: (() => void) | undefined;

  /** Runs a continuation. Whatever follows from it in this turn belongs to the activity too. */
  function enter(resume: () => void): void {
    current = running;
    // The microtask comes before the last one of this turn, and the tick after it: nothing else runs in between.
    queueMicrotask(() => process.nextTick(leave));
    resume();
  }

  function leave(): void {
    current = undefined;
    if (pending === 0) rest?.();
  }

  const running: Running = {
    later(resume) {
      pending++;
      return () => {
        pending--;
        enter(resume);
      };
    },
  };

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        rest = resolve;
        const start = running.later(() => {
          try {
            work();
          } catch (error) {
            reject(error);
          }
        });
        setImmediate(start);
      }),
    outside: <T>(work: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        pending++;
        const settle = (resume: () => void): void => {
          setImmediate(() => {
            pending--;
            enter(resume);
          });
        };
        work.then(
          (value) => settle(() => resolve(value)),
          (error: unknown) => settle(() => reject(error)),
        );
      }),
  };
}

/** Runs `resume` in the next turn of the event loop, as part of the activity that asks for it. */
export function inNextTurn(resume: () => void): void {
  setImmediate(current === undefined ? resume : current.later(resume));
}
