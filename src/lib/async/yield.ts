/** Milliseconds for which work may keep the event loop to itself. */
const MAX_TURN_MS = 10;

let turnStartedAt: number | undefined;

/**
 * Lets other work run when the present turn of the event loop has lasted 10 ms or longer, as counted from the first
 * call in that turn. Long work calls it before it begins and between its parts. One count for the whole process:
 * many short pieces of work that follow each other without waiting would otherwise never let the event loop turn.
 */
export async function yieldIfDue(): Promise<void> {
  if (turnStartedAt === undefined) {
    turnStartedAt = performance.now();
    setImmediate(() => {
      turnStartedAt = undefined;
    });
    return;
  }
  if (performance.now() - turnStartedAt >= MAX_TURN_MS) await yieldToEventLoop();
}

/** Lets all other work that is due run first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
