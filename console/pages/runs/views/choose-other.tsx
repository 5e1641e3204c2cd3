import { useList } from '../../../api/use-list.ts';
import { goTo, hrefTo } from '../../../app/router.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { shortId } from '../../../ui/format.ts';
import { LiveTable } from '../../../ui/live-table.tsx';
import { Status } from '../../../ui/status.tsx';
import type { Column } from '../../../ui/table.tsx';
import { Age, Lasting } from '../../../ui/time.tsx';
import { type Run, type RunSummary, readRuns } from '../logic/reads.ts';

const idOf = ({ execution_id }: RunSummary): string => execution_id;

/** Chooses the run to compare with, from those of the same workflow. */
export function ChooseOther({ run, onClose }: { readonly run: Run; readonly onClose: () => void }) {
  const { workflow_id, execution_id } = run;
  const list = useList({
    key: `runs to compare ${workflow_id}`,
    call: (cursor) => readRuns({ limit: '50', cursor, workflow_id }),
    pageOf: ({ executions, next_cursor }) => ({
      rows: executions.filter((other) => idOf(other) !== execution_id),
      next: next_cursor,
    }),
    idOf,
    stale: () => false,
  });
  const hrefOf = (other: RunSummary): string => hrefTo(['runs', execution_id], { compare: idOf(other) });
  const columns: readonly Column<RunSummary>[] = [
    {
      name: 'id',
      label: 'Run',
      width: '9rem',
      cell: (other) => (
        <a class="mono" href={hrefOf(other)} title={idOf(other)} onClick={onClose}>
          {shortId(idOf(other))}
        </a>
      ),
    },
    { name: 'status', label: 'Status', width: '7.5rem', cell: ({ status }) => <Status of={status} /> },
    { name: 'version', label: 'Version', width: '4rem', isNumber: true, cell: ({ version }) => version },
    { name: 'started', label: 'Started', width: '7rem', cell: ({ created_at }) => <Age at={created_at} /> },
    {
      name: 'duration',
      label: 'Duration',
      width: '6rem',
      isNumber: true,
      cell: ({ started_at, duration_ms }) => <Lasting from={started_at} ms={duration_ms} />,
    },
    {
      name: 'error',
      label: 'Why it failed',
      width: 'minmax(8rem, 1fr)',
      isMinor: true,
      cell: ({ error }) => <span title={error ?? undefined}>{error}</span>,
    },
  ];
  return (
    <Dialog title={`Compare with which run of ${run.workflow_name}?`} onClose={onClose} wide>
      <LiveTable
        label="Runs of the same workflow"
        list={list}
        columns={columns}
        idOf={idOf}
        onSelect={(other) => {
          onClose();
          goTo(hrefOf(other));
        }}
        empty="This workflow has no other run."
      />
    </Dialog>
  );
}
