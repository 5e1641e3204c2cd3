import { useMemo } from 'preact/hooks';
import { setQuery } from '../../app/router.ts';
import { Graph } from '../../graph/graph.tsx';
import { toGraph } from '../../graph/to-graph.ts';
import { Effect } from '../../ui/effect.tsx';
import { Json } from '../../ui/json.tsx';
import { Notice } from '../../ui/states.tsx';
import type { Workflow } from './api.ts';
import { effectsOf, type StepEffect } from './effects.ts';
import { useKnownEffects } from './effects-list.tsx';

/** The definition as a graph, with the chosen step beside it. */
export function GraphView({
  workflow,
  query,
}: {
  readonly workflow: Workflow;
  readonly query: URLSearchParams;
}) {
  const known = useKnownEffects();
  const { nodes, edges } = useMemo(() => toGraph(workflow, { effects: known }), [workflow, known]);
  const chosen = query.get('step') ?? undefined;
  const step = workflow.steps.find(({ id }) => id === chosen);
  return (
    <>
      <Warnings warnings={workflow.warnings} />
      <div class={step === undefined ? 'stack' : 'split'}>
        <section class="card stack" aria-label="Graph">
          <Graph
            label={`Steps of ${workflow.name}`}
            nodes={nodes}
            edges={edges}
            selected={chosen}
            onSelect={(id) => setQuery({ step: id === chosen ? null : id }, { replace: true })}
          />
          {step === undefined && (
            <p class="faint">Choose a step to see what it calls, when it runs, and what it gets.</p>
          )}
        </section>
        {step && (
          <section class="card stack" aria-label="The chosen step">
            <StepFacts step={step} effect={known && effectsOf([step], known)[0]} />
          </section>
        )}
      </div>
    </>
  );
}

/** The warnings of a definition. */
function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn">
      <ul>
        {warnings.map((warning, index) => (
          <li key={index}>{warning}</li>
        ))}
      </ul>
    </Notice>
  );
}

interface StepFactsProps {
  readonly step: Workflow['steps'][number];
  readonly effect: StepEffect | undefined;
}

function StepFacts({ step, effect }: StepFactsProps) {
  const { id, kind, tool_name, agent_name, workflow_id, depends_on, static_input, ...others } = step;
  const rest = Object.entries(others).filter(([, value]) => value !== undefined);
  const called = tool_name ?? agent_name;
  return (
    <>
      <h2>{id}</h2>
      <dl class="pairs">
        <dt>kind</dt>
        <dd>{kind}</dd>
        {called !== undefined && (
          <>
            <dt>calls</dt>
            <dd>{called}</dd>
          </>
        )}
        {workflow_id !== undefined && (
          <>
            <dt>runs</dt>
            <dd>
              <a href={`#/workflows/${encodeURIComponent(workflow_id)}`}>{workflow_id}</a>
            </dd>
          </>
        )}
        {effect && (
          <>
            <dt>effect</dt>
            <dd>
              <Effect of={effect.effect} />
            </dd>
          </>
        )}
        <dt>after</dt>
        <dd>
          {depends_on.length === 0 ? <span class="faint">nothing: it begins</span> : depends_on.join(', ')}
        </dd>
        {rest
          .filter(([, value]) => typeof value !== 'object')
          .map(([name, value]) => (
            <div key={name} class="workflows-pair">
              <dt>{name}</dt>
              <dd>
                <code>{String(value)}</code>
              </dd>
            </div>
          ))}
      </dl>
      <h3>static_input</h3>
      <Json value={static_input} label={`static_input of ${id}`} />
      {rest
        .filter(([, value]) => typeof value === 'object')
        .map(([name, value]) => (
          <div key={name} class="stack">
            <h3>{name}</h3>
            <Json value={value} label={`${name} of ${id}`} />
          </div>
        ))}
    </>
  );
}
