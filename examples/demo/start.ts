/**
 * Starts a service that is filled, and has lost a process before:
 *
 *     const { service, records } = await startDemo({ PORT: '0' }, folder);
 *     …
 *     await service.stop();
 *
 * Beside what `seedDemo` makes it has `records.lost` and `records.items.recovery`. Where those are not needed,
 * `startDemoService` and `seedDemo` take half the time.
 */

import { join } from 'node:path';
import { loseRuns } from './seed/lost.ts';
import { type DemoRecords, seedDemo } from './seed.ts';
import { type DemoService, startDemoService } from './service.ts';

/** A service that listens, and the records in it. */
export interface Demo {
  readonly service: DemoService;
  readonly records: DemoRecords;
}

/**
 * Starts a service with `settings`, which keeps its records in `folder`, an existing one. Rejects when it does not
 * start, and when `signal` is aborted before it is filled; no process is left then.
 */
export async function startDemo(
  settings: Readonly<Record<string, string>>,
  folder: string,
  signal?: AbortSignal,
): Promise<Demo> {
  const durable = {
    TRACE_BACKEND: 'sqlite',
    SQLITE_PATH: join(folder, 'demo.db'),
    RUN_RECOVERY: 'resume',
    RUN_UNKNOWN_OUTCOME: 'ask',
    TRACE_RETENTION_DAYS: '1',
    RUN_RETENTION_DAYS: '1',
  };
  const first = await startDemoService({ ...durable, PORT: '0' });
  const lost = await orKill(first, signal, () => loseRuns(first));
  const service = await startDemoService({ ...settings, ...durable });
  const records = await orKill(service, signal, () => seedDemo(service.baseUrl, { lost }));
  return { service, records };
}

/** Does something with a service, and kills it when that fails, or when the signal is aborted. */
async function orKill<T>(
  service: DemoService,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const kill = (): void => void service.stop('SIGKILL');
  signal?.addEventListener('abort', kill);
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (error) {
    await service.stop('SIGKILL');
    throw error;
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}
