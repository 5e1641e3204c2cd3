import { type Call, send } from '../api/call.ts';
import { hrefTo } from './router.ts';

/** A place that a text may mean. */
export interface Found {
  readonly href: string;
  readonly label: string;
  readonly kind: string;
}

/** Ids of the service are UUIDs; workflows and conversations may have others. */
const idLike = /^[\w.:-]{8,128}$/;

/** The records that have the id `text`, and the workflows whose name contains it. */
export async function findPlaces(text: string): Promise<readonly Found[]> {
  const byId = idLike.test(text) ? await Promise.all(lookUps(text).map(find)) : [];
  const workflows = await send((api) => api.workflows.$get({ query: { limit: '200' } })).catch(
    () => undefined,
  );
  const wanted = text.toLowerCase();
  const named = (workflows?.workflows ?? [])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .slice(0, 8)
    .map(({ id, name }): Found => ({ href: hrefTo(['workflows', id]), label: name, kind: 'workflow' }));
  return [...byId.flat(), ...named];
}

interface LookUp {
  readonly found: Found;
  readonly call: Call;
}

function lookUps(id: string): readonly LookUp[] {
  const found = (page: string, kind: string, ...more: readonly string[]): Found => ({
    href: hrefTo([page, ...more, id]),
    label: id,
    kind,
  });
  return [
    {
      found: found('runs', 'run'),
      call: (api) => api.runs[':execution_id'].$get({ param: { execution_id: id } }),
    },
    {
      found: found('messages', 'message'),
      call: (api) => api.trace[':trace_id'].$get({ param: { trace_id: id } }),
    },
    { found: found('inbox', 'inbox item'), call: (api) => api.inbox[':id'].$get({ param: { id } }) },
    { found: found('workflows', 'workflow'), call: (api) => api.workflows[':id'].$get({ param: { id } }) },
    {
      found: found('routing', 'routed goal'),
      call: (api) => api.agents.routes[':routing_id'].$get({ param: { routing_id: id } }),
    },
  ];
}

async function find({ found, call }: LookUp): Promise<readonly Found[]> {
  return send(call).then(
    () => [found],
    () => [],
  );
}
