/** Milliseconds for which one request may go on with the event loop to itself. */
const TURN_MS = 10;

/** Lets everything else that waits go first. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Lets others go first where work that began at `begun` (of `performance.now()`) may have held the event loop for long. */
export function turnAfter(begun: number): Promise<void> | undefined {
  return performance.now() - begun < TURN_MS ? undefined : othersTurn();
}
