import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { Action } from '../../ui/action.tsx';
import { formatNumber, shortId } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Notice, Reading } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Age } from '../../ui/time.tsx';
import { isOf, readWorkflow, type Workflow } from './api.ts';
import { keptDraft } from './editor/draft.ts';
import { Editor } from './editor/editor.tsx';
import { GraphView } from './graph-view.tsx';
import { RunView } from './run-view.tsx';
import { RunsView } from './runs-view.tsx';
import { SchedulesView } from './schedules-view.tsx';
import { SimulateView } from './simulate/simulate-view.tsx';
import { VersionsView } from './versions/versions-view.tsx';

const tabs = [
  { name: 'graph', label: 'Graph' },
  { name: 'definition', label: 'Definition' },
  { name: 'versions', label: 'Versions' },
  { name: 'runs', label: 'Runs' },
  { name: 'schedules', label: 'Schedules' },
  { name: 'simulate', label: 'Simulate' },
];

/** One workflow, in the view that the URL names. */
export function One({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const view = query.get('view') ?? 'graph';
  const read = useRead(`workflow ${id}`, readWorkflow(id), { stale: isOf(id) });
  const { value } = read;
  const isMissing = read.error?.status === 404;
  const show = (to: string) => () => goTo(hrefTo(['workflows', id], { view: to }));
  useKeys('Workflow', [
    { key: 'r', label: 'run', run: show('run') },
    { key: 'e', label: 'edit', run: show('edit') },
    { key: 'd', label: 'definition', run: show('definition') },
    { key: 'v', label: 'versions', run: show('versions') },
    { key: 's', label: 'schedules', run: show('schedules') },
    { key: 'm', label: 'simulate with mocks', run: show('simulate') },
    { key: 'n', label: 'new workflow', run: () => goTo(hrefTo(['workflows'], { view: 'new' })) },
    { key: 'l', label: 'back to the list', run: () => goTo('#/workflows') },
  ]);
  const hasDraft = view !== 'edit' && keptDraft(id) !== undefined;
  return (
    <>
      <PageHead
        title={value?.name ?? `Workflow ${shortId(id)}`}
        id={id}
        crumbs={[{ label: 'Workflows', href: '#/workflows' }]}
        facts={value && <Facts workflow={value} />}
        actions={
          !isMissing && (
            <>
              <a class="button button-main" href={hrefTo(['workflows', id], { view: 'run' })}>
                Run <kbd>r</kbd>
              </a>
              <a class="button" href={hrefTo(['workflows', id], { view: 'edit' })}>
                Edit <kbd>e</kbd>
              </a>
              <Action
                label="Delete"
                tone="bad"
                call={(api) => api.workflows[':id'].$delete({ param: { id } })}
                done="The workflow is deleted."
                onDone={() => goTo('#/workflows')}
                confirm={
                  <>
                    <p>“{value?.name ?? id}” is deleted with all its versions. This cannot be undone.</p>
                    <p>
                      Runs that are under way go on, and all runs stay readable. Its schedules stay, but start
                      nothing any more.
                    </p>
                  </>
                }
              />
            </>
          )
        }
        calls={[{ label: 'The workflow', call: read.call }]}
      />
      {value?.description && <p class="faint">{value.description}</p>}
      {!isMissing && <Tabs label="Views of the workflow" tabs={tabs} current={view} />}
      {hasDraft && (
        <Notice tone="warn">
          A text of yours is not saved yet.{' '}
          <a href={hrefTo(['workflows', id], { view: 'edit' })}>Go on with it</a>
        </Notice>
      )}
      <Reading read={read} what="Reading the workflow">
        {(workflow) => <View view={view} workflow={workflow} query={query} reload={read.reload} />}
      </Reading>
    </>
  );
}

function Facts({ workflow }: { readonly workflow: Workflow }) {
  const { key, version, steps, layers, created_at } = workflow;
  return (
    <>
      {key !== undefined && (
        <span>
          key <code>{key}</code>
        </span>
      )}
      <span>version {version}</span>
      <span>
        {counted(steps.length, 'step')} in {counted(layers.length, 'layer')}
      </span>
      <span>
        stored <Age at={created_at} />
      </span>
    </>
  );
}

const counted = (count: number, word: string): string =>
  `${formatNumber(count)} ${count === 1 ? word : `${word}s`}`;

interface ViewProps {
  readonly view: string;
  readonly workflow: Workflow;
  readonly query: URLSearchParams;
  readonly reload: () => void;
}

function View({ view, workflow, query, reload }: ViewProps) {
  switch (view) {
    case 'definition':
      return (
        <section class="card stack" aria-label="Definition">
          <Json value={workflow} label="The definition as it is stored" />
        </section>
      );
    case 'versions':
      return <VersionsView workflow={workflow} query={query} />;
    case 'runs':
      return <RunsView id={workflow.id} query={query} />;
    case 'schedules':
      return <SchedulesView workflow={workflow} />;
    case 'simulate':
      return <SimulateView workflow={workflow} query={query} />;
    case 'run':
      return <RunView workflow={workflow} />;
    case 'edit':
      return <Editor workflow={workflow} query={query} reload={reload} />;
    default:
      return <GraphView workflow={workflow} query={query} />;
  }
}
