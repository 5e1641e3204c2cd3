import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of this thread's heap that are reachable, after a garbage collection. */
export function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
