import type { WaterfallRow, WaterfallSpan } from '../types.ts';

/** The state of a step while the events of its run are read. */
export interface StepTimes {
  readonly spans: WaterfallSpan[];
  /** The span that goes on. */
  open: WaterfallSpan | undefined;
  /** When its layer started. */
  readyAt: number | undefined;
  /** True once an event has told of its start. */
  hasEvents: boolean;
  isCopied: boolean;
  progress: WaterfallRow['progress'];
}

/** A step of which nothing is known. */
export const newTimes = (): StepTimes => ({
  spans: [],
  open: undefined,
  readyAt: undefined,
  hasEvents: false,
  isCopied: false,
  progress: undefined,
});

/** Adds a span that has ended; one without length is left out, unless it is an attempt. */
export function addSpan({ spans }: StepTimes, span: WaterfallSpan): void {
  if (span.to === null || span.to > span.from || (span.kind === 'attempt' && span.to === span.from)) {
    spans.push(span);
  }
}

/** Begins a span that goes on; the one before must have ended. */
export function openSpan(times: StepTimes, span: Omit<WaterfallSpan, 'to'>): void {
  times.open = { ...span, to: null };
}

/** The end of a span. The outcome and the error are for attempts. */
export interface SpanEnd extends Pick<WaterfallSpan, 'outcome' | 'error'> {
  /** The attempts that were made; an attempt after these has not begun. */
  readonly attempts?: number | undefined;
}

/** Ends the span that goes on. A pause before it that was shorter than planned ends then too. */
export function closeSpan(times: StepTimes, at: number, { attempts, ...end }: SpanEnd = {}): void {
  const { open, spans } = times;
  times.open = undefined;
  if (open === undefined) return;
  const before = spans.at(-1);
  if (before?.kind === 'backoff' && open.from > at) {
    spans[spans.length - 1] = { ...before, to: Math.max(before.from, at) };
  }
  if (open.from > at && (open.attempt ?? 0) > (attempts ?? 0)) return;
  const span = { ...open, from: Math.min(open.from, at), to: at };
  addSpan(times, open.kind === 'attempt' ? { ...span, ...end } : span);
}
