import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { LockTimes } from './worker.ts';

/** Options of the queues with BullMQ. */
export interface BullmqQueueOptions {
  /** `redis://` or `rediss://`, credentials included. It is never logged. */
  readonly url: string;
  /** Prefix of the keys of this service. Those of the queues begin with `<prefix>queue:runs:` and `<prefix>queue:fires:`. */
  readonly prefix: string;
  /** Timeout of a command, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 10 and 5 seconds by default. All processes that share the queue need the same. */
  readonly times?: LockTimes | undefined;
}

export const DEFAULT_TIMES: LockTimes = { lockMs: 10_000, searchEveryMs: 5_000 };

/** Maximum duration of `start` and of `close` of a queue, in milliseconds. */
export const MAX_START_MS = 1_000;
export const MAX_CLOSE_MS = 2_000;
