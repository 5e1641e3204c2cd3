import { hrefTo } from '../../app/router.ts';
import { formatDuration, shortId } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { numberAgents } from './mark-goal.ts';
import type { RoutedGoal } from './routed-goal.ts';

/** The subtasks side by side: all start together, and the length of a bar is how long its agent took. */
export function Lanes({ results }: { readonly results: RoutedGoal['results'] }) {
  const longest = Math.max(1, ...results.map(({ duration_ms }) => duration_ms));
  const numbers = numberAgents(results);
  return (
    <section class="card" aria-labelledby="lanes">
      <h2 id="lanes">Subtasks</h2>
      {results.length === 0 && <Empty>Nothing was sent to any agent.</Empty>}
      <ol class="routing-lanes">
        {results.map((result) => {
          const { task_id, agent_name, status, duration_ms, output, error, payload } = result;
          const of = numbers.get(agent_name);
          const traceId = output?.['trace_id'];
          return (
            <li key={task_id}>
              <div class="routing-lane">
                <span>
                  <span class={`routing-${of?.tone}`}>{of?.number}</span> {agent_name}
                </span>
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect
                    class={status === 'failed' ? 'fill-bad' : 'fill-accent'}
                    width={Math.max(0.5, (duration_ms / longest) * 100)}
                    height="10"
                  />
                </svg>
                <span class="number">{formatDuration(duration_ms)}</span>
                <Status of={status} />
              </div>
              {error !== null && <p class="tone-bad">{error}</p>}
              {typeof traceId === 'string' && (
                <p>
                  processed as message <a href={hrefTo(['messages', traceId])}>{shortId(traceId)}</a>
                </p>
              )}
              <details>
                <summary>input and output</summary>
                <div class="columns">
                  <Json value={payload} label={`Input of ${agent_name}`} />
                  <Json value={output} label={`Output of ${agent_name}`} />
                </div>
              </details>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
