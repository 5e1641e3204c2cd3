import { Counter, Registry } from 'prom-client';
import type { EventSink } from '../../domain/events.ts';
import type { LlmObserver } from '../../ports/language-model.ts';
import { createEventMetrics } from './event-metrics.ts';
import { watchProcess } from './process-metrics.ts';
import { createRequestMetrics, type RequestFinished } from './request-metrics.ts';

/** The metrics of one service: its own, with those of the process that it lives in. No member throws. */
export interface Metrics {
  /** Counts a finished request: its route template or `unmatched`, its status, its seconds. */
  readonly requestFinished: RequestFinished;
  /** Counts tool calls and escalations from what happens. */
  readonly sink: EventSink;
  /** Counts what the language model costs and where rules decided in its place. */
  readonly llm: LlmObserver;
  /** A record that could not be stored was lost, because too many waited for the store already. */
  outboxDropped(): void;
  /** A request was counted by the limiter of this process, because the shared one could not be reached. */
  limiterFellBack(): void;
  /** All metrics in Prometheus text exposition format, version 0.0.4. */
  exposition(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Metrics in a registry of their own: nothing is shared with other services of the process but the process's own. */
export function createMetrics(): Metrics {
  const readProcess = watchProcess();
  const registry = new Registry();
  const registers = [registry];
  const fallbacks = new Counter({
    name: 'service_llm_fallbacks_total',
    help: 'Decisions left to rules because the language model gave none, by stage and reason.',
    labelNames: ['stage', 'reason'],
    registers,
  });
  const tokens = new Counter({
    name: 'service_llm_tokens_total',
    help: 'Tokens taken and given by the language model, by stage and kind (input or output).',
    labelNames: ['stage', 'kind'],
    registers,
  });
  const dropped = new Counter({
    name: 'service_store_outbox_dropped_total',
    help: 'Records lost because the store was away and too many waited for it.',
    registers,
  });
  const limiterFallbacks = new Counter({
    name: 'service_rate_limit_fallback_total',
    help: 'Requests counted by the limiter of this process because the shared one could not be reached.',
    registers,
  });
  return {
    requestFinished: createRequestMetrics(registry),
    sink: createEventMetrics(registry),
    llm: {
      fallback: (stage, reason) => fallbacks.inc({ stage, reason }),
      tokens(stage, input, output) {
        tokens.inc({ stage, kind: 'input' }, counted(input));
        tokens.inc({ stage, kind: 'output' }, counted(output));
      },
    },
    outboxDropped: () => dropped.inc(),
    limiterFellBack: () => limiterFallbacks.inc(),
    async exposition() {
      const texts = await Promise.all([registry.metrics(), readProcess()]);
      return { contentType: registry.contentType, body: texts.join('\n') };
    },
  };
}

/** A provider's count is whatever it sent; a counter takes no less than nothing. */
function counted(count: number): number {
  return Number.isFinite(count) && count > 0 ? count : 0;
}
