import { type Call, send } from '../api/call.ts';
import { hrefTo } from './router.ts';

/** A place that a text may mean. */
export interface Found {
  readonly href: string;
  readonly label: string;
  readonly kind: string;
}

/** A possible id: those of the service are UUIDs; workflows and conversations may have others. */
const idLike = /^(?=.{8}|.*\d)\S{3,128}$/;

/** Workflows whose names are searched, and how many of them are shown. */
const MAX_SEARCHED = 1_000;
const MAX_NAMED = 8;

/** The records that have the id `text`, and the workflows whose name contains it. */
export async function findPlaces(text: string): Promise<readonly Found[]> {
  const [byId, named] = await Promise.all([
    idLike.test(text) ? Promise.all(lookUps(text).map(find)) : [],
    findNamed(text.toLowerCase()),
  ]);
  return [...byId.flat(), ...named];
}

/** The newest workflows whose name contains a text, page by page until enough are found. */
async function findNamed(wanted: string): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let offset = 0, total = 1; offset < Math.min(total, MAX_SEARCHED) && found.length < MAX_NAMED; ) {
    const query = { limit: '200', offset: String(offset) };
    const page = await send((api) => api.workflows.$get({ query })).catch(() => undefined);
    if (page === undefined || page.workflows.length === 0) break;
    const fit = page.workflows.filter(({ name }) => name.toLowerCase().includes(wanted));
    found.push(
      ...fit.map(({ id, name }) => ({ href: hrefTo(['workflows', id]), label: name, kind: 'workflow' })),
    );
    total = page.total;
    offset += page.workflows.length;
  }
  return found.slice(0, MAX_NAMED);
}

function lookUps(id: string): readonly (Found & { readonly call: Call })[] {
  const param = { id };
  const looked: readonly (Omit<Found, 'label'> & { readonly call: Call })[] = [
    {
      kind: 'run',
      href: hrefTo(['runs', id]),
      call: (api) => api.runs[':execution_id'].$get({ param: { execution_id: id } }),
    },
    {
      kind: 'message',
      href: hrefTo(['messages', id]),
      call: (api) => api.trace[':trace_id'].$get({ param: { trace_id: id } }),
    },
    { kind: 'inbox item', href: hrefTo(['inbox', id]), call: (api) => api.inbox[':id'].$get({ param }) },
    {
      kind: 'workflow',
      href: hrefTo(['workflows', id]),
      call: (api) => api.workflows[':id'].$get({ param }),
    },
    {
      kind: 'routed goal',
      href: hrefTo(['routing', id]),
      call: (api) => api.agents.routes[':routing_id'].$get({ param: { routing_id: id } }),
    },
    {
      kind: 'conversation',
      href: hrefTo(['messages'], { conversation: id }),
      call: (api) => api.conversations[':id'].$get({ param }),
    },
    {
      kind: 'schedule',
      href: hrefTo(['automation', id]),
      call: (api) => api.schedules[':id'].$get({ param }),
    },
  ];
  return looked.map((one) => ({ ...one, label: id }));
}

/** The place of a record, if there is one with that id. */
const find = ({ call, ...found }: Found & { readonly call: Call }): Promise<readonly Found[]> =>
  send(call).then(
    () => [found],
    () => [],
  );
