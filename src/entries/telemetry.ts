/** Metrics for Prometheus, and spans for OpenTelemetry. */

export { loadTelemetry, type TelemetryOptions } from '../adapters/telemetry/load.ts';
export { createMetrics, type Metrics } from '../adapters/telemetry/prometheus.ts';
export type { RequestFinished } from '../adapters/telemetry/request-metrics.ts';
