import type { HttpBindings } from '@hono/node-server';
import type { LogFields } from '../../ports/logger.ts';

/** What the app keeps with each request. The bindings are there when Node's HTTP server brought it. */
export interface AppEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** Headers that every reply to this request bears, the security headers included. */
    headers: Record<string, string>;
    /** The template of the route that took the request; absent where none did, or a guard refused it before. */
    route: string;
    /** Particulars that the request's log line bears beside its own: ids of what it made. */
    logged: LogFields;
  };
}
