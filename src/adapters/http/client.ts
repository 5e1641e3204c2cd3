import { type ClientRequestOptions, hc } from 'hono/client';
import type { HttpApp } from './app.ts';

/**
 * A client of Hono, or a part of it, whose calls demand no query and no headers where each of their members may be left
 * out.
 */
export type RelaxedClient<Node> = {
  [Name in keyof Node]: Name extends '$get' | '$post' | '$put' | '$patch' | '$delete'
    ? Node[Name] extends (args: infer Parts extends object, options?: ClientRequestOptions) => infer Result
      ? {
          [Part in keyof Parts & ('query' | 'header')]: Partial<Parts[Part]> extends Parts[Part]
            ? Part
            : never;
        }[keyof Parts & ('query' | 'header')] extends infer Optional extends keyof Parts
        ? Partial<Omit<Parts, Optional>> extends Omit<Parts, Optional>
          ? (args?: Partial<Parts>, options?: ClientRequestOptions) => Result
          : (
              args: Omit<Parts, Optional> & Partial<Pick<Parts, Optional>>,
              options?: ClientRequestOptions,
            ) => Result
        : never
      : Node[Name]
    : Name extends `$${string}`
      ? Node[Name]
      : RelaxedClient<Node[Name]>;
};

/**
 * A typed HTTP client of the service. Its paths, requests and responses have the types of the routes, and their
 * parameters the names of the API.
 */
export type Client = RelaxedClient<ReturnType<typeof hc<HttpApp>>>;

/**
 * Creates a client for the service at `baseUrl`, which includes the path that the service is mounted under. `options`
 * are those of Hono's `hc`, such as `headers` for the API key, or `fetch`.
 */
export function createClient(baseUrl: string, options?: ClientRequestOptions): Client {
  // Hono's client takes the same requests: an absent part is an empty one.
  return hc<HttpApp>(baseUrl, options) as unknown as Client;
}
