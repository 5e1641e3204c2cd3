import { useMemo } from 'preact/hooks';
import { useRead } from '../../api/use-read.ts';
import { Effect } from '../../ui/effect.tsx';
import { Notice } from '../../ui/states.tsx';
import { readAgents, readTools, type Workflow } from './api.ts';
import { acts, effectsOf, type KnownEffects, type StepEffect } from './effects.ts';

/** The effects of all tools and agents, as the service tells them now; undefined while they are read. */
export function useKnownEffects(): KnownEffects | undefined {
  const { value: tools } = useRead('tools with effects', readTools);
  const { value: agents } = useRead('agents with effects', readAgents);
  return useMemo(
    () =>
      tools &&
      agents && {
        tools: new Map(tools.tools.map(({ name, effect }) => [name, effect ?? 'unknown'])),
        agents: new Map(agents.agents.map(({ name, effect }) => [name, effect ?? 'unknown'])),
      },
    [tools, agents],
  );
}

/** The effects of a run on the world: the steps that act first, then all others. */
export function EffectsList({ workflow }: { readonly workflow: Workflow }) {
  const known = useKnownEffects();
  const effects = known && effectsOf(workflow.steps, known);
  if (effects === undefined) return <p class="faint">Reading the effects of the steps …</p>;
  const acting = effects.filter(({ effect }) => acts(effect));
  const missing = effects.filter(({ effect }) => effect === 'unknown');
  const others = effects.filter(({ effect }) => !acts(effect));
  return (
    <>
      {acting.length === 0 ? (
        <Notice tone="good">No step acts: the run changes nothing outside the service.</Notice>
      ) : (
        <Notice tone="warn">
          {acting.length === 1 ? 'One step changes' : `${acting.length} steps change`} something outside the
          service, in this run and in each later one.
        </Notice>
      )}
      {missing.length > 0 && (
        <Notice tone="bad">
          Not registered now, so that these steps fail:{' '}
          {missing
            .slice(0, 10)
            .map(({ id }) => id)
            .join(', ')}
          {missing.length > 10 && ` and ${missing.length - 10} more`}
        </Notice>
      )}
      {acting.length > 0 && <EffectTable effects={acting} label="Steps that act" />}
      {others.length > 0 && (
        <details>
          <summary>{others.length === 1 ? 'The other step' : `The ${others.length} other steps`}</summary>
          <EffectTable effects={others} label="Other steps" />
        </details>
      )}
    </>
  );
}

function EffectTable({
  effects,
  label,
}: {
  readonly effects: readonly StepEffect[];
  readonly label: string;
}) {
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th>step</th>
          <th>calls</th>
          <th>effect</th>
        </tr>
      </thead>
      <tbody>
        {effects.slice(0, 200).map(({ id, calls, effect }) => (
          <tr key={id}>
            <td>{id}</td>
            <td class="workflows-break">{calls}</td>
            <td>
              <Effect of={effect} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
