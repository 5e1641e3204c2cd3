import type { EventResponse } from '../../../../src/entries/client.ts';

/** One call of a step, or one wait of it. */
export interface Attempt {
  readonly number: number;
  readonly startedAt: string | undefined;
  /** When it failed, or the step ended with it. */
  readonly endedAt: string | undefined;
  /** `RUNNING` while it goes on. */
  readonly status: 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly error: string | undefined;
  /** Milliseconds of back-off before the next one. */
  readonly delayMs: number | undefined;
}

/** The progress of a step with `foreach`. */
export interface Progress {
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

/** The events of a run about one step, as one record. */
export interface StepStory {
  readonly attempts: readonly Attempt[];
  readonly progress: Progress | undefined;
  /** Its output was taken over from the run that this one reruns. */
  readonly isCopied: boolean;
  /** The reason of its skip. */
  readonly skipped: string | undefined;
}

/** The attempts of a step, its progress, and why it was skipped, from the events of its run. */
export function storyOf(events: readonly EventResponse[], stepId: string): StepStory {
  const attempts: Attempt[] = [];
  let progress: Progress | undefined;
  let isCopied = false;
  let skipped: string | undefined;
  const change = (values: Partial<Attempt>): void => {
    const last = attempts.pop();
    if (last !== undefined) attempts.push({ ...last, ...values });
  };
  const begin = (number: number, startedAt: string | undefined): void => {
    const nothing = { endedAt: undefined, error: undefined, delayMs: undefined };
    attempts.push({ number, startedAt, status: 'RUNNING', ...nothing });
  };
  for (const { type, at, data } of events) {
    if (!('step_id' in data) || data.step_id !== stepId) continue;
    if (type === 'step.started') {
      begin(data.attempt, at);
      skipped = undefined;
    } else if (type === 'step.retrying') {
      change({ status: 'FAILED', endedAt: at, error: data.error, delayMs: data.delay_ms });
      const next = new Date(Date.parse(at) + data.delay_ms).toISOString();
      begin(data.attempt + 1, next);
    } else if (type === 'step.waiting') {
      change({ status: 'WAITING' });
    } else if (type === 'step.progress') {
      progress = { done: data.done, failed: data.failed, total: data.total };
    } else if (type === 'step.completed') {
      isCopied = data.copied === true;
      // With an error, `on_error` gave the step its output.
      change({ status: data.error == null ? 'COMPLETED' : 'FAILED', endedAt: at, error: data.error });
    } else if (type === 'step.failed') {
      change({ status: 'FAILED', endedAt: at, error: data.error });
    } else if (type === 'step.cancelled') {
      change({ status: 'CANCELLED', endedAt: at });
    } else if (type === 'step.skipped') {
      skipped = data.why;
    }
  }
  return { attempts, progress, isCopied, skipped };
}
