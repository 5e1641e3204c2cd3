import type { StoredSchedule } from '../../domain/schedule/schedule.ts';
import { forEachLimited } from '../../lib/async/each-limited.ts';
import { createInFlight } from '../../lib/async/in-flight.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Firing } from './firing.ts';

/** Lets the schedules of the store do what is due when it is due. */
export interface Waker {
  /** Begins to do so. */
  start(): void;
  /** Schedules the settlement of a schedule at its next time, if that is soon. Never rejects. */
  arm(stored: StoredSchedule): Promise<void>;
  /** Stops; resolves when nothing is under way any more. */
  close(): Promise<void>;
}

/** All schedules are checked so often, in milliseconds: wakes may be lost. Half the grace of a fire time. */
const SWEEP_MS = 30_000;

/**
 * A wake is put into the queue so long before its time, in milliseconds. Later ones are found by the sweeps until then.
 */
const HORIZON_MS = 3 * SWEEP_MS;

/** The most schedules that a sweep settles at the same time. */
const MAX_CONCURRENT = 16;

/**
 * The runs for whose end a fire waits are checked so often, in milliseconds: less often when it has waited for long.
 */
const POLL = { minMs: 1_000, maxMs: 5_000, shareOfWait: 0.1 };

/** A schedule is settled again after so many milliseconds where the store was away. */
const RETRY_MS = 5_000;

/** A wake may come so much too early, in milliseconds: then this process waits for the rest itself. */
const EARLY_MS = 2_000;

/** Creates a {@link Waker}. */
export function createWaker(
  ports: Pick<Ports, 'clock' | 'logger' | 'schedules' | 'fireQueue'>,
  firing: Pick<Firing, 'settle'>,
): Waker {
  const { clock, logger, schedules, fireQueue } = ports;
  const inFlight = createInFlight(clock);
  /** The functions that cancel the timers of this process, by the schedules that they are for. */
  const timers = new Map<string, () => void>();
  let cancelSweep = (): void => undefined;
  let isSweeping = false;
  let isSweepWanted = false;
  let isStarted = false;
  let isClosed = false;

  /** Looks after a schedule in a while, unless that comes anyway. */
  function wait(scheduleId: string, ms: number): void {
    if (isClosed || timers.has(scheduleId)) return;
    const cancel = clock.after(ms, () => {
      timers.delete(scheduleId);
      void inFlight.track(wake(scheduleId));
    });
    timers.set(scheduleId, cancel);
  }

  async function wake(scheduleId: string): Promise<void> {
    if (isClosed) return;
    try {
      const stored = await firing.settle(scheduleId);
      if (stored !== undefined) await arm(stored);
    } catch (error) {
      logger.warn('a schedule could not be settled yet', { schedule_id: scheduleId, err: error });
      wait(scheduleId, RETRY_MS);
    }
  }

  async function arm(stored: StoredSchedule): Promise<void> {
    if (!isStarted || isClosed) return;
    const { scheduleId } = stored.schedule;
    const queued = stored.fires.find(({ status }) => status === 'queued');
    if (queued !== undefined) wait(scheduleId, pollDelay(clock.now() - queued.since));
    const { nextFireAt } = stored;
    if (nextFireAt === null) return;
    const ms = nextFireAt - clock.now();
    // The queue may ignore a wake that it is just handing out.
    // A time that has passed is left to another process for some seconds.
    if (ms <= EARLY_MS) wait(scheduleId, ms <= 0 ? POLL.minMs : ms);
    else if (ms <= HORIZON_MS) await add(scheduleId, nextFireAt);
  }

  async function add(scheduleId: string, at: number): Promise<void> {
    try {
      await fireQueue.add({ scheduleId, at });
    } catch (error) {
      if (!isClosed) logger.warn('a fire could not be queued yet', { schedule_id: scheduleId, err: error });
    }
  }

  async function lookOver(): Promise<void> {
    try {
      const due = await schedules.due(clock.now() + HORIZON_MS);
      await forEachLimited(due, MAX_CONCURRENT, ({ scheduleId, at }) =>
        at <= clock.now() ? wake(scheduleId) : add(scheduleId, at),
      );
    } catch (error) {
      logger.warn('schedules could not be read yet', { err: error });
    }
  }

  /** One sweep at a time: one that comes while another goes on follows it, because time has passed. */
  async function sweep(): Promise<void> {
    isSweepWanted = true;
    if (isSweeping) return;
    isSweeping = true;
    while (isSweepWanted && !isClosed) {
      isSweepWanted = false;
      await lookOver();
    }
    isSweeping = false;
  }

  function sweepOnAndOn(): void {
    if (isClosed) return;
    cancelSweep = clock.after(SWEEP_MS, sweepOnAndOn);
    void inFlight.track(sweep());
  }

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      fireQueue.process((scheduleId) => inFlight.track(wake(scheduleId)));
      sweepOnAndOn();
    },
    arm,
    async close() {
      isClosed = true;
      cancelSweep();
      for (const cancel of timers.values()) cancel();
      timers.clear();
      await Promise.all([fireQueue.close(), inFlight.close(0)]);
    },
  };
}

/** When to look again whether a fire can start that has waited for so long, both in milliseconds. */
function pollDelay(waitedMs: number): number {
  return Math.min(POLL.maxMs, Math.max(POLL.minMs, waitedMs * POLL.shareOfWait));
}
