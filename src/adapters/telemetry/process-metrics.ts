import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * Starts to collect Node's own metrics: memory, CPU, event loop, garbage collection. Returns a function that reads them
 * in text exposition format. All services in a process share them: their observers cannot be removed, so they are
 * registered once.
 */
export function collectProcessMetrics(): () => Promise<string> {
  const shared = registry ?? new Registry();
  if (registry === undefined) {
    registry = shared;
    collectDefaultMetrics({ register: shared });
  }
  return async () => removeSamplesWithoutValue(await shared.metrics());
}

/**
 * Removes samples without a value, such as the mean lag of the event loop right after a read: prom-client writes `Nan`.
 */
function removeSamplesWithoutValue(text: string): string {
  return text.replaceAll(/^[^\n]* Nan\n/gm, '');
}
