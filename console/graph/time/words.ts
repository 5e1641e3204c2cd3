import { formatDuration, formatNumber } from '../../ui/format.ts';
import type { WaterfallRow, WaterfallSpan } from '../types.ts';

const waitWords = {
  approval: 'waits for a person',
  wait: 'waits for a time',
  workflow: 'waits for another run',
  recovery: 'waits for a person to say whether it happened',
};

const attemptWords = {
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  lost: 'its process was lost',
};

/** A span in words, with its length until `now` while it goes on. */
export function spanWords(span: WaterfallSpan, now: number): string {
  const length = formatDuration(Math.max(0, (span.to ?? now) - span.from));
  switch (span.kind) {
    case 'dependencies':
      return `waited for earlier steps, ${length}`;
    case 'queued':
      return `waited for a free place, ${length}`;
    case 'backoff':
      return `pause before the next attempt, ${length}`;
    case 'waiting':
      return `${span.waitsFor === undefined ? 'waits' : waitWords[span.waitsFor]}, ${length}`;
    case 'attempt': {
      const end = span.outcome === undefined ? 'under way' : attemptWords[span.outcome];
      return `attempt ${span.attempt ?? 1}: ${end}, ${length}${span.error === undefined ? '' : `: ${span.error}`}`;
    }
  }
}

/** A step in words, for screen readers. */
export function rowWords(row: WaterfallRow, status: string, now: number): string {
  const { id, spans, isCritical, isCopied, progress } = row;
  const items = progress && `${formatNumber(progress.done)} of ${formatNumber(progress.total)} items`;
  const parts = [
    `${id}: ${status}`,
    ...(isCopied ? ['copied from the run before'] : []),
    ...(isCritical ? ['on the critical path'] : []),
    ...(items ? [items] : []),
    // The words of a step that was attempted very often would take minutes to hear.
    ...spans.slice(-8).map((span) => spanWords(span, now)),
  ];
  return parts.join('; ');
}
