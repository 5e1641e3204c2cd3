/** The size of a new ring: most clients send only a few requests. */
const INITIAL_SLOTS = 4;

/** A larger ring is replaced by a small one when none of its requests is in the window any more. */
const MAX_IDLE_SLOTS = 64;

/** The times of one client's requests within the window, as a ring buffer. A plain record, because there are many. */
export interface SlidingWindow {
  slots: number[];
  /** Index of the oldest request in the window. */
  head: number;
  /** Number of requests in the window at the last {@link slide}. */
  count: number;
}

/** Creates a window without requests. */
export function createSlidingWindow(limit: number): SlidingWindow {
  return { slots: emptySlots(Math.min(INITIAL_SLOTS, limit)), head: 0, count: 0 };
}

/** Removes the requests that were made `windowMs` milliseconds or longer before `now`. */
export function slide(window: SlidingWindow, now: number, windowMs: number): void {
  while (window.count > 0 && now - oldestTime(window) >= windowMs) {
    window.head = window.head + 1 === window.slots.length ? 0 : window.head + 1;
    window.count--;
  }
  if (window.count === 0 && window.slots.length > MAX_IDLE_SLOTS) {
    window.slots = emptySlots(INITIAL_SLOTS);
    window.head = 0;
  }
}

/** Adds a request at the time `now`. The ring grows as needed, to at most `limit` slots; `count` must be below it. */
export function addRequest(window: SlidingWindow, now: number, limit: number): void {
  if (window.count === window.slots.length) grow(window, limit);
  window.slots[(window.head + window.count) % window.slots.length] = now;
  window.count++;
}

/** The time of the oldest request in the window. Throws for a window without requests. */
export function oldestTime({ slots, head, count }: SlidingWindow): number {
  const time = slots[head];
  if (time === undefined || count === 0) throw new RangeError('the window has no requests');
  return time;
}

function grow(window: SlidingWindow, limit: number): void {
  const { slots, head } = window;
  const inOrder = [...slots.slice(head), ...slots.slice(0, head)];
  const added = Math.min(slots.length * 2, limit) - slots.length;
  window.slots = inOrder.concat(emptySlots(added));
  window.head = 0;
}

function emptySlots(length: number): number[] {
  return new Array<number>(length).fill(0);
}
