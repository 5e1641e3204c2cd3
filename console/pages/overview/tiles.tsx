import type { ComponentChildren } from 'preact';
import type { Client } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { hrefTo } from '../../app/router.ts';
import { formatClock, formatNumber, formatShare } from '../../ui/format.ts';
import { Bars, type Series, WithTable } from '../../ui/plots.tsx';
import {
  escalatedShare,
  messagesPerMinute,
  minutesOf,
  type Stats,
  type StatsWindow,
  sumOf,
  windows,
} from './stats.ts';

/** The four figures at the top, each with its course over the time and a link to the records behind it. */
export function Tiles({ stats, window }: { readonly stats: Stats; readonly window: StatsWindow }) {
  const { series, totals, now } = stats;
  const perMinute = messagesPerMinute(stats);
  const { calls, errors } = totals.tools;
  const column = (
    name: string,
    tone: Series['tone'],
    read: (at: Stats['series'][number]) => number | null,
  ): Series => ({
    name,
    tone,
    values: series.map(read),
  });
  return (
    <section class="overview-tiles" aria-label="Figures">
      <Tile
        title="Messages a minute"
        href="#/messages"
        value={perMinute === null ? '–' : formatNumber(Math.round(perMinute * 10) / 10)}
        more={`over ${minutesOf(stats)} min; ${formatNumber(sumOf(totals.messages))} in all, ${formatNumber(totals.messages.answered)} answered`}
        series={[
          column('answered', 'accent', ({ messages }) => messages.answered),
          column('for a person', 'warn', ({ messages }) => messages.escalated + messages.draft),
          column('failed', 'bad', ({ messages }) => messages.failed),
          column('no reply', 'calm', ({ messages }) => messages.no_reply),
        ]}
        stats={stats}
      />
      <Tile
        title="Escalated"
        href={hrefTo(['messages'], { escalated: 'true' })}
        value={formatShare(totals.escalated_share)}
        more="of messages need a person"
        series={[column('escalated share', 'warn', ({ messages }) => escalatedShare(messages))]}
        format={formatShare}
        stats={stats}
      />
      <Tile
        title="Runs now"
        href="#/runs"
        value={`${formatNumber(now.runs.running)} running`}
        more={
          <>
            {formatNumber(now.runs.waiting)} queued · <Waiting /> ·{' '}
            <a href={hrefTo(['runs'], { status: 'FAILED', since: window })}>
              {formatNumber(totals.runs.failed)} failed
            </a>{' '}
            in the {windows.find(([value]) => value === window)?.[1]}
          </>
        }
        series={[
          column('completed', 'accent', ({ runs }) => runs.completed),
          column('failed', 'bad', ({ runs }) => runs.failed),
          column('cancelled', 'calm', ({ runs }) => runs.cancelled),
        ]}
        stats={stats}
      />
      <Tile
        title="Tool errors"
        href="#/automation?view=tools"
        value={formatShare(calls === 0 ? null : errors / calls)}
        more={`${formatNumber(errors)} of ${formatNumber(calls)} calls`}
        series={[column('errors', 'bad', ({ tools }) => tools.errors)]}
        stats={stats}
      />
    </section>
  );
}

const MAX_WAITING = 50;
const readWaiting = (api: Client) =>
  api.runs.$get({ query: { status: 'WAITING', limit: String(MAX_WAITING) } });

/**
 * The number of runs that wait for a person, a time or another run. The statistics count those that run and those that
 * are queued.
 */
function Waiting() {
  const { value } = useRead('waiting runs', readWaiting, {
    stale: ({ type }) => /^execution\.(waiting|resumed|cancelled|completed|failed)$/.test(type),
  });
  return (
    <a href={hrefTo(['runs'], { status: 'WAITING' })}>
      {value && `${value.executions.length}${value.next_cursor === null ? '' : '+'} `}waiting
    </a>
  );
}

interface TileProps {
  readonly title: string;
  readonly href: string;
  readonly value: string;
  readonly more: ComponentChildren;
  readonly series: readonly Series[];
  readonly format?: (value: number) => string;
  readonly stats: Stats;
}

function Tile({ title, href, value, more, series, format = String, stats }: TileProps) {
  const rows = stats.series.map(({ at }, index) => [
    formatClock(at),
    ...series.map(({ values }) => {
      const number = values[index];
      return number === null || number === undefined ? '–' : format(number);
    }),
  ]);
  return (
    <article class="card overview-tile">
      <h2>
        <a href={href}>{title}</a>
      </h2>
      <p class="overview-value">{value}</p>
      <p class="faint">{more}</p>
      <WithTable label={title} head={['from', ...series.map(({ name }) => name)]} rows={rows}>
        <Bars label={`${title}: ${value}`} series={series} height={36} />
      </WithTable>
    </article>
  );
}
