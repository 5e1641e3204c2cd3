import type { Clock } from '../../../ports/clock.ts';

/** A clock whose time passes only from one of its timers to the next. */
export interface VirtualClock extends Clock {
  /** Sets the time to that of the next timer, and returns its work; undefined where there is no timer. */
  next(): (() => void) | undefined;
}

interface Timer {
  readonly due: number;
  /** Orders the timers of one time: the first one that was set comes first. */
  readonly position: number;
  /** Undefined once it was cancelled. */
  work: (() => void) | undefined;
}

/** Creates a clock that begins at `start`, in milliseconds since the epoch. */
export function createVirtualClock(start: number): VirtualClock {
  /** A heap: each timer comes before those at twice its place plus 1 and 2. */
  const timers: Timer[] = [];
  let elapsed = 0;
  let positions = 0;

  function add(timer: Timer): void {
    let place = timers.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = timers[above];
      if (other === undefined || isBefore(other, timer)) break;
      timers[place] = other;
      place = above;
    }
    timers[place] = timer;
  }

  function removeFirst(): Timer | undefined {
    const [first] = timers;
    const last = timers.pop();
    if (last !== undefined && timers.length > 0) moveDown(last);
    return first;
  }

  /** Puts a timer at the first place, or below it. */
  function moveDown(timer: Timer): void {
    let place = 0;
    for (;;) {
      const left = timers[2 * place + 1];
      const right = timers[2 * place + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const next = isRight ? right : left;
      if (next === undefined || isBefore(timer, next)) break;
      timers[place] = next;
      place = 2 * place + (isRight ? 2 : 1);
    }
    timers[place] = timer;
  }

  return {
    now: () => start + Math.floor(elapsed),
    monotonic: () => elapsed,
    after(ms, work) {
      const timer: Timer = { due: elapsed + Math.max(0, ms), position: positions++, work };
      add(timer);
      return () => {
        timer.work = undefined;
      };
    },
    next() {
      for (let timer = removeFirst(); timer !== undefined; timer = removeFirst()) {
        if (timer.work === undefined) continue;
        elapsed = timer.due;
        return timer.work;
      }
      return undefined;
    },
  };
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.due < other.due || (one.due === other.due && one.position < other.position);
}
