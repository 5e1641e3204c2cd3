import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';

/** The states of an example. */
export const statuses = ['proposed', 'accepted', 'rejected'] as const;

/** Reads a page of examples. */
export const readExamples =
  (id: string, status: (typeof statuses)[number] | undefined, cursor: string | undefined) => (api: Client) =>
    api.datasets[':id'].examples.$get({
      param: { id },
      query: { limit: '50', ...(status && { status }), ...(cursor && { cursor }) },
    });

/** An example as the API tells of it. */
export type Example = Answered<ReturnType<typeof readExamples>>['examples'][number];
