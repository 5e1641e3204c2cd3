import { setQuery } from '../../../app/router.ts';
import { Json } from '../../../ui/json.tsx';
import { Notice } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import type { Progress } from '../logic/attempts.ts';
import type { Item } from '../logic/tree.ts';
import { Part } from './part.tsx';

interface ItemsProps {
  readonly stepId: string;
  readonly items: readonly Item[];
  readonly progress: Progress | undefined;
  /** The index of the item that is chosen. */
  readonly chosen: string | undefined;
}

const columns: readonly Column<Item>[] = [
  { name: 'index', label: 'Item', width: '2.5rem', isNumber: true, cell: ({ index }) => index },
  { name: 'status', label: 'Status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'output',
    label: 'Output or error',
    width: 'minmax(6rem, 1fr)',
    cell: ({ error, output }) => error ?? <span class="mono">{JSON.stringify(output)}</span>,
  },
];

/** The items of a step with `foreach`. */
export function Items({ stepId, items, progress, chosen }: ItemsProps) {
  const item = items[Number(chosen ?? Number.NaN)];
  return (
    <Part title="Items">
      {items.length === 0 && progress !== undefined && (
        <>
          <progress value={progress.done} max={progress.total} aria-label="Items that have ended" />
          <p>
            {progress.done.toLocaleString('en')} of {progress.total.toLocaleString('en')}
            {progress.failed > 0 && `, ${progress.failed.toLocaleString('en')} failed`}
          </p>
        </>
      )}
      {items.length > 0 && (
        <Table
          label={`Items of ${stepId}`}
          columns={columns}
          rows={items}
          idOf={({ index }) => String(index)}
          selected={chosen}
          onSelect={({ index }) => setQuery({ step: `${stepId}:${index}` }, { replace: true })}
        />
      )}
      {item?.error !== undefined && <Notice tone="bad">{item.error}</Notice>}
      {item !== undefined && item.error === undefined && (
        <Json value={item.output} label={`Output of item ${item.index}`} />
      )}
    </Part>
  );
}
