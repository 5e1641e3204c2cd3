/** Metrics for Prometheus, and spans for OpenTelemetry. */

export { loadTelemetry, type TelemetryOptions } from '../adapters/telemetry/load.ts';
export { createMetrics, type Metrics, type MetricsOptions } from '../adapters/telemetry/prometheus.ts';
export type { RequestFinished } from '../adapters/telemetry/request-metrics.ts';
export type { EmbeddingObserver } from '../ports/embedder.ts';
