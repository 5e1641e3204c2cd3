import { useState } from 'preact/hooks';
import { type EventResponse, toEvents } from '../../api/client.ts';
import type { ListPage } from '../../api/use-gathered.ts';
import { useList } from '../../api/use-list.ts';
import { hrefOfRecord } from '../../app/place.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Filters } from '../../ui/filters.tsx';
import { formatClock, shortId } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { LiveTable } from '../../ui/live-table.tsx';
import type { Column } from '../../ui/table.tsx';

const kinds = ['execution', 'message', 'routing', 'workflow', 'schedule', 'inbox'] as const;

const idOf = ({ subject, seq, type }: EventResponse): string => `${subject.id} ${seq} ${type}`;

const columns: readonly Column<EventResponse>[] = [
  {
    name: 'at',
    label: 'time',
    width: '5.5rem',
    cell: ({ at }) => <time dateTime={at}>{formatClock(at)}</time>,
  },
  { name: 'type', label: 'what', width: 'minmax(10rem, 1fr)', cell: ({ type }) => type },
  {
    name: 'subject',
    label: 'of',
    width: 'minmax(12rem, 1fr)',
    cell: ({ subject }) => {
      const href = hrefOfRecord(subject);
      const text = `${subject.kind} ${shortId(subject.id)}`;
      return href === undefined ? text : <a href={href}>{text}</a>;
    },
  },
  { name: 'seq', label: 'number', width: '4.5rem', isNumber: true, cell: ({ seq }) => seq },
  {
    name: 'data',
    label: 'data',
    width: 'minmax(12rem, 3fr)',
    cell: ({ data }) => <span class="mono faint">{JSON.stringify(data)}</span>,
  },
];

/** The newest events of the whole service. */
export function Events({ query }: { readonly query: URLSearchParams }) {
  const kind = kinds.find((name) => name === query.get('kind'));
  const types = query.get('types') ?? undefined;
  const [chosen, setChosen] = useState<EventResponse>();
  const list = useList({
    key: `events ${kind} ${types}`,
    call: (cursor) => (api) => api.events.$get({ query: { limit: '100', kind, types, cursor } }),
    pageOf: ({ events, next_cursor }): ListPage<EventResponse> => ({
      rows: toEvents(events),
      next: next_cursor,
    }),
    idOf,
    stale: () => true,
  });
  return (
    <div class="stack">
      <Filters
        filters={[
          {
            kind: 'choice',
            name: 'kind',
            label: 'About',
            options: [['', 'everything'], ...kinds.map((name) => [name, name] as const)],
          },
          {
            kind: 'text',
            name: 'types',
            label: 'Types',
            placeholder: 'such as execution.failed,inbox.opened',
          },
        ]}
      />
      <LiveTable
        label="Events"
        list={list}
        columns={columns}
        idOf={idOf}
        selected={chosen && idOf(chosen)}
        onSelect={setChosen}
        empty="No events fit."
      />
      {chosen && (
        <Dialog title={chosen.type} onClose={() => setChosen(undefined)}>
          <Json value={chosen} label="The event" />
        </Dialog>
      )}
    </div>
  );
}
