import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EventSink } from '../../domain/events.ts';
import type { EmbeddingObserver } from '../../ports/embedder.ts';
import type { LlmObserver } from '../../ports/language-model.ts';
import { createEventMetrics, type MetricsOptions } from './event-metrics.ts';
import { countersOf, latencyBuckets } from './run-metrics.ts';

/** The metrics of one service and of its process. No member throws. */
export interface Metrics {
  /** Counts a finished request: its route template or `unmatched`, its status, its duration in seconds. */
  readonly requestFinished: RequestFinished;
  /** Counts tool calls, escalations, messages, runs, steps and changes of the inbox. */
  readonly sink: EventSink;
  /** Counts the tokens of the language model and the decisions that rules made because it failed. */
  readonly llm: LlmObserver;
  /** Counts what words alone decided because there was no vector. */
  readonly embeddingFallback: EmbeddingObserver;
  /** Counts a record that was lost because too many were waiting for the store. */
  recordDropped(): void;
  /** Counts a request that this process limited alone because the shared limiter could not be reached. */
  rateLimitFallback(): void;
  /** Counts a request with an idempotency key by what became of it, a word of a closed set. */
  idempotentRequest(outcome: string): void;
  /** Sets how many event streams are open. */
  eventStreams(open: number): void;
  /** Counts events that were sent on streams. */
  eventsSent(events: number): void;
  /** Counts a stream that was rejected because too many are open. */
  eventStreamRejected(): void;
  /** All metrics in Prometheus text exposition format, version 0.0.4. */
  exposition(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Creates metrics in a registry of their own. Services in one process share only the metrics of the process. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const readProcessMetrics = collectProcessMetrics();
  const registry = new Registry();
  const counter = countersOf(registry);
  const fallbacks = counter(
    'service_llm_fallbacks_total',
    'Decisions made by rules because the language model failed, by stage and reason.',
    ['stage', 'reason'],
  );
  const tokens = counter(
    'service_llm_tokens_total',
    'Tokens used by the language model, by stage and kind (input, its part cached_input, or output).',
    ['stage', 'kind'],
  );
  const embeddingFallbacks = counter(
    'service_embedding_fallbacks_total',
    'Times that words alone decided because the embedding model failed, by use and reason.',
    ['use', 'reason'],
  );
  const dropped = counter(
    'service_store_outbox_dropped_total',
    'Records lost because the store could not be reached and too many were waiting for it.',
  );
  const limiterFallbacks = counter(
    'service_rate_limit_fallback_total',
    'Requests limited by this process alone because the shared limiter could not be reached.',
  );
  const idempotency = counter(
    'service_idempotency_total',
    'Requests with an Idempotency-Key, by what became of them.',
    ['outcome'],
  );
  const streams = new Gauge({
    name: 'service_event_streams',
    help: 'Event streams that are open now.',
    registers: [registry],
  });
  const sent = counter(
    'service_events_sent_total',
    'Events sent on event streams; one that is sent on two streams counts twice.',
  );
  const rejected = counter(
    'service_event_streams_rejected_total',
    'Event streams rejected because MAX_EVENT_STREAMS were open.',
  );
  return {
    requestFinished: createRequestMetrics(registry),
    sink: createEventMetrics(registry, options),
    llm: {
      fallback: (stage, reason) => fallbacks.inc({ stage, reason }),
      tokens(stage, input, output, cachedInput = 0) {
        tokens.inc({ stage, kind: 'input' }, validCount(input));
        // Most providers report none.
        if (cachedInput > 0) tokens.inc({ stage, kind: 'cached_input' }, validCount(cachedInput));
        tokens.inc({ stage, kind: 'output' }, validCount(output));
      },
    },
    embeddingFallback: (use, reason) => embeddingFallbacks.inc({ use, reason }),
    recordDropped: () => dropped.inc(),
    rateLimitFallback: () => limiterFallbacks.inc(),
    idempotentRequest: (outcome) => idempotency.inc({ outcome }),
    eventStreams: (open) => streams.set(open),
    eventsSent: (events) => sent.inc(events),
    eventStreamRejected: () => rejected.inc(),
    async exposition() {
      const texts = await Promise.all([registry.metrics(), readProcessMetrics()]);
      return { contentType: registry.contentType, body: texts.join('\n') };
    },
  };
}

/** Counters throw on negative numbers, and an observer's caller may pass any count. */
function validCount(count: number): number {
  return Number.isFinite(count) && count > 0 ? count : 0;
}

/** Counts a finished request: its route template or `unmatched`, its status, its duration in seconds. Never throws. */
export type RequestFinished = (route: string, status: number, seconds: number) => void;

/** Maximum number of routes, which is more than the service has, so that the number of series is bounded. */
const MAX_ROUTES = 200;

const UNMATCHED = 'unmatched';

/** Creates the metrics of requests (specification, section 4). */
function createRequestMetrics(registry: Registry): RequestFinished {
  const requests = countersOf(registry)(
    'service_requests_total',
    'HTTP requests, by route template and status code.',
    ['route', 'status'],
  );
  const latencies = new Histogram({
    name: 'service_request_latency_seconds',
    help: 'Seconds from the receipt of a request to its response, by route template.',
    labelNames: ['route'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  const routes = new Set<string>();
  return (template, status, seconds) => {
    if (routes.size < MAX_ROUTES) routes.add(template);
    const route = routes.has(template) ? template : UNMATCHED;
    requests.labels(route, String(status)).inc();
    latencies.labels(route).observe(seconds);
  };
}

let processRegistry: Registry | undefined;

/**
 * Starts to collect Node's own metrics: memory, CPU, event loop, garbage collection. Returns a function that reads them
 * in text exposition format. All services in a process share them: their observers cannot be removed, so they are
 * registered once.
 */
function collectProcessMetrics(): () => Promise<string> {
  const shared = processRegistry ?? new Registry();
  if (processRegistry === undefined) {
    processRegistry = shared;
    collectDefaultMetrics({ register: shared });
  }
  return async () => removeSamplesWithoutValue(await shared.metrics());
}

/**
 * Removes samples without a value, such as the mean lag of the event loop right after a read: prom-client writes `Nan`.
 */
function removeSamplesWithoutValue(text: string): string {
  return text.replaceAll(/^[^\n]* Nan\n/gm, '');
}
