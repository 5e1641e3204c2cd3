import type { Filter } from '../../ui/filters.tsx';
import type { Kind } from './logic/types.ts';

/** The words for the kinds of items. */
export const kindWords: Readonly<Record<Kind, string>> = {
  escalation: 'message',
  draft: 'draft',
  approval: 'approval',
  recovery: 'did it happen?',
};

const kinds = ['escalation', 'draft', 'approval', 'recovery'] as const satisfies readonly Kind[];

/** The kinds that a text of the URL names, separated by commas; those that do not exist are left out. */
export function kindsOf(text: string | null): readonly Kind[] {
  const named = (text ?? '').split(',');
  return kinds.filter((kind) => named.includes(kind));
}

/** The filters of the queue. */
export const filters: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    options: [
      ['', 'waiting'],
      ['open', 'open'],
      ['claimed', 'claimed'],
      ['resolved', 'resolved'],
      ['expired', 'expired'],
      ['withdrawn', 'withdrawn'],
    ],
  },
  {
    kind: 'choice',
    name: 'kind',
    label: 'Kind',
    options: [['', 'all'], ...kinds.map((kind) => [kind, kindWords[kind]] as const)],
  },
  {
    kind: 'choice',
    name: 'priority',
    label: 'Priority',
    options: [
      ['', 'all'],
      ['1', '1, most urgent'],
      ['1,2', '1 and 2'],
      ['3', '3'],
      ['4,5', '4 and 5'],
    ],
  },
  {
    kind: 'choice',
    name: 'overdue',
    label: 'Due',
    options: [
      ['', 'all'],
      ['true', 'overdue'],
      ['false', 'in time'],
    ],
  },
  { kind: 'text', name: 'assignee', label: 'Who has it', placeholder: 'anybody' },
];
