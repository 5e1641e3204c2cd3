import { type ClientRequestOptions, hc } from 'hono/client';
import type { HttpApp } from './app.ts';

/** The typed client as Hono makes it, which demands `query` even where each of its members may be left out. */
type HonoClient = ReturnType<typeof hc<HttpApp>>;

/** The parts of a request: those in which nothing is demanded may be left out. */
type RequestParts<Parts> = { [Name in keyof Parts as NameWhere<Parts, Name, false>]: Parts[Name] } & {
  [Name in keyof Parts as NameWhere<Parts, Name, true>]?: Parts[Name];
};

/** The name of a part, where it is one that may be left out or one that may not. A body is sent as it is demanded. */
type NameWhere<Parts, Name extends keyof Parts, IsOptional> = (
  Name extends 'query' | 'header'
    ? Partial<Parts[Name]> extends Parts[Name]
      ? true
      : false
    : false
) extends IsOptional
  ? Name
  : never;

type Call<Parts, Result> =
  Partial<Parts> extends Parts
    ? (args?: Parts, options?: ClientRequestOptions) => Result
    : (args: Parts, options?: ClientRequestOptions) => Result;

type Method = '$get' | '$post' | '$put' | '$patch' | '$delete';

type WithOptionalParts<Node> = {
  [Name in keyof Node]: Name extends Method
    ? Node[Name] extends (args: infer Parts extends object, options?: ClientRequestOptions) => infer Result
      ? Call<RequestParts<Parts>, Result>
      : Node[Name]
    : Name extends `$${string}`
      ? Node[Name]
      : WithOptionalParts<Node[Name]>;
};

/**
 * A typed HTTP client of the service. Its paths, requests and responses have the types of the routes, and their parameters
 * the names of the API.
 */
export type Client = WithOptionalParts<HonoClient>;

/**
 * Creates a client for the service at `baseUrl`, which includes the path that the service is mounted under. `options`
 * are those of Hono's `hc`, such as `headers` for the API key, or `fetch`.
 */
export function createClient(baseUrl: string, options?: ClientRequestOptions): Client {
  // Hono's client takes the same requests: an absent part is an empty one.
  return hc<HttpApp>(baseUrl, options) as HonoClient as unknown as Client;
}
