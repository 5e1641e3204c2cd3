import { type ClientRequestOptions, hc } from 'hono/client';
import type { HttpApp } from './app.ts';

/** A typed HTTP client of the service. Its paths, requests and responses have the types of the routes. */
export type Client = ReturnType<typeof hc<HttpApp>>;

/**
 * Creates a client for the service at `baseUrl`, which includes the path that the service is mounted under. `options`
 * are those of Hono's `hc`, such as `headers` for the API key, or `fetch`.
 */
export function createClient(baseUrl: string, options?: ClientRequestOptions): Client {
  return hc<HttpApp>(baseUrl, options);
}
