import type { Client } from '../../api/client.ts';
import type { ListPage } from '../../api/use-gathered.ts';
import { useList } from '../../api/use-list.ts';
import { useKeys } from '../../app/keys.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { timeColumns } from '../../ui/columns.tsx';
import { Filters } from '../../ui/filters.tsx';
import { formatShare } from '../../ui/format.ts';
import { LiveTable } from '../../ui/live-table.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { sinceOf, sinceOptions } from '../runs/logic/words.ts';
import { outcomeOf, type TraceRow } from './trace.ts';
import { inWords, languageInWords } from './words.ts';

const PAGE = '50';

type Query = NonNullable<NonNullable<Parameters<Client['trace']['index']['$get']>[0]>['query']>;

const columns: readonly Column<TraceRow>[] = [
  { name: 'outcome', label: 'outcome', width: '7rem', cell: (row) => <Status of={outcomeOf(row)} /> },
  {
    name: 'message',
    label: 'message',
    width: 'minmax(12rem, 8fr)',
    cell: ({ trace_id, message, prepared, subject }) => (
      <a href={hrefTo(['messages', trace_id])}>{prepared?.text || subject || message || '(without text)'}</a>
    ),
  },
  {
    name: 'intent',
    label: 'intent',
    width: 'minmax(8rem, 1fr)',
    cell: ({ intent, concerns }) => (
      <>
        {inWords(intent)}{' '}
        {concerns.map((concern) => (
          <span key={concern} class="tag tone-bad">
            {inWords(concern)}
          </span>
        ))}
      </>
    ),
  },
  {
    name: 'confidence',
    label: 'sure',
    width: '4rem',
    isNumber: true,
    cell: ({ confidence }) => formatShare(confidence),
  },
  { name: 'customer', label: 'customer', width: 'minmax(6rem, 1fr)', cell: ({ customer_id }) => customer_id },
  {
    name: 'source',
    label: 'source',
    width: '5rem',
    isMinor: true,
    cell: ({ source }) => inWords(source),
  },
  {
    name: 'language',
    label: 'lang.',
    width: '3rem',
    isMinor: true,
    cell: ({ prepared }) =>
      prepared === null ? (
        <span class="faint">–</span>
      ) : (
        <span title={languageInWords(prepared.language)}>{prepared.language}</span>
      ),
  },
  ...timeColumns,
];

const idOf = ({ trace_id }: TraceRow): string => trace_id;

const statuses = ['COMPLETED', 'FAILED'] as const;

/** The times to choose from, and the one that a link names. */
const sinceOptionsWith = (span: string): readonly (readonly [string, string])[] =>
  sinceOptions.some(([value]) => value === span) ? sinceOptions : [...sinceOptions, [span, span]];

/** The list of messages, with its filters. */
export function MessageList({ query }: { readonly query: URLSearchParams }) {
  const filter: Query = {};
  const status = statuses.find((name) => name === query.get('status'));
  if (status !== undefined) filter.status = status;
  const escalated = query.get('escalated');
  if (escalated === 'true' || escalated === 'false') filter.escalated = escalated;
  for (const name of ['customer_id', 'until'] as const) {
    const value = query.get(name);
    if (value) filter[name] = value;
  }
  // As the list shows it, and as the API names it.
  const intent = query.get('intent')?.trim().toLowerCase().replaceAll(' ', '_');
  if (intent) filter.intent = intent;
  const span = query.get('since') ?? '';
  const list = useList({
    key: `messages ${JSON.stringify(filter)} ${span}`,
    call: (offset) => {
      const since = sinceOf(span, Date.now());
      const given = { ...filter, ...(since !== undefined && { since }) };
      return (api: Client) =>
        api.trace.index.$get({ query: { ...given, limit: PAGE, offset: offset ?? '0' } });
    },
    pageOf: ({ traces, offset, total }): ListPage<TraceRow> => ({
      rows: traces,
      next: traces.length > 0 && offset + traces.length < total ? String(offset + traces.length) : null,
      total,
    }),
    idOf,
    stale: ({ type }) => type === 'message.finished',
  });
  useKeys('Messages', [{ key: 't', label: 'try a message', run: () => goTo('#/messages?view=try') }]);
  return (
    <>
      <PageHead
        title="Messages"
        actions={
          <button type="button" class="button-main" onClick={() => goTo('#/messages?view=try')}>
            Try a message <kbd>t</kbd>
          </button>
        }
        calls={[{ label: 'Messages', call: list.call }]}
      />
      <Filters
        filters={[
          {
            kind: 'choice',
            name: 'escalated',
            label: 'Who answers',
            options: [
              ['', 'all'],
              ['true', 'a person'],
              ['false', 'the service'],
            ],
          },
          {
            kind: 'choice',
            name: 'status',
            label: 'Status',
            options: [
              ['', 'all'],
              ['COMPLETED', 'completed'],
              ['FAILED', 'failed'],
            ],
          },
          { kind: 'text', name: 'intent', label: 'Intent', placeholder: 'such as order status' },
          { kind: 'text', name: 'customer_id', label: 'Customer' },
          { kind: 'choice', name: 'since', label: 'Since', options: sinceOptionsWith(span) },
        ]}
      />
      <LiveTable
        label="Messages"
        list={list}
        columns={columns}
        idOf={idOf}
        hrefOf={({ trace_id }) => hrefTo(['messages', trace_id])}
        empty={
          <>
            {Object.keys(filter).length > 0 || span ? 'No message fits.' : 'No message has come yet.'}{' '}
            <a href="#/messages?view=try">Try one</a>, or send one to <code>POST /messages</code>.
          </>
        }
      />
    </>
  );
}
