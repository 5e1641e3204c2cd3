import { useEffect, useState } from 'preact/hooks';
import { type Answered, type Call, CallError, send } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { Action } from '../../ui/action.tsx';
import { TextField } from '../../ui/fields.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Failed, Notice } from '../../ui/states.tsx';
import { Goal } from './goal.tsx';
import { type EditedSubtask, SubtaskEditor, toSubtasks } from './subtask-editor.tsx';

const plan = (goal: string) => (api: Client) =>
  api.agents.route.$post({ query: { dry_run: 'true' }, json: { goal } });

type Plan = Answered<ReturnType<typeof plan>>;

/** A place to try a goal: how it would be split is shown first, and nothing is sent until the reader says so. */
export function Try({ query }: { readonly query: URLSearchParams }) {
  const [goal, setGoal] = useState('');
  const [planned, setPlanned] = useState<Plan>();
  const [error, setError] = useState<CallError>();
  const [edited, setEdited] = useState<readonly EditedSubtask[]>();
  const from = query.get('from');

  useEffect(() => {
    if (from === null) return;
    send((api) => api.agents.routes[':routing_id'].$get({ param: { routing_id: from } })).then(
      (routed) => setGoal((text) => (text === '' ? routed.goal : text)),
      (thrown: unknown) => thrown instanceof CallError && setError(thrown),
    );
  }, [from]);

  useEffect(() => {
    setPlanned(undefined);
    if (goal.trim() === '') return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      send(plan(goal)).then(
        (value) => {
          if (!isCurrent) return;
          setPlanned(value);
          setError(undefined);
        },
        (thrown: unknown) => isCurrent && thrown instanceof CallError && setError(thrown),
      );
    }, 300);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [goal]);

  const subtasks = edited && toSubtasks(edited);
  const route: Call = (api) =>
    api.agents.route.$post({
      json: { goal, ...(Array.isArray(subtasks) && { subtasks: [...subtasks] }) },
    });
  return (
    <>
      <PageHead
        title="Try a goal"
        crumbs={[{ label: 'Routing', href: '#/routing' }]}
        calls={[{ label: 'How it would be split', call: plan(goal) }]}
      />
      <section class="card stack">
        <TextField
          label="Goal"
          value={goal}
          onChange={setGoal}
          lines={4}
          hint="As you type, it is split as it would be. Nothing is sent to an agent."
        />
        {error && <Failed error={error} />}
      </section>
      {planned === undefined && error === undefined && (
        <Empty>
          {goal.trim() === ''
            ? 'Write what is to be done, for example: Where is my order A-1234? Then echo this.'
            : 'Splitting …'}
        </Empty>
      )}
      {planned && (
        <>
          {planned.error !== null && <Notice tone="warn">{planned.error}</Notice>}
          <Goal goal={planned.goal} clauses={planned.results} unassigned={planned.unassigned} />
          <section class="card stack" aria-labelledby="send">
            <h2 id="send">Send it</h2>
            {edited === undefined ? (
              <div class="routing-acts">
                <button
                  type="button"
                  onClick={() =>
                    setEdited(
                      planned.results.map(({ agent_name, payload }, id) => ({
                        id,
                        agent: agent_name,
                        payload: JSON.stringify(payload, null, 2),
                      })),
                    )
                  }
                >
                  Edit the subtasks first
                </button>
              </div>
            ) : (
              <SubtaskEditor subtasks={edited} onChange={setEdited} onReset={() => setEdited(undefined)} />
            )}
            <div class="routing-acts">
              <Action
                label="Send to the agents"
                tone="main"
                call={route}
                disabled={
                  typeof subtasks === 'string' || (edited === undefined && planned.results.length === 0)
                }
                onDone={(value) => {
                  const id = routingId(value);
                  if (id !== undefined) goTo(hrefTo(['routing', id]));
                }}
              />
              {typeof subtasks === 'string' && <span class="field-error">{subtasks}</span>}
            </div>
          </section>
        </>
      )}
    </>
  );
}

function routingId(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('routing_id' in value)) return undefined;
  return typeof value.routing_id === 'string' ? value.routing_id : undefined;
}
