import { Counter, Gauge, Registry } from 'prom-client';
import type { EventSink } from '../../domain/events.ts';
import type { InboxCounts } from '../../domain/inbox/order.ts';
import type { EmbeddingObserver } from '../../ports/embedder.ts';
import type { LlmObserver } from '../../ports/language-model.ts';
import { createEventMetrics } from './event-metrics.ts';
import { collectProcessMetrics } from './process-metrics.ts';
import { createRequestMetrics, type RequestFinished } from './request-metrics.ts';

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

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  /**
   * The number of workflow runs that wait for their start, such as `depth` of the port `runQueue`. It is asked each
   * time that the metrics are read, which waits for it for at most a second. No gauge of waiting runs when absent.
   */
  readonly runsWaiting?: () => Promise<number>;
  /**
   * How much waits for a person, such as `counts` of the port `inbox`. It is asked in the same way. No gauges of the
   * inbox when absent.
   */
  readonly inboxCounts?: (() => Promise<InboxCounts>) | undefined;
}

/** Creates metrics in a registry of their own. Services in one process share only the metrics of the process. */
export function createMetrics({ runsWaiting, inboxCounts }: MetricsOptions = {}): Metrics {
  const readProcessMetrics = collectProcessMetrics();
  const registry = new Registry();
  const registers = [registry];
  const fallbacks = new Counter({
    name: 'service_llm_fallbacks_total',
    help: 'Decisions made by rules because the language model failed, by stage and reason.',
    labelNames: ['stage', 'reason'],
    registers,
  });
  const tokens = new Counter({
    name: 'service_llm_tokens_total',
    help: 'Tokens used by the language model, by stage and kind (input, its part cached_input, or output).',
    labelNames: ['stage', 'kind'],
    registers,
  });
  const embeddingFallbacks = new Counter({
    name: 'service_embedding_fallbacks_total',
    help: 'Times that words alone decided because the embedding model failed, by use and reason.',
    labelNames: ['use', 'reason'],
    registers,
  });
  const dropped = new Counter({
    name: 'service_store_outbox_dropped_total',
    help: 'Records lost because the store could not be reached and too many were waiting for it.',
    registers,
  });
  const limiterFallbacks = new Counter({
    name: 'service_rate_limit_fallback_total',
    help: 'Requests limited by this process alone because the shared limiter could not be reached.',
    registers,
  });
  const idempotency = new Counter({
    name: 'service_idempotency_total',
    help: 'Requests with an Idempotency-Key, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  const streams = new Gauge({
    name: 'service_event_streams',
    help: 'Event streams that are open now.',
    registers,
  });
  const sent = new Counter({
    name: 'service_events_sent_total',
    help: 'Events sent on event streams; one that is sent on two streams counts twice.',
    registers,
  });
  const rejected = new Counter({
    name: 'service_event_streams_rejected_total',
    help: 'Event streams rejected because MAX_EVENT_STREAMS were open.',
    registers,
  });
  return {
    requestFinished: createRequestMetrics(registry),
    sink: createEventMetrics(registry, { runsWaiting, inboxCounts }),
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
