import { sendJson } from '../load/send.ts';
import type { Server } from '../process/servers.ts';
import { type LargeInput, MAX_MESSAGE_LENGTH, MAX_PAYLOAD_BYTES, postBatch } from './largest-messages.ts';
import { defineDense, defineOneStep } from './largest-workflows.ts';
import { ticketText } from './text.ts';

/** The largest page, in items. */
const PAGE_LIMIT = 200;

/** Runs with the largest input that fit into the store in memory (64 MiB). */
const RUNS = 63;

/** Stores large records and returns requests for pages of them; `definitions` is the number of large definitions. */
export async function largestPages(service: Server, definitions: number): Promise<LargeInput[]> {
  for (let traces = 0; traces < PAGE_LIMIT; traces += 100) await sendJson(service, postBatch(100, 10_240));
  const route = {
    method: 'POST',
    path: '/agents/route',
    body: { goal: ticketText(MAX_MESSAGE_LENGTH), subtasks: [] },
  };
  for (let routes = 0; routes < PAGE_LIMIT; routes++) await sendJson(service, route);
  const { id } = await sendJson<{ id: string }>(service, defineOneStep());
  const run = {
    method: 'POST',
    path: `/workflows/${id}/run`,
    body: { input: { text: ticketText(MAX_PAYLOAD_BYTES) } },
  };
  for (let runs = 0; runs < RUNS; runs++) await sendJson(service, run);
  for (let defined = 0; defined < definitions; defined++) await sendJson(service, defineDense());
  const page = (name: string, path: string): LargeInput => ({
    name,
    request: { method: 'GET', path: `${path}?limit=${PAGE_LIMIT}` },
  });
  return [
    page('page of 200 traces of 10,000 characters or more', '/trace/'),
    page('page of 200 routes, nearly all of the longest goals', '/agents/routes'),
    page(`page of ${RUNS} runs of 1 MiB of input`, `/workflows/${id}/runs`),
    page(`page of up to 200 definitions, ${definitions} of them dense to 1 MiB`, '/workflows'),
  ];
}
