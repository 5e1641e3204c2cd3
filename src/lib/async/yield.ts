/** Milliseconds for which work may keep the event loop to itself. */
const MAX_TURN_MS = 10;

let turnStartedAt: number | undefined;

/**
 * Lets other work run when the present turn of the event loop has lasted 10 ms or longer, counted from the first call in
 * that turn. Long work calls it between its parts. One count serves the whole process: many short pieces of work that
 * follow each other without waiting would otherwise never let the event loop turn.
 */
export function yieldIfDue(): Promise<void> {
  return isDue() ? waitWhileDue() : notDue;
}

const notDue = Promise.resolve();

/** Checks again after each turn, because all callers that waited continue in the same one. */
async function waitWhileDue(): Promise<void> {
  do await yieldToEventLoop();
  while (isDue());
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

/** Lets all other work that is due run first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
