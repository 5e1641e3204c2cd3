import { type ClientRequestOptions, hc } from 'hono/client';
import type { HttpApp } from './app.ts';

/** A client of the service over HTTP, with every path, request and reply typed by the routes themselves. */
export type Client = ReturnType<typeof hc<HttpApp>>;

/**
 * A client for the service at `baseUrl`, the path that it is mounted under included. `options` are those of Hono's
 * `hc`: `headers` for the API key, `fetch` for another way there.
 */
export function createClient(baseUrl: string, options?: ClientRequestOptions): Client {
  return hc<HttpApp>(baseUrl, options);
}
