import type { Clock } from '../../ports/clock.ts';

/** The time by the clock of a server, as replies have told it. */
export interface ServerTime {
  /** The time of the server in integer milliseconds since the epoch; that of this process before the first reply. */
  now(): number;
  /** Takes the time in a reply. It was asked for and received at these times of this process's monotonic clock. */
  observe(serverMs: number, sentAt: number, receivedAt: number): void;
}

/** Number of the last observations that are used: the clocks may drift, or be set. */
const OBSERVATIONS = 10;

/** Clocks that nobody sets differ less between these observations, in milliseconds. */
const MAX_DRIFT_MS = 250;

/** Creates a {@link ServerTime}. */
export function createServerTime(clock: Pick<Clock, 'now' | 'monotonic'>): ServerTime {
  let offsets: readonly { readonly offset: number; readonly tookMs: number }[] = [];
  return {
    now() {
      const [first, ...rest] = offsets;
      if (first === undefined) return clock.now();
      // The quickest reply tells the time best.
      const best = rest.reduce((quickest, next) => (next.tookMs < quickest.tookMs ? next : quickest), first);
      return Math.round(clock.monotonic() + best.offset);
    },
    observe(serverMs, sentAt, receivedAt) {
      const offset = serverMs - (sentAt + receivedAt) / 2;
      const tookMs = receivedAt - sentAt;
      // Earlier ones that contradict it are of another server, or from before a clock was set or this machine slept.
      const isLike = (earlier: (typeof offsets)[number]): boolean =>
        Math.abs(earlier.offset - offset) <= (earlier.tookMs + tookMs) / 2 + MAX_DRIFT_MS;
      offsets = [...offsets.filter(isLike).slice(1 - OBSERVATIONS), { offset, tookMs }];
    },
  };
}
