import type { HttpBindings } from '@hono/node-server';
import type { LogFields } from '../../ports/logger.ts';

/** What the app stores per request. The bindings are present when Node's HTTP server received the request. */
export interface AppEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** Headers of every response to this request, the security headers included. */
    headers: Record<string, string>;
    /** The template of the route that serves the request; absent when none matched, or access control rejected it. */
    route: string;
    /** Additional fields of the request's log line, such as the ids of created records. */
    logFields: LogFields;
  };
}
