import type { Answered, Call } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { isJsonObject } from '../../api/json.ts';
import { useRead } from '../../api/use-read.ts';

/** Schedules on a page: each of them asks for its next times. */
export const PAGE = 20;

/** Reads a page of schedules. */
export const readSchedules = (offset: number) => (api: Client) =>
  api.schedules.$get({ query: { limit: String(PAGE), offset: String(offset) } });

/** A stored schedule as the API tells of it. */
export type Schedule = Answered<ReturnType<typeof readSchedules>>['schedules'][number];

const readWorkflows = (api: Client) => api.workflows.$get({ query: { limit: '200' } });

/** The workflows that a schedule may start, as they are shown. `total` is larger where these are only the newest. */
export interface Workflows {
  readonly workflows: readonly { readonly id: string; readonly name: string }[];
  readonly total: number;
}

/** Stands for the workflows until they are read. */
export const noWorkflows: Workflows = { workflows: [], total: 0 };

/** The workflows that schedules may start. */
export const useWorkflows = () =>
  useRead('workflows of schedules', readWorkflows, { stale: ({ type }) => type.startsWith('workflow.') });

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
