// Keeps the file of a demonstration small that runs for days.

import { bodyOf, type Client, tried } from '../client.ts';
import { type Part, repeat } from './repeat.ts';

/** The time for which messages and runs are kept, in milliseconds. */
const KEPT_MS = 2 * 3_600_000;

/** Deletes traces and ended runs that are older than two hours, a few at a time. */
export function cleanUp(client: Client, part: Part): Promise<void> {
  return repeat(part, async () => {
    const until = new Date(Date.now() - KEPT_MS).toISOString();
    const { traces } = await bodyOf(client.trace.index.$get({ query: { until, limit: '50' } }));
    for (const { trace_id } of traces) {
      await tried(client.trace[':trace_id'].$delete({ param: { trace_id } }));
    }
    const query = { until, status: 'COMPLETED,FAILED,CANCELLED', limit: '50' };
    const { executions } = await bodyOf(client.runs.$get({ query }));
    for (const { execution_id } of executions) {
      await tried(client.runs[':execution_id'].$delete({ param: { execution_id } }));
    }
    return traces.length + executions.length === 0 ? 60_000 : 15_000;
  });
}
