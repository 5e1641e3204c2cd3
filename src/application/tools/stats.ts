import type { ToolOutcome } from '../../domain/message/message.ts';

/** The calls of a tool since the process started. */
export interface ToolStats {
  readonly success: number;
  readonly error: number;
  /** Calls that found nothing; `error` does not count them. */
  readonly notFound: number;
  /** Milliseconds of a call on average, retries included; null before the first call. */
  readonly meanDurationMs: number | null;
}

/** Counts the calls of one tool. */
export interface ToolCounter {
  add(outcome: ToolOutcome): void;
  stats(): ToolStats;
}

/** Creates a counter without calls. */
export function createToolCounter(): ToolCounter {
  const counts = { success: 0, error: 0, notFound: 0 };
  let totalMs = 0;
  return {
    add({ status, notFound, durationMs }) {
      if (notFound === true || status === 'not_found') counts.notFound += 1;
      else counts[status] += 1;
      totalMs += durationMs;
    },
    stats() {
      const calls = counts.success + counts.error + counts.notFound;
      return { ...counts, meanDurationMs: calls === 0 ? null : totalMs / calls };
    },
  };
}
