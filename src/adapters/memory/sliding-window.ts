/** Slots that a window begins with: most clients make a few requests and go. */
const FIRST_SLOTS = 4;

/** A ring larger than this is given back once nothing in it counts any more. */
const IDLE_SLOTS = 64;

/** The requests of one client that still count: a ring of their times, in order. Plain, for there are many. */
export interface SlidingWindow {
  slots: number[];
  head: number;
  /** Requests that count, as of the last time that the window was slid. */
  count: number;
}

/** A window in which nothing counts. */
export function createSlidingWindow(limit: number): SlidingWindow {
  return { slots: emptySlots(Math.min(FIRST_SLOTS, limit)), head: 0, count: 0 };
}

/** Forgets the requests made `windowMs` or longer before `now`; how many still count is in `count`. */
export function slide(window: SlidingWindow, now: number, windowMs: number): void {
  while (window.count > 0 && now - oldestTime(window) >= windowMs) {
    window.head = window.head + 1 === window.slots.length ? 0 : window.head + 1;
    window.count--;
  }
  if (window.count === 0 && window.slots.length > IDLE_SLOTS) {
    window.slots = emptySlots(FIRST_SLOTS);
    window.head = 0;
  }
}

/** Counts a request made now. The ring grows as it is needed, never beyond `limit` slots. */
export function countRequest(window: SlidingWindow, now: number, limit: number): void {
  if (window.count === window.slots.length) grow(window, limit);
  window.slots[(window.head + window.count) % window.slots.length] = now;
  window.count++;
}

/** When the first request that counts was made; meaningless where none counts. */
export function oldestTime(window: SlidingWindow): number {
  return window.slots[window.head] ?? 0;
}

function grow(window: SlidingWindow, limit: number): void {
  const { slots, head, count } = window;
  const larger = emptySlots(Math.min(slots.length * 2, limit));
  for (let index = 0; index < count; index++) larger[index] = slots[(head + index) % slots.length] ?? 0;
  window.slots = larger;
  window.head = 0;
}

function emptySlots(length: number): number[] {
  return new Array(length).fill(0);
}
