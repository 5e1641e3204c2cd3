/** Milliseconds for which work may keep the event loop to itself. */
const MAX_TURN_MS = 10;

let turnStartedAt: number | undefined;

/**
 * Lets other work run when the present turn of the event loop has lasted 10 ms or longer, counted from the first call in
 * that turn. Long work calls it between its parts. One count serves the whole process: many short pieces of work that
 * follow each other without waiting would otherwise never let the event loop turn.
 */
export async function yieldIfDue(): Promise<void> {
  // Checked again after each turn: everybody who waited continues in the same one.
  while (isDue()) await yieldToEventLoop();
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
