import { createHealth, type Health } from '../../application/health.ts';
import type { Orchestrator } from '../../application/orchestrator.ts';
import type { NewId } from '../../ports/clock.ts';
import { type Logger, silentLogger } from '../../ports/logger.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { ServiceTelemetry } from '../../ports/telemetry.ts';
import { createIds, systemClock } from '../shared/system.ts';
import { version } from '../shared/version.ts';

/** What the app reports about requests, and the text that `GET /metrics` answers. No member throws. */
export interface HttpMetrics {
  /** Counts a finished request: its route template or `unmatched`, its status, its seconds. */
  requestFinished(route: string, status: number, seconds: number): void;
  /** All metrics in text exposition format. */
  exposition(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** What the HTTP app is made from: an orchestrator, and whatever is wanted beside what is the default. */
export interface HttpAppOptions {
  readonly orchestrator: Orchestrator;
  /** What `GET /health` answers. Absent, nothing is probed: the app is healthy while it lives. */
  readonly health?: Health | undefined;
  /** Absent, requests are not counted and `GET /metrics` answers an empty text. */
  readonly metrics?: HttpMetrics | undefined;
  /** Counts requests by client address. Absent, their number is not limited. */
  readonly limiter?: RateLimiter | undefined;
  /** Absent, nothing is logged. */
  readonly logger?: Logger | undefined;
  /** Absent, requests have no spans. */
  readonly telemetry?: Pick<ServiceTelemetry, 'serverSpan'> | undefined;
  /** Makes the request ids; UUIDs of version 7 when absent. */
  readonly newId?: NewId | undefined;
  /** What `GET /health` and the OpenAPI description call the version; this package's own when absent. */
  readonly version?: string | undefined;
  /** Keys of which each request must bear one. Absent, authentication is off. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Whether the last entry of X-Forwarded-For is the client's address. False when absent. */
  readonly trustProxyHeaders?: boolean | undefined;
  /** The most bytes of a request's body; 1 MiB when absent. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The path under which clients reach the app, such as `/orchestration`, where something before the app takes it
   * off: Hono's `mount`, or a proxy. `Location` headers and the OpenAPI description begin with it. None when absent.
   */
  readonly basePath?: string | undefined;
}

/** Options of which none is missing; the undefined ones mean that the thing is off. */
export type ResolvedHttpAppOptions = Required<HttpAppOptions> & {
  readonly [Name in Exclude<keyof HttpAppOptions, 'limiter' | 'apiKeys' | 'basePath'>]: NonNullable<
    HttpAppOptions[Name]
  >;
};

/** The options with the default in place of each that is absent. */
export function resolveOptions(options: HttpAppOptions): ResolvedHttpAppOptions {
  const { limiter, apiKeys, basePath } = options;
  return {
    orchestrator: options.orchestrator,
    health: options.health ?? createHealth({ clock: systemClock, storage: alwaysThere }, {}),
    metrics: options.metrics ?? noMetrics,
    logger: options.logger ?? silentLogger,
    telemetry: options.telemetry ?? noSpans,
    newId: options.newId ?? createIds(),
    version: options.version ?? version,
    trustProxyHeaders: options.trustProxyHeaders ?? false,
    maxBodyBytes: options.maxBodyBytes ?? 1_024 * 1_024,
    ...{ limiter, apiKeys, basePath },
  };
}

const alwaysThere = { assertAvailable: () => undefined };

const noMetrics: HttpMetrics = {
  requestFinished: () => undefined,
  exposition: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: '' }),
};

const noSpans: Pick<ServiceTelemetry, 'serverSpan'> = {
  serverSpan: (_request, work) => work({ event() {}, set() {}, fail() {}, answered() {} }),
};
