import type { ReloadPlaybook } from '../../application/driving-port.ts';
import type { Health } from '../../application/health.ts';
import type { Orchestrator } from '../../application/orchestrator.ts';
import type { RecoveryPolicy } from '../../domain/run/recover.ts';
import type { NewId } from '../../ports/clock.ts';
import { type Logger, silentLogger } from '../../ports/logger.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { ServiceTelemetry } from '../../ports/telemetry.ts';
import { createIds } from '../shared/system.ts';
import { version } from '../shared/version.ts';
import { createMountPath, type MountPath } from './mount-path.ts';

/**
 * The outcome of a request with an idempotency key: its work was done (`claimed`), it got the first answer (`replayed`)
 * or the record of the work (`recalled`), or it was rejected, because the first request is under way (`in_progress`),
 * had another body (`mismatch`) or an answer that is not kept (`not_kept`), or the store was `unavailable`.
 */
export type IdempotencyOutcome =
  | 'claimed'
  | 'replayed'
  | 'recalled'
  | 'in_progress'
  | 'mismatch'
  | 'not_kept'
  | 'unavailable';

/** Counts requests, and renders what `GET /metrics` responds. No member throws. */
export interface HttpMetrics {
  /** Counts a finished request: its route template or `unmatched`, its status, its duration in seconds. */
  requestFinished(route: string, status: number, seconds: number): void;
  /** Counts a request with an idempotency key. */
  idempotentRequest(outcome: IdempotencyOutcome): void;
  /** Sets how many event streams are open. */
  eventStreams(open: number): void;
  /** Counts events that were sent on streams. */
  eventsSent(events: number): void;
  /** Counts a stream that was rejected because too many are open. */
  eventStreamRejected(): void;
  /** All metrics in text exposition format. */
  exposition(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Options of the HTTP app. Only `orchestrator` is required. */
export interface HttpAppOptions {
  readonly orchestrator: Orchestrator;
  /** The report of `GET /health`. Default: always `ok`, with no checks configured. */
  readonly health?: Pick<Health, 'report'> | undefined;
  /** Default: requests are not counted, and `GET /metrics` responds an empty text. */
  readonly metrics?: HttpMetrics | undefined;
  /** Limits requests per client address. Default: no limit. */
  readonly limiter?: RateLimiter | undefined;
  /** Default: nothing is logged. */
  readonly logger?: Logger | undefined;
  /** Creates a span per request. Default: no spans. */
  readonly telemetry?: Pick<ServiceTelemetry, 'serverSpan'> | undefined;
  /** Creates request ids. Default: UUIDs of version 7. */
  readonly newId?: NewId | undefined;
  /** The version in `GET /health` and in the OpenAPI document. Default: the version of this package. */
  readonly version?: string | undefined;
  /** The accepted API keys: each request must send one of them. Default: no authentication. */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * Hosts by which clients may reach the app while it needs no key, each with or without a port, such as `app.example`:
   * against DNS rebinding, a request for any other is refused with 403. Loopback names and addresses, and the address
   * that the connection has reached, are always allowed. `*` allows every host: for a program with an authentication of
   * its own. Default: none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Origins such as `https://app.example` whose pages may use the app in a browser. Requests of the pages of others are
   * refused with 403, with or without keys. Default: none but the app's own.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** True when the last entry of X-Forwarded-For is the client's address. Default: false. */
  readonly trustProxyHeaders?: boolean | undefined;
  /** The maximum size of a request body, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** The maximum number of event streams that are open at the same time. Default: 1,000. */
  readonly maxEventStreams?: number | undefined;
  /** The part of `GET /system` that the app does not know. Default: nothing. */
  readonly system?: SystemDetails | undefined;
  /** Reloads the playbook: what `createPlaybookReload` returns. Default: `POST /system/reload` is answered 404. */
  readonly reload?: ReloadPlaybook | undefined;
  /** Aborted when the service shuts down: event streams then end. Default: they end with their connections. */
  readonly shutdown?: AbortSignal | undefined;
  /**
   * The path under which clients reach the app, such as `/orchestration`. `Location` and `Link` headers, the links of
   * `GET /` and the server URL of the OpenAPI document start with it. Default: the path of Hono's `mount` or `route` on
   * Node. Required when a proxy removes the path, and for Hono's `mount` outside of Node.
   */
  readonly basePath?: string | undefined;
  /**
   * The console at `/console/`: that of this package where it is true, or another build of it in a folder. Default:
   * false.
   */
  readonly console?: boolean | { readonly folder: string } | undefined;
}

/**
 * The part of `GET /system` that the app does not know itself. Each member may be absent. No member may hold a secret.
 */
export interface SystemDetails {
  /** When the process started, in milliseconds since the epoch. Default: when the app was created. */
  readonly startedAt?: number | undefined;
  /** A sentence for everybody who works with the service, as plain text. Default: null. */
  readonly notice?: string | undefined;
  /** Where records are stored, and how runs continue after the loss of their process. Default: null. */
  readonly storage?: SystemStorage | undefined;
  /** The language model, and the stages that it backs. Default: not configured. */
  readonly model?: { readonly name: string; readonly stages: readonly string[] } | undefined;
  /** Requests that a client may make in a window. Default: null. */
  readonly rateLimit?: { readonly requests: number; readonly windowSeconds: number } | undefined;
  /** The names of the settings that are set, without their values. Default: none. */
  readonly settings?: readonly string[] | undefined;
}

/** The store of the service. */
export interface SystemStorage {
  readonly backend: 'memory' | 'sqlite' | 'kvstore' | 'postgres';
  /** Undefined where runs end with their process. */
  readonly recovery: RecoveryPolicy | undefined;
}

/** The options with their defaults. `undefined` means that the feature is off. */
export type ResolvedHttpAppOptions = Required<HttpAppOptions> & {
  readonly [Name in Exclude<
    keyof HttpAppOptions,
    'limiter' | 'apiKeys' | 'basePath' | 'reload'
  >]: NonNullable<HttpAppOptions[Name]>;
} & { readonly mountPath: MountPath };

/** Adds the default of each option that is absent. */
export function resolveOptions(options: HttpAppOptions): ResolvedHttpAppOptions {
  return {
    orchestrator: options.orchestrator,
    health: options.health ?? createDefaultHealth(),
    metrics: options.metrics ?? noMetrics,
    limiter: options.limiter,
    logger: options.logger ?? silentLogger,
    telemetry: options.telemetry ?? noSpans,
    newId: options.newId ?? createIds(),
    version: options.version ?? version,
    apiKeys: options.apiKeys,
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    trustProxyHeaders: options.trustProxyHeaders ?? false,
    maxBodyBytes: options.maxBodyBytes ?? 1_024 * 1_024,
    maxEventStreams: options.maxEventStreams ?? 1_000,
    system: options.system ?? {},
    reload: options.reload,
    shutdown: options.shutdown ?? new AbortController().signal,
    basePath: options.basePath,
    mountPath: createMountPath(options.basePath),
    console: options.console ?? false,
  };
}

function createDefaultHealth(): Pick<Health, 'report'> {
  const startedAt = performance.now();
  return {
    report: async () => ({
      status: 'ok',
      uptimeSeconds: Math.floor((performance.now() - startedAt) / 1_000),
      checks: {
        kvstore: 'not_configured',
        sqlite: 'not_configured',
        postgres: 'not_configured',
        llm: 'not_configured',
      },
    }),
  };
}

const noMetrics: HttpMetrics = {
  requestFinished: () => undefined,
  idempotentRequest: () => undefined,
  eventStreams: () => undefined,
  eventsSent: () => undefined,
  eventStreamRejected: () => undefined,
  exposition: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', body: '' }),
};

const noSpans: Pick<ServiceTelemetry, 'serverSpan'> = {
  serverSpan: async (_request, work) => work({ event() {}, set() {}, fail() {}, answered() {} }),
};
