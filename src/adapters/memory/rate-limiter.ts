import type { Clock } from '../../ports/clock.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import { systemClock } from '../shared/system.ts';
import { createNewestFirst, type ListNode } from './newest-first.ts';
import { addRequest, createSlidingWindow, oldestTime, type SlidingWindow, slide } from './sliding-window.ts';

/** The limits of a rate limiter in memory. */
export interface MemoryRateLimiterOptions {
  /** Requests that one client may make in a window, 1 or more. */
  readonly limit: number;
  /** Length of the window in seconds, an integer of 1 or more. */
  readonly windowSeconds: number;
  /** Only its monotonic time is used, so that a jump of the wall clock changes nothing. The system's when absent. */
  readonly clock?: Pick<Clock, 'monotonic'>;
  /** Maximum number of clients, 10,000 when absent; above it, the least recently seen one is removed. */
  readonly maxClients?: number;
}

interface Client {
  readonly key: string;
  readonly window: SlidingWindow;
  seenAt: number;
}

/** Maximum number of idle clients that one request removes: more than it adds, but never all at once. */
const IDLE_REMOVED_PER_REQUEST = 2;

/** Creates a limiter with an exact sliding window per client: at most `limit` requests in any span of its length. */
export function createMemoryRateLimiter(options: MemoryRateLimiterOptions): RateLimiter {
  const { limit, windowSeconds, clock = systemClock, maxClients = 10_000 } = options;
  const windowMs = windowSeconds * 1_000;
  const clients = new Map<string, ListNode<Client>>();
  const bySeenAt = createNewestFirst<Client>();

  function remove(node: ListNode<Client>): void {
    clients.delete(node.value.key);
    bySeenAt.remove(node);
  }

  function add(key: string, now: number): Client {
    const leastRecent = bySeenAt.oldest();
    if (clients.size >= maxClients && leastRecent !== undefined) remove(leastRecent);
    const client = { key: copyText(key), window: createSlidingWindow(limit), seenAt: now };
    clients.set(client.key, bySeenAt.add(client));
    return client;
  }

  function find(key: string, now: number): Client {
    const node = clients.get(key);
    if (node === undefined) return add(key, now);
    bySeenAt.moveToNewest(node);
    node.value.seenAt = now;
    return node.value;
  }

  function removeIdle(now: number): void {
    for (let removed = 0; removed < IDLE_REMOVED_PER_REQUEST; removed++) {
      const node = bySeenAt.oldest();
      if (node === undefined || now - node.value.seenAt < windowMs) return;
      remove(node);
    }
  }

  return {
    async consume(key) {
      // Sums of integer milliseconds are exact, so a client that waits `resetSeconds` is always admitted.
      const now = Math.floor(clock.monotonic());
      const { window } = find(key, now);
      removeIdle(now);
      slide(window, now, windowMs);
      const admitted = window.count < limit;
      if (admitted) addRequest(window, now, limit);
      const resetSeconds = Math.ceil((oldestTime(window) + windowMs - now) / 1_000);
      return { admitted, limit, remaining: limit - window.count, resetSeconds, windowSeconds };
    },
  };
}

/** Copies a text: a substring of a header would keep the complete header in memory. */
function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
