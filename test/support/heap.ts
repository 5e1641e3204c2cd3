import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The used bytes of this thread's heap after a garbage collection. */
export function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
