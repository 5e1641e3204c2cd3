import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * What Node tells of its process: memory, CPU, event loop, garbage collection. There is one process however many
 * services live in it, and its observers can never be taken back, so they are set up once.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
