import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ListPage } from '../../api/use-gathered.ts';
import { useList } from '../../api/use-list.ts';
import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { hrefTo } from '../../app/router.ts';
import { Filters } from '../../ui/filters.tsx';
import { LiveTable } from '../../ui/live-table.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { type Example, readExamples, statuses } from './example-calls.ts';
import { ExampleCard } from './example-card.tsx';

const columns: readonly Column<Example>[] = [
  { name: 'status', label: 'status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
  { name: 'intent', label: 'intent', width: '10rem', cell: ({ intent }) => intent ?? '–' },
  {
    name: 'right',
    label: 'for a person',
    width: '6.5rem',
    cell: ({ expected_escalated }) => (expected_escalated === null ? '–' : expected_escalated ? 'yes' : 'no'),
  },
  { name: 'message', label: 'message', width: 'minmax(14rem, 4fr)', cell: ({ message }) => message },
];

const idOf = ({ example_id }: Example): string => example_id;

/** The examples that people have made by resolving items, to be accepted or rejected. */
export function Examples({
  query,
  tabs,
}: {
  readonly query: URLSearchParams;
  readonly tabs: ComponentChildren;
}) {
  const datasets = useRead('datasets', (api) => api.datasets.$get(), {
    stale: ({ type }) => type === 'inbox.resolved',
  });
  const names = datasets.value?.datasets.map(({ dataset_id }) => dataset_id) ?? [];
  const first = names[0] ?? 'inbox';
  const id = query.get('dataset') || first;
  const wanted = query.get('status') ?? 'proposed';
  const status = statuses.find((name) => name === wanted);
  const list = useList({
    key: `examples ${id} ${status}`,
    call: (cursor) => readExamples(id, status, cursor),
    pageOf: ({ examples, next_cursor }): ListPage<Example> => ({ rows: examples, next: next_cursor }),
    idOf,
    stale: ({ type }) => type === 'inbox.resolved',
  });
  const [chosenId, setChosenId] = useState<string>();
  const at = list.rows.findIndex((row) => idOf(row) === chosenId);
  const chosen = list.rows[at];
  const move = (step: number): void => {
    const row = list.rows[Math.max(0, Math.min(list.rows.length - 1, at + step))];
    if (row !== undefined) setChosenId(idOf(row));
  };
  useKeys('Examples', [
    { key: 'j', label: 'next example', run: () => move(1) },
    { key: 'k', label: 'example before', run: () => move(-1) },
  ]);
  const counts = datasets.value?.datasets.find(({ dataset_id }) => dataset_id === id);
  return (
    <>
      <PageHead
        title="Examples"
        facts={
          counts && `${counts.proposed} proposed, ${counts.accepted} accepted, ${counts.rejected} rejected`
        }
        calls={[{ label: 'Examples', call: list.call }]}
      />
      {tabs}
      <Filters
        filters={[
          {
            kind: 'choice',
            name: 'dataset',
            label: 'Dataset',
            options: [...new Set([first, id, ...names])].map((name) => [name === first ? '' : name, name]),
          },
          {
            kind: 'choice',
            name: 'status',
            label: 'Status',
            options: [
              ['', 'proposed'],
              ['accepted', 'accepted'],
              ['rejected', 'rejected'],
              ['all', 'all'],
            ],
          },
        ]}
      />
      <div class="split">
        <LiveTable
          label="Examples"
          list={list}
          columns={columns}
          idOf={idOf}
          selected={chosenId}
          onSelect={(row) => setChosenId(idOf(row))}
          empty={
            <>
              {query.has('status') ? 'No example fits.' : 'There is no example yet.'} Examples are made when
              people resolve items of the <a href={hrefTo(['inbox'])}>inbox</a>.
            </>
          }
        />
        {chosen && (
          <ExampleCard
            key={chosen.example_id}
            example={chosen}
            onDecided={() => {
              list.reload();
              datasets.reload();
            }}
          />
        )}
      </div>
    </>
  );
}
