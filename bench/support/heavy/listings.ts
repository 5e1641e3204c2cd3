import { ask } from '../ask.ts';
import { prose } from '../prose.ts';
import type { Server } from '../servers.ts';
import { batch, type Heavy, LONGEST, ROOM } from './messages.ts';
import { dense, small } from './workflows.ts';

/** Items that one page may have. */
const PAGE = 200;

/** Runs with the largest input that memory keeps (64 MiB). */
const RUNS = 63;

/** The largest pages, of records that are stored for them; `definitions` says how many of the largest definitions. */
export async function heavyListings(service: Server, definitions: number): Promise<Heavy[]> {
  for (let traces = 0; traces < PAGE; traces += 100) await ask(service, batch(100, 10_240));
  const route = { method: 'POST', path: '/agents/route', body: { goal: prose(LONGEST), subtasks: [] } };
  for (let routes = 0; routes < PAGE; routes++) await ask(service, route);
  const { id } = await ask<{ id: string }>(service, small());
  const run = { method: 'POST', path: `/workflows/${id}/run`, body: { input: { text: prose(ROOM) } } };
  for (let runs = 0; runs < RUNS; runs++) await ask(service, run);
  for (let defined = 0; defined < definitions; defined++) await ask(service, dense());
  const page = (name: string, path: string): Heavy => ({
    name,
    request: { method: 'GET', path: `${path}?limit=${PAGE}` },
  });
  return [
    page('page of 200 traces of 10,000 characters or more', '/trace/'),
    page('page of 200 routes, nearly all of the longest goals', '/agents/routes'),
    page(`page of ${RUNS} runs of 1 MiB of input`, `/workflows/${id}/runs`),
    page(`page of up to 200 definitions, ${definitions} of them dense to 1 MiB`, '/workflows'),
  ];
}
