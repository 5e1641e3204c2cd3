/** Maximum duration of a turn of the event loop before work yields, in milliseconds. */
const MAX_TURN_MS = 10;

let turnStartedAt: number | undefined;

/**
 * Lets other work run when the current turn of the event loop has lasted 10 ms or longer, measured from the first call
 * in that turn. Long work calls it between its parts. The whole process shares one measurement: many short pieces of
 * work in a row would otherwise block the event loop.
 */
export function yieldIfDue(): Promise<void> {
  return isDue() ? waitWhileDue() : notDue;
}

const notDue = Promise.resolve();

/** Checks again after each turn, because all callers that waited continue in the same turn. */
async function waitWhileDue(): Promise<void> {
  do await yieldToEventLoop();
  while (isDue());
}

/** True when work that cannot wait in between is to end here, and to go on after {@link yieldIfDue}. */
export function isYieldDue(): boolean {
  return isDue();
}

function isDue(): boolean {
  const now = performance.now();
  if (turnStartedAt !== undefined) return now - turnStartedAt >= MAX_TURN_MS;
  turnStartedAt = now;
  setImmediate(() => {
    turnStartedAt = undefined;
  });
  return false;
}

/** Lets pending callbacks of the event loop run first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
