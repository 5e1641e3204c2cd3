import { signal } from '@preact/signals';
import { CallError, send, toCallError } from './call.ts';
import { onEvents } from './live.ts';

/** The number of unclaimed items of the inbox; undefined while it is not known. Pages that read it anyway set it. */
export const openItems = signal<number | undefined>(undefined);

/** The least milliseconds between two readings. */
const READ_MS = 10_000;

/** Keeps {@link openItems} up to date: reads it now, and at most every ten seconds after events of the inbox. */
export function startInboxCount(): void {
  let readAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  const read = async (): Promise<void> => {
    readAt = performance.now();
    isDue = false;
    const answer = await send((api) => api.inbox.$get({ query: { limit: '1' } })).catch(toCallError);
    openItems.value = answer instanceof CallError ? undefined : answer.counts.open;
    // The inbox of this service is off.
    if (answer instanceof CallError && answer.status === 404) unsubscribe();
  };
  const readSoon = (): void => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => void read(), Math.max(0, readAt + READ_MS - performance.now()));
  };
  const unsubscribe = onEvents((events, missed) => {
    if (missed || events.some(({ subject }) => subject.kind === 'inbox')) readSoon();
  });
  readSoon();
}
