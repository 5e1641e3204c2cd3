import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { Action } from '../../ui/action.tsx';
import { formatDuration, formatTime, shortId } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Notice, Reading } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Goal } from './goal.tsx';
import { Lanes } from './lanes.tsx';
import { readRouted } from './routed-goal.ts';

/** One routed goal: its clauses by agent, and what each agent made of them. */
export function Routed({ id }: { readonly id: string }) {
  const read = useRead(`route ${id}`, readRouted(id));
  const { value } = read;
  const edit = (): void => {
    if (value !== undefined) goTo(hrefTo(['routing'], { view: 'try', from: id }));
  };
  useKeys('Routing', [
    { key: 't', label: 'try this goal again', run: edit },
    { key: 'l', label: 'back to the list', run: () => goTo('#/routing') },
  ]);
  return (
    <>
      <PageHead
        title={`Goal ${shortId(id)}`}
        id={id}
        crumbs={[{ label: 'Routing', href: '#/routing' }]}
        facts={
          value && (
            <>
              <Status of={value.status} />
              <span>split by {value.decomposition}</span>
              <span class="number">{formatDuration(value.duration_ms)}</span>
              <span>{formatTime(value.created_at)}</span>
              {value.customer_id !== null && <span>customer {value.customer_id}</span>}
            </>
          )
        }
        actions={
          read.error?.status !== 404 && (
            <>
              <button type="button" disabled={value === undefined} onClick={edit}>
                Try again, with changes <kbd>t</kbd>
              </button>
              <Action
                label="Delete"
                tone="bad"
                call={(api) => api.agents.routes[':routing_id'].$delete({ param: { routing_id: id } })}
                confirm={<p>The goal and the traces of its messages are deleted for good.</p>}
                done="The goal is deleted."
                onDone={() => goTo('#/routing')}
              />
            </>
          )
        }
        calls={[{ label: 'The routed goal', call: read.call }]}
      />
      <Reading read={read} what="Reading the goal">
        {(routed) => (
          <>
            {routed.error !== null && <Notice tone="warn">{routed.error}</Notice>}
            <Goal goal={routed.goal} clauses={routed.results} unassigned={routed.unassigned} />
            <Lanes results={routed.results} />
          </>
        )}
      </Reading>
    </>
  );
}
