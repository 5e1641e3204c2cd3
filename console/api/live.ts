import { signal } from '@preact/signals';
import { readEvents } from '../../src/entries/client.ts';
import { apiBase, type EventResponse } from './client.ts';
import { readWhileSeen } from './seen.ts';

/**
 * `live`: events arrive. `polling`: they cannot be had, so what is shown is read again every few seconds. `away`: the
 * service cannot be reached, which is tried every few seconds too.
 */
export const liveState = signal<'connecting' | 'live' | 'polling' | 'away'>('connecting');

/** Milliseconds between two readings of what is shown while there are no events. */
const POLL_MS = 5_000;

/** Milliseconds for which events are gathered, so that a thousand of them a second cost a few renderings. */
const GATHER_MS = 250;

/** Events that are kept between two deliveries; a longer batch tells only that something was missed. */
const MAX_BATCH = 2_000;

/** Gets what happened in the last moments, oldest first. `missed` says that there was more than that. */
export type LiveListener = (events: readonly EventResponse[], missed: boolean) => void;

const listeners = new Set<LiveListener>();
let gathered: EventResponse[] = [];
let missed = false;
let _timer: ReturnType<typeof setTimeout> | undefined;

/** Calls `listener` with all events of the service from now on. Returns what ends that. */
export function onEvents(listener: LiveListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function deliver(): void {
  _timer = undefined;
  const [events, hasMissed] = [gathered, missed];
  [gathered, missed] = [[], false];
  for (const listener of listeners) listener(events, hasMissed);
}

function gather(event: EventResponse | undefined): void {
  if (event === undefined || gathered.length >= MAX_BATCH) missed = true;
  else gathered.push(event);
  _timer ??= setTimeout(deliver, GATHER_MS);
}

/** Reads the feed for as long as the page is open and seen, and says so in {@link liveState}. */
export async function startLive(): Promise<void> {
  setInterval(() => {
    if (liveState.value === 'polling' || liveState.value === 'away') gather(undefined);
  }, POLL_MS);
  await readWhileSeen((signal, isAgain) => {
    // Events that happened while no page listened were missed.
    if (isAgain) gather(undefined);
    return readFeed(signal);
  });
  liveState.value = 'polling';
}

/** Reads the feed until `signal` is aborted, or the service does not serve it. */
async function readFeed(signal: AbortSignal): Promise<void> {
  const url = new URL('events', apiBase);
  try {
    for await (const event of readEvents(url, { fetch: connect, signal, onGap: () => gather(undefined) })) {
      gather(event);
    }
  } catch {
    // The service does not serve the feed: what is shown is read again instead.
  }
}

async function connect(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    // Readings that failed meanwhile are repeated.
    if (response.ok && liveState.value === 'away') gather(undefined);
    // The local proxy answers in place of a service that it cannot reach.
    const isAway = response.status === 502 || response.status === 504;
    liveState.value = response.ok ? 'live' : isAway ? 'away' : 'polling';
    return response;
  } catch (error) {
    liveState.value = 'away';
    throw error;
  }
}
