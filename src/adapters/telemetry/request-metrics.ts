import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts a finished request: its route template or `unmatched`, its status, its duration in seconds. Never throws. */
export type RequestFinished = (route: string, status: number, seconds: number) => void;

/** Maximum number of routes, which is more than the service has, so that the number of series is bounded. */
const MAX_ROUTES = 200;

const UNMATCHED = 'unmatched';

/** Upper bounds in seconds, from one millisecond to the default timeout of an agent. */
export const latencyBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

interface RouteSeries {
  readonly latency: Histogram.Internal<'route'>;
  readonly counts: Map<number, Counter.Internal>;
}

/** Creates the metrics of requests (specification, section 4). */
export function createRequestMetrics(registry: Registry): RequestFinished {
  const registers = [registry];
  const requests = new Counter({
    name: 'service_requests_total',
    help: 'HTTP requests, by route template and status code.',
    labelNames: ['route', 'status'],
    registers,
  });
  const latencies = new Histogram({
    name: 'service_request_latency_seconds',
    help: 'Seconds from the receipt of a request to its response, by route template.',
    labelNames: ['route'],
    buckets: latencyBuckets,
    registers,
  });
  const routes = new Map<string, RouteSeries>();
  return (template, status, seconds) => {
    const route = routes.has(template) || routes.size < MAX_ROUTES ? template : UNMATCHED;
    let series = routes.get(route);
    if (series === undefined) {
      series = { latency: latencies.labels(route), counts: new Map() };
      routes.set(route, series);
    }
    let count = series.counts.get(status);
    if (count === undefined) {
      count = requests.labels(route, String(status));
      series.counts.set(status, count);
    }
    count.inc();
    series.latency.observe(seconds);
  };
}
