import { formatDuration, formatNumber } from '../../ui/format.ts';
import { lookOf } from '../../ui/status.tsx';
import type { WaterfallRow, WaterfallSpan } from '../types.ts';
import { rowWords, spanWords } from './words.ts';

interface RowProps {
  readonly id: string;
  readonly row: WaterfallRow;
  readonly index: number;
  readonly count: number;
  readonly isSelected: boolean;
  /** The time of the axis, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** A row of the waterfall. */
export function Row({ id, row, index, count, isSelected, from, to }: RowProps) {
  const { glyph, tone, word } = lookOf(row.status);
  const took = row.from === null ? null : Math.max(0, (row.to ?? to) - row.from);
  const { progress } = row;
  return (
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-index={index}
      class={`waterfall-row${isSelected ? ' is-selected' : ''}${row.isCritical ? ' is-critical' : ''}`}
    >
      <span class="only-read">{rowWords(row, word, to)}</span>
      <span class="waterfall-name" title={row.id} aria-hidden="true">
        <span class={`tone-${tone} waterfall-glyph`} title={word}>
          {glyph}
        </span>
        {row.id}
      </span>
      <span class="waterfall-plot" aria-hidden="true">
        {row.spans.map((span) => (
          <Bar key={`${span.kind}${span.from}`} span={span} from={from} to={to} />
        ))}
        {row.isCritical && row.from !== null && (
          <span class="waterfall-critical" style={extent(row.from, row.to ?? to, { from, to })} />
        )}
      </span>
      <span class="number waterfall-took" aria-hidden="true">
        {progress && row.to === null ? (
          <span title={progress.failed > 0 ? `${formatNumber(progress.failed)} failed` : undefined}>
            {formatNumber(progress.done)} of {formatNumber(progress.total)}
          </span>
        ) : (
          tookWords(row, took)
        )}
      </span>
    </div>
  );
}

function tookWords({ isCopied, status }: WaterfallRow, took: number | null): string {
  if (isCopied) return 'copied';
  if (took !== null) return formatDuration(took);
  return status === 'SKIPPED' ? lookOf(status).word : '–';
}

function Bar({
  span,
  from,
  to,
}: {
  readonly span: WaterfallSpan;
  readonly from: number;
  readonly to: number;
}) {
  // Spans that begin in the future, such as the attempt after a pause, are not there yet.
  if (span.from > to) return null;
  const isOpen = span.to === null;
  return (
    <span
      class={`waterfall-bar waterfall-${span.kind} is-${span.outcome ?? (isOpen ? 'open' : 'ended')}`}
      style={extent(span.from, Math.min(span.to ?? to, to), { from, to })}
      title={spanWords(span, to)}
    />
  );
}

/** Where a time stands on the axis. */
function extent(start: number, end: number, { from, to }: { readonly from: number; readonly to: number }) {
  const share = (time: number): number => Math.min(1, Math.max(0, (time - from) / Math.max(1, to - from)));
  return { left: `${share(start) * 100}%`, width: `${Math.max(0, share(end) - share(start)) * 100}%` };
}
