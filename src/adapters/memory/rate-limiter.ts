import type { Clock } from '../../ports/clock.ts';
import type { RateDecision, RateLimiter } from '../../ports/rate-limiter.ts';
import { systemClock } from '../shared/system.ts';
import { createNewestFirst, type Place } from './newest-first.ts';
import {
  countRequest,
  createSlidingWindow,
  oldestTime,
  type SlidingWindow,
  slide,
} from './sliding-window.ts';

/** What a limiter in memory counts by. */
export interface MemoryRateLimiterOptions {
  /** Requests that one client may make in a window, 1 or more. */
  readonly limit: number;
  /** Length of the window in whole seconds, 1 or more. */
  readonly windowSeconds: number;
  /** Only its monotonic time is used: no jump of the wall clock shuts anybody out. The machine's when absent. */
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** Clients remembered at most, 10,000 when absent; beyond, the one not seen for longest is forgotten. */
  readonly maxClients?: number;
}

/** A limiter that decides at once. */
export interface MemoryRateLimiter extends RateLimiter {
  consume(key: string): RateDecision;
}

interface Client {
  readonly key: string;
  readonly window: SlidingWindow;
  seenAt: number;
}

/** An exact sliding window per client: in any span of the window's length, at most `limit` requests pass. */
export function createMemoryRateLimiter(options: MemoryRateLimiterOptions): MemoryRateLimiter {
  const { limit, windowSeconds, clock = systemClock, maxClients = 10_000 } = options;
  const windowMs = windowSeconds * 1_000;
  const clients = new Map<string, Place<Client>>();
  const bySight = createNewestFirst<Client>();

  function forget(place: Place<Client>): void {
    clients.delete(place.value.key);
    bySight.remove(place);
  }

  function meet(key: string, now: number): Client {
    if (clients.size >= maxClients) {
      const longestUnseen = bySight.oldest();
      if (longestUnseen !== undefined) forget(longestUnseen);
    }
    const client = { key: ownText(key), window: createSlidingWindow(limit), seenAt: now };
    clients.set(client.key, bySight.add(client));
    return client;
  }

  /** Two at a time, so that the idle go faster than new ones come, and no request pays for all of them. */
  function forgetIdle(now: number): void {
    for (let turn = 0; turn < 2; turn++) {
      const place = bySight.oldest();
      if (place === undefined || now - place.value.seenAt < windowMs) return;
      forget(place);
    }
  }

  return {
    consume(key) {
      // Whole milliseconds add and subtract exactly: what is promised as a waiting time is then true to the tick.
      const now = Math.floor(clock.monotonic());
      const known = clients.get(key);
      if (known !== undefined) bySight.renew(known);
      const client = known?.value ?? meet(key, now);
      client.seenAt = now;
      forgetIdle(now);
      const { window } = client;
      slide(window, now, windowMs);
      const admitted = window.count < limit;
      if (admitted) countRequest(window, now, limit);
      const resetSeconds = Math.ceil((oldestTime(window) + windowMs - now) / 1_000);
      return { admitted, limit, remaining: limit - window.count, resetSeconds, windowSeconds };
    },
  };
}

/** The same text with memory of its own: a part of a header would keep the whole header alive. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
