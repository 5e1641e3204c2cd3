import { formatDuration } from './format.ts';
import type { Column } from './table.tsx';
import { Age } from './time.tsx';

/** The last columns of lists of records: their durations and their beginnings. */
export const timeColumns: readonly Column<{
  readonly duration_ms: number;
  readonly created_at: string;
}>[] = [
  {
    name: 'took',
    label: 'took',
    width: '5rem',
    isNumber: true,
    cell: ({ duration_ms }) => formatDuration(duration_ms),
  },
  {
    name: 'at',
    label: 'when',
    width: '6.5rem',
    isNumber: true,
    cell: ({ created_at }) => <Age at={created_at} />,
  },
];
