import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * Begins to watch what Node tells of its process: memory, CPU, event loop, garbage collection. Returns what reads it
 * in text exposition format. There is one process however many services live in it, and its observers can never be
 * taken back, so they are set up once.
 */
export function watchProcess(): () => Promise<string> {
  const watched = registry ?? new Registry();
  if (registry === undefined) {
    registry = watched;
    collectDefaultMetrics({ register: watched });
  }
  return async () => withoutUnknown(await watched.metrics());
}

/**
 * Leaves out samples that have no value, such as the event loop's mean lag just after it was read: they come as
 * `Nan`, which the format spells otherwise.
 */
function withoutUnknown(text: string): string {
  return text.replaceAll(/^[^\n]* Nan\n/gm, '');
}
