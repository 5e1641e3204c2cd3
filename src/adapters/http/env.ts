import type { HttpBindings } from '@hono/node-server';
import type { LogFields } from '../../ports/logger.ts';

/** The state of a request in the app. The bindings are present when Node's HTTP server received the request. */
export interface AppEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** Headers of every response to this request, the security headers included. */
    headers: Record<string, string>;
    /** The template of the route that serves the request; absent when none matched, or access control rejected it. */
    route: string;
    /** Additional fields of the request's log line, such as the ids of created records. */
    logFields: LogFields;
    /** Warnings about the form of the request's body; absent where the rules of the route give none. */
    notes: readonly string[] | undefined;
    /** The API key of the request; absent while none is needed. */
    apiKey: string | undefined;
    /** Digests of the idempotency key and the body; absent without a key, and where the route takes none. */
    idempotency: { readonly key: string; readonly fingerprint: string } | undefined;
    /** The parts of the last response to a request with such a key. */
    content: { readonly body: unknown; readonly headers: Readonly<Record<string, string>> };
  };
}
