import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answered } from '../../../api/call.ts';
import type { Client } from '../../../api/client.ts';
import { Graph } from '../../../graph/graph.tsx';
import { toGraph, withStatuses } from '../../../graph/to-graph.ts';
import { Effect } from '../../../ui/effect.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { Json } from '../../../ui/json.tsx';
import { Notice } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import type { Workflow } from '../api.ts';
import { acts, effectsOf } from '../effects.ts';
import { useKnownEffects } from '../effects-list.tsx';

const example = (api: Client) => api.workflows[':id'].simulate.$post({ param: { id: '' }, json: {} });
/** The answer to a simulation. */
export type SimulatedRun = Answered<typeof example>;

interface SimulatedProps {
  readonly workflow: Workflow;
  readonly run: SimulatedRun;
}

type Result = SimulatedRun['step_results'][string];

/** The end of a simulated run: on the graph, and step by step. */
export function Simulated({ workflow, run }: SimulatedProps) {
  const [selected, setSelected] = useState<string>();
  const head = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => head.current?.focus(), [run]);
  const effects = useKnownEffects();
  const known = effects === undefined ? [] : effectsOf(workflow.steps, effects);
  const effectOf = new Map(known.map(({ id, effect }) => [id, effect]));
  const results = Object.values(run.step_results).toSorted((one, other) => one.layer - other.layer);
  const wouldAct = results.filter(
    ({ step_id, attempts }) => attempts > 0 && acts(effectOf.get(step_id) ?? ''),
  );
  const { nodes, edges } = useMemo(() => {
    const graph = toGraph(workflow, { effects });
    return { ...graph, nodes: withStatuses(graph.nodes, run) };
  }, [workflow, run, effects]);
  const chosen = results.find(({ step_id }) => step_id === selected);
  return (
    <section class="card stack" aria-labelledby="simulated">
      <h2 id="simulated" ref={head} tabIndex={-1}>
        Simulated: <Status of={run.status} />{' '}
        <span class="faint">in {formatDuration(run.duration_ms)} of simulated time</span>
      </h2>
      {run.error !== null && <Notice tone="bad">{run.error}</Notice>}
      {wouldAct.length > 0 && (
        <Notice tone="warn">
          A real run would change something outside the service in:{' '}
          {wouldAct.map(({ step_id }) => step_id).join(', ')}
        </Notice>
      )}
      <Graph
        label="The simulated run"
        nodes={nodes}
        edges={edges}
        selected={selected}
        onSelect={(id) => setSelected(id === selected ? undefined : id)}
      />
      <div class="split">
        <Table
          label="Steps, in the order of their layers"
          columns={columns(effectOf)}
          rows={results}
          idOf={({ step_id }) => step_id}
          selected={selected}
          onSelect={({ step_id }) => setSelected(step_id)}
        />
        <div class="stack">
          {chosen ? (
            <>
              <h3>{chosen.step_id}</h3>
              {chosen.error !== null && <p class="tone-bad">{chosen.error}</p>}
              {chosen.why !== undefined && <Why why={chosen.why} />}
              <Json value={chosen.output} label={`Output of ${chosen.step_id}`} />
            </>
          ) : (
            <>
              <h3>Output of the run</h3>
              <Json value={run.output} label="Output of the run" />
            </>
          )}
        </div>
      </div>
    </section>
  );
}

/** The reason of a step's skip. */
function Why({ why: { expression, value } }: { readonly why: NonNullable<Result['why']> }) {
  const found = value === false ? 'false' : Object.entries(value).map(([id, status]) => `${id} is ${status}`);
  return (
    <p>
      Skipped: <code>{expression}</code>, {typeof found === 'string' ? found : found.join(', ')}
    </p>
  );
}

const columns = (effectOf: ReadonlyMap<string, string>): readonly Column<Result>[] => [
  { name: 'layer', label: 'layer', width: '3.5rem', isNumber: true, cell: ({ layer }) => layer + 1 },
  { name: 'step', label: 'step', width: 'minmax(7rem, 1fr)', cell: ({ step_id }) => step_id },
  { name: 'status', label: 'status', width: '7.5rem', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'effect',
    label: 'effect',
    width: '8.5rem',
    cell: ({ step_id }) => effectOf.get(step_id) && <Effect of={effectOf.get(step_id) ?? ''} />,
  },
  { name: 'attempts', label: 'attempts', width: '5rem', isNumber: true, cell: ({ attempts }) => attempts },
  {
    name: 'took',
    label: 'took',
    width: '5rem',
    isNumber: true,
    cell: ({ duration_ms }) => formatDuration(duration_ms),
  },
];
