import type { EventResponse } from '../../../api/client.ts';
import { setQuery } from '../../../app/router.ts';
import { type Filter, Filters } from '../../../ui/filters.tsx';
import { formatDuration, formatTime } from '../../../ui/format.ts';
import { Empty, Loading, Notice } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { eventText } from '../logic/event-text.ts';
import type { RunEvents } from '../use-run.ts';

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

/** The events of a run, in their order. */
export function EventsView({
  events,
  query,
}: {
  readonly events: RunEvents;
  readonly query: URLSearchParams;
}) {
  const type = query.get('type') || undefined;
  const step = query.get('of') || undefined;
  const types = [...new Set(events.events.map((event) => event.type))].toSorted();
  const steps = [...new Set(events.events.flatMap((event) => stepOf(event) ?? []))];
  const filters: readonly Filter[] = [
    {
      kind: 'choice',
      name: 'type',
      label: 'Type',
      options: [['', 'all'], ...types.map((name) => [name, name] as const)],
    },
    {
      kind: 'choice',
      name: 'of',
      label: 'Step',
      options: [['', 'all'], ...steps.slice(0, 1_000).map((id) => [id, id] as const)],
    },
  ];
  const rows = events.events.filter(
    (event) => (type === undefined || event.type === type) && (step === undefined || stepOf(event) === step),
  );
  return (
    <div class="stack">
      <Filters filters={filters} />
      {events.error !== undefined && <Notice tone="bad">{events.error}</Notice>}
      {rows.length > 0 ? (
        <div class="runs-events">
          <Table label="Events" columns={columns} rows={rows} idOf={({ seq }) => String(seq)} />
        </div>
      ) : events.state === 'reading' && events.events.length === 0 ? (
        <Loading what="Reading the events" rows={5} />
      ) : (
        <Empty>No event fits these filters.</Empty>
      )}
      <p class="faint">
        {events.state === 'ended'
          ? 'The run has ended: these are all.'
          : events.state === 'reading'
            ? 'Further ones appear at the end by themselves.'
            : ''}
      </p>
    </div>
  );
}

function stepOf({ data }: EventResponse): string | undefined {
  return 'step_id' in data ? data.step_id : undefined;
}

const columns: readonly Column<EventResponse>[] = [
  { name: 'seq', label: 'Seq', width: '3.5rem', isNumber: true, cell: ({ seq }) => seq },
  {
    name: 'at',
    label: 'Time',
    width: '7rem',
    isMinor: true,
    cell: ({ at }) => (
      <time dateTime={at} title={formatTime(at)} class="number">
        {clock.format(new Date(at))}
      </time>
    ),
  },
  { name: 'type', label: 'Type', width: '12rem', cell: ({ type }) => <span class="mono">{type}</span> },
  {
    name: 'step',
    label: 'Step',
    isMinor: true,
    width: 'minmax(6rem, 1fr)',
    cell: (event) => {
      const id = stepOf(event);
      return (
        id !== undefined && (
          <button type="button" class="link" onClick={() => setQuery({ view: 'steps', step: id })}>
            {id}
          </button>
        )
      );
    },
  },
  {
    name: 'text',
    label: 'What happened',
    width: 'minmax(12rem, 3fr)',
    cell: (event) => eventText(event, formatDuration),
  },
];
