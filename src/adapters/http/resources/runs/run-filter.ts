import { z } from '@hono/zod-openapi';
import { runStatuses } from '../../../../domain/run/run.ts';
import type { RunFilter } from '../../../../ports/storage/run-log.ts';
import { statusListSchema, timeRangeShape, toFilter } from '../listing/filters.ts';

/** The query parameters that choose executions. */
export const runFilterSchema = z.object({ status: statusListSchema(runStatuses), ...timeRangeShape });

/** The runs that the query of a listing includes; undefined for all. */
export function toRunFilter(query: z.output<typeof runFilterSchema>): RunFilter | undefined {
  const { status: statuses, since, until } = query;
  return toFilter({ statuses, since, until });
}
