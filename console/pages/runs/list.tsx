import { useState } from 'preact/hooks';
import { useList } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { type Filter, Filters } from '../../ui/filters.tsx';
import { shortId } from '../../ui/format.ts';
import { LiveTable } from '../../ui/live-table.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Age, Lasting } from '../../ui/time.tsx';
import { firesOf, type RunSummary, readFires, readRuns, readWorkflows } from './logic/reads.ts';
import { sinceOf, sinceOptions, statusOptions, waitText } from './logic/words.ts';

const idOf = ({ execution_id }: RunSummary): string => execution_id;
const hrefOf = ({ execution_id }: RunSummary): string => hrefTo(['runs', execution_id]);

/** The list of all runs, newest first. */
export function RunList({ query }: { readonly query: URLSearchParams }) {
  const status = query.get('status') || undefined;
  const workflow_id = query.get('workflow') || undefined;
  const since = query.get('since') ?? '';
  const workflows = useRead('runs: workflows', readWorkflows, {
    stale: ({ subject }) => subject.kind === 'workflow',
  });
  const fires = useRead('runs: fires', readFires, { stale: ({ type }) => type === 'schedule.fired' });
  const list = useList({
    key: `runs ${status} ${workflow_id} ${since}`,
    call: (cursor) =>
      readRuns({ limit: '50', cursor, status, workflow_id, since: sinceOf(since, Date.now()) }),
    pageOf: ({ executions, next_cursor }) => ({ rows: executions, next: next_cursor }),
    idOf,
    stale: ({ subject, type }) => subject.kind === 'execution' && type.startsWith('execution.'),
  });
  const [selected, setSelected] = useState<string>();
  useKeys('Runs', [
    {
      key: 'Enter',
      label: 'open the chosen run',
      run: () => {
        if (selected !== undefined) goTo(hrefTo(['runs', selected]));
      },
    },
  ]);

  const named = workflows.value?.workflows.map(({ id, name }) => [id, name] as const) ?? [];
  const isKnown = workflow_id === undefined || named.some(([id]) => id === workflow_id);
  const filters: readonly Filter[] = [
    { kind: 'choice', name: 'status', label: 'Status', options: statusOptions },
    (workflows.value?.total ?? 0) > named.length
      ? { kind: 'text', name: 'workflow', label: 'Workflow', options: named, placeholder: 'id or name' }
      : {
          kind: 'choice',
          name: 'workflow',
          label: 'Workflow',
          options: [
            ['', 'all'],
            ...named,
            ...(isKnown ? [] : [[workflow_id, shortId(workflow_id)] as const]),
          ],
        },
    { kind: 'choice', name: 'since', label: 'Since', options: sinceOptions },
  ];
  const scheduled = firesOf(fires.value);

  return (
    <>
      <PageHead
        title="Runs"
        calls={[
          { label: 'Runs', call: list.call },
          { label: 'Workflows, for their names', call: workflows.call },
          { label: 'What schedules have started', call: fires.call },
        ]}
      />
      <Filters filters={filters} />
      <div class="runs-list">
        <LiveTable
          label="Runs"
          list={list}
          columns={columnsOf(scheduled)}
          idOf={idOf}
          hrefOf={hrefOf}
          selected={selected}
          onSelect={(row) => setSelected(idOf(row))}
          empty={
            status || workflow_id || since ? (
              'No run fits these filters.'
            ) : (
              <>
                There is no run yet. A <a href={hrefTo(['workflows'])}>workflow</a> can be run from its page.
              </>
            )
          }
        />
      </div>
    </>
  );
}

function columnsOf(scheduled: ReadonlyMap<string, string>): readonly Column<RunSummary>[] {
  return [
    {
      name: 'status',
      label: 'Status',
      width: '7.5rem',
      cell: ({ status }) => <Status of={status} />,
    },
    {
      name: 'workflow',
      label: 'Workflow',
      width: 'minmax(13rem, 3fr)',
      cell: (run) => (
        <>
          <a href={hrefOf(run)}>{run.workflow_name}</a> <span class="faint number">v{run.version}</span>
        </>
      ),
    },
    {
      name: 'id',
      label: 'Id',
      width: '8.5rem',
      isMinor: true,
      cell: ({ execution_id }) => (
        <span class="mono faint" title={execution_id}>
          {shortId(execution_id)}
        </span>
      ),
    },
    {
      name: 'started',
      label: 'Started',
      width: '7.5rem',
      cell: ({ started_at, created_at }) => <Age at={started_at ?? created_at} />,
    },
    {
      name: 'duration',
      label: 'Duration',
      width: '6rem',
      isNumber: true,
      isMinor: true,
      cell: ({ started_at, duration_ms }) => <Lasting from={started_at} ms={duration_ms} />,
    },
    {
      name: 'trigger',
      label: 'Trigger',
      width: '6.5rem',
      isMinor: true,
      cell: ({ execution_id, rerun_of, parent_execution_id }) => {
        if (scheduled.has(execution_id)) return 'schedule';
        if (rerun_of !== null) return 'rerun';
        return parent_execution_id === null ? 'request' : 'parent run';
      },
    },
    {
      name: 'attempt',
      label: 'Attempt',
      width: '4.5rem',
      isNumber: true,
      isMinor: true,
      cell: ({ attempt }) => (attempt === 1 ? <span class="faint">1</span> : attempt),
    },
    {
      name: 'more',
      label: 'Waits for, or why it failed',
      width: 'minmax(10rem, 3fr)',
      isMinor: true,
      cell: (run) =>
        run.waiting_for.length > 0 ? (
          waitText(run.waiting_for)
        ) : (
          <span class="faint" title={run.error ?? undefined}>
            {run.error}
          </span>
        ),
    },
  ];
}
