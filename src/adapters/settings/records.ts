import type { RecoveryPolicy } from '../../domain/run/recover.ts';
import type { Settings } from './settings.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** For how long records are kept, in milliseconds. */
export interface Retention {
  /** Traces, conversations since their last change, and ended items of the inbox. */
  readonly traceRetentionMs: number;
  /** Ended runs and routed goals. */
  readonly runRetentionMs: number;
}

/** For how long the stores keep records; those in memory go by number and not by time. */
export function getRetention(settings: Settings): Retention {
  return {
    traceRetentionMs: settings.TRACE_RETENTION_DAYS * DAY_MS,
    runRetentionMs: settings.RUN_RETENTION_DAYS * DAY_MS,
  };
}

/** How unfinished runs are continued after the loss of their process; undefined where they are not. */
export function getRecovery(settings: Settings): RecoveryPolicy | undefined {
  if (settings.RUN_RECOVERY === 'interrupt') return undefined;
  return { maxRecoveries: settings.RUN_MAX_RECOVERIES, unknownOutcome: settings.RUN_UNKNOWN_OUTCOME };
}
