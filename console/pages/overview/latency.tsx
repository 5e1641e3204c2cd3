import { formatClock, formatDuration } from '../../ui/format.ts';
import { linePath, logScale } from '../../ui/lines.ts';
import { WithTable } from '../../ui/plots.tsx';
import type { Stats } from './stats.ts';

const WIDTH = 1_000;
const HEIGHT = 150;

const lines = ['p50', 'p95', 'p99'] as const;

/** The latency of messages: three percentiles over time, on a logarithmic axis. */
export function Latency({ stats }: { readonly stats: Stats }) {
  const { series, totals } = stats;
  const values = series.flatMap(({ latency_ms }) => lines.flatMap((line) => latency_ms[line] ?? []));
  const { ticks, place } = logScale(values);
  const times = [0, 0.25, 0.5, 0.75, 1].map(
    (share) => series[Math.round(share * (series.length - 1))]?.at ?? '',
  );
  return (
    <section class="card overview-latency">
      <header class="overview-legend">
        <h2>Latency of messages</h2>
        {lines.map((line) => (
          <span key={line}>
            <span class={`overview-key overview-${line}`} aria-hidden="true" />
            {line} <strong class="number">{formatDuration(totals.latency_ms[line])}</strong>
          </span>
        ))}
      </header>
      <WithTable
        label="Latency of messages"
        head={['from', ...lines]}
        rows={series.map(({ at, latency_ms }) => [
          formatClock(at),
          ...lines.map((line) => formatDuration(latency_ms[line])),
        ])}
      >
        <div class="overview-plot">
          <div class="overview-ticks" aria-hidden="true">
            {ticks.toReversed().map((tick) => (
              <span key={tick}>{formatDuration(tick)}</span>
            ))}
          </div>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`Latency: ${lines.map((line) => `${line} ${formatDuration(totals.latency_ms[line])}`).join(', ')}`}
          >
            {ticks.map((tick) => (
              <line
                key={tick}
                class="overview-grid"
                x1={0}
                x2={WIDTH}
                y1={(1 - place(tick)) * HEIGHT}
                y2={(1 - place(tick)) * HEIGHT}
              />
            ))}
            {lines.map((line) => (
              <path
                key={line}
                class={`overview-line overview-${line}`}
                d={linePath(
                  series.map(({ latency_ms }) => latency_ms[line]),
                  WIDTH,
                  HEIGHT,
                  place,
                )}
              />
            ))}
          </svg>
          <div class="overview-times" aria-hidden="true">
            {times.map((at, index) => (
              <span key={index}>{at === '' ? '' : formatClock(at).slice(0, 5)}</span>
            ))}
          </div>
        </div>
      </WithTable>
    </section>
  );
}
