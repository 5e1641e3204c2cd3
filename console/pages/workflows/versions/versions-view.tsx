import { useRead } from '../../../api/use-read.ts';
import { hrefTo, setQuery } from '../../../app/router.ts';
import { CurlButton } from '../../../ui/curl.tsx';
import { Field } from '../../../ui/fields.tsx';
import { Empty, Reading } from '../../../ui/states.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Age } from '../../../ui/time.tsx';
import { isOf, readVersions, type Workflow } from '../api.ts';
import { toText } from '../editor/draft.ts';
import { DiffView } from './diff-view.tsx';

/** The versions of a workflow, and what differs between two of them. */
export function VersionsView({
  workflow,
  query,
}: {
  readonly workflow: Workflow;
  readonly query: URLSearchParams;
}) {
  const { id } = workflow;
  const read = useRead(`versions of ${id}`, readVersions(id), { stale: isOf(id) });
  const columns: readonly Column<Workflow>[] = [
    { name: 'version', label: 'version', width: '4.5rem', isNumber: true, cell: ({ version }) => version },
    { name: 'name', label: 'name', width: 'minmax(8rem, 1fr)', cell: ({ name }) => name },
    { name: 'steps', label: 'steps', width: '4rem', isNumber: true, cell: ({ steps }) => steps.length },
    {
      name: 'stored',
      label: 'stored',
      width: '7.5rem',
      isNumber: true,
      cell: ({ created_at }) => <Age at={created_at} />,
    },
    {
      name: 'acts',
      label: 'what to do',
      width: '16rem',
      cell: ({ version }) => (
        <span class="workflows-acts">
          {version > 1 && (
            <a
              href={hrefTo(['workflows', id], {
                view: 'versions',
                a: String(version - 1),
                b: String(version),
              })}
            >
              what it changed
            </a>
          )}
          <a href={hrefTo(['workflows', id], { view: 'edit', from: String(version) })}>edit from it</a>
        </span>
      ),
    },
  ];
  return (
    <Reading read={read} what="Reading the versions">
      {({ versions, total }) => {
        const newest = versions[0]?.version ?? 1;
        const after = Number(query.get('b') ?? newest);
        const before = Number(query.get('a') ?? after - 1);
        const one = versions.find(({ version }) => version === before);
        const other = versions.find(({ version }) => version === after);
        return (
          <>
            <Table
              label="Versions"
              columns={columns}
              rows={versions}
              idOf={({ version }) => String(version)}
              total={total}
            />
            {versions.length < 2 ? (
              <Empty>There is only one version. Each change stores the next one.</Empty>
            ) : (
              <section class="card stack" aria-labelledby="differences">
                <div class="workflows-acts">
                  <h2 id="differences">Differences</h2>
                  <VersionChoice label="from" name="a" versions={versions} value={before} />
                  <VersionChoice label="to" name="b" versions={versions} value={after} />
                  <CurlButton calls={[{ label: 'Versions', call: read.call }]} />
                </div>
                {one === undefined || other === undefined ? (
                  <Empty>One of these versions is not kept. Choose two of those above.</Empty>
                ) : (
                  <DiffView
                    key={`${before} ${after}`}
                    before={{ definition: one, text: toText(one) }}
                    after={{ definition: other, text: toText(other) }}
                  />
                )}
              </section>
            )}
          </>
        );
      }}
    </Reading>
  );
}

interface VersionChoiceProps {
  readonly label: string;
  readonly name: 'a' | 'b';
  readonly versions: readonly Workflow[];
  readonly value: number;
}

function VersionChoice({ label, name, versions, value }: VersionChoiceProps) {
  return (
    <div class="workflows-choice">
      <Field label={label}>
        {(control) => (
          <select
            {...control}
            value={String(value)}
            onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}
          >
            {versions.map(({ version }) => (
              <option key={version} value={String(version)}>
                version {version}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
