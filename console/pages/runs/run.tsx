import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../app/messages.tsx';
import { setQuery } from '../../app/router.ts';
import { mayChange } from '../../app/settings.ts';
import { shortId } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Failed, Loading, Notice } from '../../ui/states.tsx';
import { lookOf } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { RunActions } from './actions/actions.tsx';
import type { Opened } from './actions/opened.ts';
import { Waits } from './actions/waits.tsx';
import { Facts } from './facts.tsx';
import { firstToSee, progressOf } from './logic/plan.ts';
import { type Run, readDefinition, readFirstEvents } from './logic/reads.ts';
import { useDefinition, useEffects, useRun, useRunEvents } from './use-run.ts';
import { Compare } from './views/compare.tsx';
import { RecordView } from './views/data.tsx';
import { EventsView } from './views/events.tsx';
import { GraphView } from './views/graph.tsx';
import { Inspector } from './views/inspector.tsx';
import { StepsView } from './views/steps.tsx';
import { WaterfallView } from './views/waterfall.tsx';

const crumbs = [{ label: 'Runs', href: '#/runs' }];

/** The page of one run. */
export function RunPage({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const read = useRun(id);
  const run = read.value;
  if (run === undefined) {
    return (
      <>
        <PageHead
          title={`Run ${shortId(id)}`}
          id={id}
          crumbs={crumbs}
          calls={[{ label: 'The run', call: read.call }]}
        />
        {read.error === undefined ? (
          <Loading what="Reading the run" rows={6} />
        ) : (
          <Failed error={read.error} retry={read.reload} />
        )}
      </>
    );
  }
  return (
    <>
      {read.error && <Failed error={read.error} retry={read.reload} />}
      <LoadedRun key={id} run={run} query={query} reload={read.reload} call={read.call} />
    </>
  );
}

interface LoadedRunProps {
  readonly run: Run;
  readonly query: URLSearchParams;
  readonly reload: () => void;
  readonly call: ReturnType<typeof useRun>['call'];
}

function LoadedRun({ run, query, reload, call }: LoadedRunProps) {
  const definition = useDefinition(run);
  const effects = useEffects();
  const events = useRunEvents(run);
  const isAsked = query.get('open') === 'retry' && run.actions.includes('retry');
  const [opened, setOpened] = useState<Opened>(() =>
    isAsked && mayChange() ? { kind: 'retry' } : undefined,
  );
  const open = (next: Opened): void => {
    setOpened(next);
    if (query.has('open')) setQuery({ open: null }, { replace: true });
  };
  const view = query.get('view') ?? 'graph';
  const other = query.get('compare') ?? undefined;
  // As the run was when it was opened: nothing moves under the pointer.
  const [first] = useState(() => firstToSee(run));
  const own = query.get('step') ?? undefined;
  const chosen = own ?? first;
  const [stepId = ''] = chosen?.split(':') ?? [];
  const step = Object.hasOwn(run.step_results, stepId) ? run.step_results[stepId] : undefined;
  const { ended, all } = progressOf(run);
  const origin = events.events[0];
  const shared = { run, definition: definition.value, effects };
  const told = useRef(run.status);
  useEffect(() => {
    if (told.current !== run.status) announce(`The run is ${lookOf(run.status).word}`);
    told.current = run.status;
  }, [run.status]);
  const select = (id: string): void => setQuery({ step: id }, { replace: own !== undefined });

  return (
    <>
      <PageHead
        title={run.workflow_name}
        id={run.execution_id}
        crumbs={crumbs}
        facts={<Facts run={run} origin={origin} />}
        actions={
          <RunActions
            {...shared}
            opened={opened}
            onOpen={open}
            chosen={own && step?.step_id}
            onDone={reload}
          />
        }
        calls={[
          { label: 'The run', call },
          { label: 'Its definition', call: readDefinition(run.workflow_id, run.version) },
          { label: 'Its events', call: readFirstEvents(run.workflow_id, run.execution_id) },
        ]}
      />
      {run.error !== null && (
        <Notice tone={run.status === 'FAILED' ? 'bad' : 'plain'}>
          <p class="runs-error">{run.error}</p>
        </Notice>
      )}
      <Waits run={run} onOpen={open} />
      {definition.error && definition.error.status !== 404 && (
        <Failed error={definition.error} retry={definition.reload} />
      )}
      {other !== undefined ? (
        <Compare run={run} other={other} />
      ) : (
        <>
          <Tabs
            label="Views of the run"
            current={view}
            tabs={[
              { name: 'graph', label: 'Graph' },
              { name: 'waterfall', label: 'Waterfall' },
              { name: 'steps', label: `Steps ${ended}/${all}` },
              { name: 'events', label: 'Events', count: events.events.length },
              { name: 'data', label: 'Data' },
            ]}
          />
          {view === 'events' ? (
            <EventsView events={events} query={query} />
          ) : view === 'data' ? (
            <RecordView run={run} definition={definition.value} />
          ) : (
            <div class={step === undefined ? 'stack' : 'split'}>
              <div class="stack">
                {view === 'waterfall' ? (
                  <WaterfallView
                    {...shared}
                    events={events.events}
                    selected={step?.step_id}
                    onSelect={select}
                  />
                ) : view === 'steps' ? (
                  <StepsView {...shared} selected={chosen} onSelect={select} />
                ) : (
                  <GraphView {...shared} selected={step?.step_id} onSelect={select} />
                )}
              </div>
              {step !== undefined && (
                <Inspector
                  {...shared}
                  result={step}
                  chosen={own ?? ''}
                  events={events.events}
                  onOpen={open}
                />
              )}
            </div>
          )}
        </>
      )}
    </>
  );
}
