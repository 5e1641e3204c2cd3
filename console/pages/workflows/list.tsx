import { useComputed } from '@preact/signals';
import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import type { ListPage } from '../../api/use-gathered.ts';
import { useList } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { now } from '../../app/now.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { Filters } from '../../ui/filters.tsx';
import { formatNumber } from '../../ui/format.ts';
import { LiveTable } from '../../ui/live-table.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Failed } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Age } from '../../ui/time.tsx';
import { countBy, startOfDay } from './steps.ts';

const PAGE = 200;
const readWorkflows = (offset: string) => (api: Client) =>
  api.workflows.$get({ query: { limit: String(PAGE), offset } });
type Row = Answered<ReturnType<typeof readWorkflows>>['workflows'][number];

/** Runs of the day that are counted. */
const COUNTED = 200;
const readRuns = (since: string) => (api: Client) =>
  api.runs.$get({ query: { since, limit: String(COUNTED) } });

const idOf = ({ id }: Row): string => id;
const newHref = hrefTo(['workflows'], { view: 'new' });

/** All workflows, with what ran today. */
export function List({ query }: { readonly query: URLSearchParams }) {
  const wanted = (query.get('name') ?? '').toLowerCase();
  const since = useComputed(() => startOfDay(now.value)).value;
  const list = useList({
    key: 'workflows',
    call: (offset) => readWorkflows(offset ?? '0'),
    pageOf: ({ workflows, offset, total }): ListPage<Row> => ({
      rows: workflows,
      next:
        workflows.length > 0 && offset + workflows.length < total ? String(offset + workflows.length) : null,
      total,
    }),
    idOf,
    stale: ({ type }) => type.startsWith('workflow.'),
  });
  const runs = useRead(`runs since ${since}`, readRuns(since), {
    stale: ({ type }) => type.startsWith('execution.'),
  });
  useKeys('Workflows', [{ key: 'n', label: 'new workflow', run: () => goTo(newHref) }]);

  const executions = runs.value?.executions ?? [];
  const today = Map.groupBy(executions, ({ workflow_id }) => workflow_id);
  const columns: readonly Column<Row>[] = [
    {
      name: 'name',
      label: 'name',
      width: 'minmax(12rem, 3fr)',
      cell: ({ id, name }) => <a href={hrefTo(['workflows', id])}>{name}</a>,
    },
    {
      name: 'key',
      label: 'key',
      width: 'minmax(0, 2fr)',
      cell: ({ key }) => key !== undefined && <code>{key}</code>,
      isMinor: true,
    },
    {
      name: 'description',
      label: 'what it is for',
      width: 'minmax(0, 6fr)',
      cell: ({ description }) => <span class="workflows-brief faint">{description}</span>,
      isMinor: true,
    },
    { name: 'version', label: 'version', width: '4rem', isNumber: true, cell: ({ version }) => version },
    {
      name: 'steps',
      label: 'steps',
      width: '3rem',
      isNumber: true,
      cell: ({ steps }) => formatNumber(steps.length),
    },
    {
      name: 'today',
      label: 'runs today',
      width: 'minmax(11rem, 1fr)',
      cell: ({ id }) => <Today statuses={(today.get(id) ?? []).map(({ status }) => status)} />,
    },
    {
      name: 'updated',
      label: 'updated',
      width: '6.5rem',
      isNumber: true,
      cell: ({ created_at }) => <Age at={created_at} />,
    },
  ];
  const rows =
    wanted === '' ? list.rows : list.rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <>
      <PageHead
        title="Workflows"
        actions={
          <a class="button button-main" href={newHref}>
            New workflow <kbd>n</kbd>
          </a>
        }
        calls={[
          { label: 'Workflows', call: list.call },
          { label: 'Runs of today', call: runs.call },
        ]}
      />
      <Filters filters={[{ kind: 'text', name: 'name', label: 'Name contains' }]} />
      {runs.error && !list.error && <Failed error={runs.error} retry={runs.reload} />}
      <LiveTable
        label="Workflows"
        list={{ ...list, rows, ...(wanted !== '' && { total: undefined }) }}
        columns={columns}
        idOf={idOf}
        hrefOf={({ id }) => hrefTo(['workflows', id])}
        empty={
          wanted === ''
            ? 'No workflow is stored. A workflow is a graph of steps, written as JSON: begin with a new one.'
            : `No name contains “${wanted}”${list.more ? ' among those that were read. More can be read without the filter.' : '.'}`
        }
      />
      {runs.value && (
        <p class="faint">
          {runs.value.next_cursor
            ? `Runs today: of the newest ${formatNumber(COUNTED)} since midnight; there are more.`
            : `Runs today: all ${formatNumber(executions.length)} since midnight, by their status now.`}
        </p>
      )}
    </>
  );
}

function Today({ statuses }: { readonly statuses: readonly string[] }) {
  if (statuses.length === 0) return <span class="faint">–</span>;
  return (
    <span class="workflows-today">
      {[...countBy(statuses, (status) => status)].map(([status, count]) => (
        <span key={status} title={`${count} ${status.toLowerCase()}`}>
          <Status of={status} short /> <span class="number">{count}</span>
        </span>
      ))}
    </span>
  );
}
