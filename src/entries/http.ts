/** The HTTP interface: a Hono app, and a server for it. */

export { createHttpApp, type HttpApp } from '../adapters/http/app.ts';
export type { AppEnv } from '../adapters/http/env.ts';
export {
  defaultServerLimits,
  type RunningServer,
  type ServerLimits,
  type ServerOptions,
  startServer,
} from '../adapters/http/listener/server.ts';
export type {
  HttpAppOptions,
  HttpMetrics,
  IdempotencyOutcome,
  SystemDetails,
  SystemStorage,
} from '../adapters/http/options.ts';
