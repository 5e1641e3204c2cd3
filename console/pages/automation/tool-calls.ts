import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';

/** Reads all tools. */
export const readTools = (api: Client) => api.tools.$get({ query: { include: 'effect,source,stats' } });

/** A tool as the API tells of it. */
export type Tool = Answered<typeof readTools>['tools'][number];
