import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import type { ListPage } from '../../api/use-gathered.ts';
import { useList } from '../../api/use-list.ts';
import { useKeys } from '../../app/keys.ts';
import type { PageProps } from '../../app/place.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { timeColumns } from '../../ui/columns.tsx';
import { Filters } from '../../ui/filters.tsx';
import { LiveTable } from '../../ui/live-table.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Routed } from './routed.tsx';
import { Try } from './try.tsx';
import './routing.css';

/** Routing: the goals that were split and sent to agents, one of them in full, and a place to try one. */
export default function Routing({ path: [id], query }: PageProps) {
  if (id !== undefined) return <Routed id={id} />;
  if (query.get('view') === 'try') return <Try query={query} />;
  return <Goals query={query} />;
}

const PAGE = 50;
const readRoutes =
  (query: { limit?: string; offset?: string; status?: string; since?: string }) => (api: Client) =>
    api.agents.routes.$get({ query });
type Row = Answered<ReturnType<typeof readRoutes>>['routes'][number];

const columns: readonly Column<Row>[] = [
  { name: 'status', label: 'status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'goal',
    label: 'goal',
    width: 'minmax(12rem, 4fr)',
    cell: ({ goal, routing_id }) => <a href={hrefTo(['routing', routing_id])}>{goal}</a>,
  },
  { name: 'by', label: 'split by', width: '6rem', cell: ({ decomposition }) => decomposition, isMinor: true },
  {
    name: 'subtasks',
    label: 'subtasks',
    width: '6rem',
    isNumber: true,
    cell: ({ subtask_counts: { completed, total } }) => `${completed} of ${total}`,
  },
  ...timeColumns,
];

const idOf = ({ routing_id }: Row): string => routing_id;

function Goals({ query }: { readonly query: URLSearchParams }) {
  const status = query.get('status') ?? undefined;
  const filter = status === undefined ? {} : { status };
  const list = useList({
    key: `routes ${status}`,
    call: (offset) => readRoutes({ limit: String(PAGE), offset: offset ?? '0', ...filter }),
    pageOf: ({ routes, offset, total }): ListPage<Row> => ({
      rows: routes,
      next: offset + routes.length < total && routes.length > 0 ? String(offset + routes.length) : null,
      total,
    }),
    idOf,
    stale: ({ type }) => type === 'routing.finished',
  });
  useKeys('Routing', [{ key: 't', label: 'try a goal', run: () => goTo('#/routing?view=try') }]);
  return (
    <>
      <PageHead
        title="Routing"
        actions={
          <a class="button button-main" href="#/routing?view=try">
            Try a goal <kbd>t</kbd>
          </a>
        }
        calls={[{ label: 'Routed goals', call: list.call }]}
      />
      <Filters
        filters={[
          {
            kind: 'choice',
            name: 'status',
            label: 'Status',
            options: [
              ['', 'all'],
              ['completed', 'completed'],
              ['partial', 'partial'],
              ['failed', 'failed'],
            ],
          },
        ]}
      />
      <LiveTable
        label="Routed goals"
        list={list}
        columns={columns}
        idOf={idOf}
        hrefOf={({ routing_id }) => hrefTo(['routing', routing_id])}
        empty={
          <>
            {status ? 'No goal fits.' : 'No goal was routed yet.'} A goal is a request in words that is split
            and sent to several agents: <a href="#/routing?view=try">try one</a>.
          </>
        }
      />
    </>
  );
}
