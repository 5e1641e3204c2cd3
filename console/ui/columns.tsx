import { formatDuration } from './format.ts';
import type { Column } from './table.tsx';
import { Age } from './time.tsx';

/** What lists of records have at their end: how long each took, and when it began. */
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
