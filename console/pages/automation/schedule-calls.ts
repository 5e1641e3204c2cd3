import type { Call } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { isJsonObject } from '../../api/json.ts';
import type { Schedule } from './schedules.tsx';

/** The members of a schedule that a caller chooses. */
type Members = Parameters<Client['schedules']['$post']>[0]['json'];

/** The members of a stored schedule, as a replacement sends them. */
export function membersOf(schedule: Schedule): Members {
  const { workflow_id, cron, timezone, input, overlap, catch_up, enabled } = schedule;
  const members = { workflow_id, cron, timezone, overlap, catch_up, enabled };
  return { ...members, input: isJsonObject(input) ? input : {} };
}

/** Replaces a schedule, unless somebody else has changed it meanwhile. */
export const replace =
  ({ schedule_id, version }: Schedule, json: Members) =>
  (api: Client) =>
    api.schedules[':id'].$put(
      { param: { id: schedule_id }, json },
      { headers: { 'If-Match': `"${version}"` } },
    );

type Saved = Awaited<ReturnType<Client['schedules']['$post'] | ReturnType<typeof replace>>>;

/** Stores a schedule: in place of one, or a new one. */
export const save =
  (schedule: Schedule | undefined, json: Members): Call<Saved> =>
  (api) =>
    schedule === undefined ? api.schedules.$post({ json }) : replace(schedule, json)(api);
