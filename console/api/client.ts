import { type Client, createClient, type EventResponse } from '../../src/entries/client.ts';
import { encodeParams } from './encode-params.ts';

export type { Client, EventResponse } from '../../src/entries/client.ts';

/** Where the API is: the folder above the one that serves the console, with a slash at its end. */
export const apiBase = new URL('..', document.baseURI.replace(/[?#].*$/s, '')).href;

/** Errors come with the place of each fault. */
const headers = { Accept: 'application/json, application/problem+json;q=0.9' };

/** The typed client of the API. The key, where one is needed, is added by the local proxy and never known here. */
export const client: Client = encodeParams(createClient(apiBase.replace(/\/$/, ''), { headers }));

/**
 * The events of a listing, each with the data of its type. The typed client knows the types and the data of events, but
 * not which belong together, as the service promises.
 */
export function toEvents(
  events: readonly { readonly type: EventResponse['type'] }[],
): readonly EventResponse[] {
  return events as readonly EventResponse[];
}
