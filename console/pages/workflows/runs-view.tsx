import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import type { ListPage } from '../../api/use-gathered.ts';
import { useList } from '../../api/use-list.ts';
import { hrefTo } from '../../app/router.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { Filters } from '../../ui/filters.tsx';
import { shortId } from '../../ui/format.ts';
import { LiveTable } from '../../ui/live-table.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Age, Lasting } from '../../ui/time.tsx';

const PAGE = 50;
const readRuns = (id: string, query: { limit: string; offset: string; status?: string }) => (api: Client) =>
  api.workflows[':id'].runs.$get({ param: { id }, query });
type Row = Answered<ReturnType<typeof readRuns>>['executions'][number];

const statuses = ['PENDING', 'RUNNING', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

const columns: readonly Column<Row>[] = [
  { name: 'status', label: 'status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'run',
    label: 'run',
    width: '9rem',
    cell: ({ execution_id }) => <a href={hrefTo(['runs', execution_id])}>{shortId(execution_id)}</a>,
  },
  { name: 'version', label: 'version', width: '4.5rem', isNumber: true, cell: ({ version }) => version },
  {
    name: 'error',
    label: 'what happened',
    width: 'minmax(6rem, 1fr)',
    cell: ({ error, rerun_of, parent_execution_id }) =>
      error ?? (
        <span class="faint">
          {rerun_of ? 'a rerun' : parent_execution_id ? 'started by another run' : ''}
        </span>
      ),
    isMinor: true,
  },
  {
    name: 'took',
    label: 'took',
    width: '5rem',
    isNumber: true,
    cell: ({ started_at, duration_ms }) => <Lasting from={started_at} ms={duration_ms} />,
  },
  {
    name: 'when',
    label: 'requested',
    width: '7.5rem',
    isNumber: true,
    cell: ({ created_at }) => <Age at={created_at} />,
  },
];

const idOf = ({ execution_id }: Row): string => execution_id;

/** The runs of a workflow, newest first. */
export function RunsView({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const status = query.get('status') ?? '';
  const list = useList({
    key: `runs of ${id} ${status}`,
    call: (offset) =>
      readRuns(id, { limit: String(PAGE), offset: offset ?? '0', ...(status !== '' && { status }) }),
    pageOf: ({ executions, offset, total }): ListPage<Row> => ({
      rows: executions,
      next:
        executions.length > 0 && offset + executions.length < total
          ? String(offset + executions.length)
          : null,
      total,
    }),
    idOf,
    stale: ({ type, subject }) => type.startsWith('execution.') && subject.workflow_id === id,
  });
  return (
    <>
      <div class="workflows-acts">
        <Filters
          filters={[
            {
              kind: 'choice',
              name: 'status',
              label: 'Status',
              options: [['', 'all'], ...statuses.map((name) => [name, name.toLowerCase()] as const)],
            },
          ]}
        />
        <a class="workflows-apart" href={hrefTo(['runs'], { workflow: id })}>
          All filters, in Runs
        </a>
        <CurlButton calls={[{ label: 'Runs of the workflow', call: list.call }]} />
      </div>
      <LiveTable
        label="Runs of the workflow"
        list={list}
        columns={columns}
        idOf={idOf}
        hrefOf={({ execution_id }) => hrefTo(['runs', execution_id])}
        empty={`${status ? 'No run fits.' : 'It has not run yet.'} A run begins with Run, by a schedule, or as a step of another workflow.`}
      />
    </>
  );
}
