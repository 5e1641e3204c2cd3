/** Metrics for Prometheus, and spans for OpenTelemetry. */

export type { MetricsOptions } from '../adapters/telemetry/event-metrics.ts';
export { loadTelemetry, type TelemetryOptions } from '../adapters/telemetry/load.ts';
export { createMetrics, type Metrics, type RequestFinished } from '../adapters/telemetry/prometheus.ts';
export type { EmbeddingObserver } from '../ports/embedder.ts';
