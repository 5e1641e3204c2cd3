import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';

/** Reads a routed goal. */
export const readRouted = (id: string) => (api: Client) =>
  api.agents.routes[':routing_id'].$get({ param: { routing_id: id } });

/** A routed goal as the API tells of it. */
export type RoutedGoal = Answered<ReturnType<typeof readRouted>>;
