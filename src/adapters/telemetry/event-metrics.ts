import { Counter, Histogram, type Registry } from 'prom-client';
import type { EventSink, ToolExecuted } from '../../domain/events.ts';
import { latencyBuckets } from './request-metrics.ts';

interface ToolSeries {
  readonly success: Counter.Internal;
  readonly error: Counter.Internal;
  readonly latency: Histogram.Internal<'tool_name'>;
}

/** Names that no tool bears are callers' texts: they share one series. */
const UNKNOWN = 'unknown';

/** The metrics of tools and of the verifier (specification, section 4), counted from what happens. */
export function createEventMetrics(registry: Registry): EventSink {
  const registers = [registry];
  const executions = new Counter({
    name: 'service_tool_execution_total',
    help: 'Tool calls ended, all attempts of a call counted as one, by tool and outcome.',
    labelNames: ['tool_name', 'status'],
    registers,
  });
  const latencies = new Histogram({
    name: 'service_tool_execution_latency_seconds',
    help: 'Seconds of a tool call over all its attempts and the waiting between them, by tool.',
    labelNames: ['tool_name'],
    buckets: latencyBuckets,
    registers,
  });
  const escalations = new Counter({
    name: 'service_verifier_escalations_total',
    help: 'Messages that the verifier handed to a person.',
    registers,
  });
  const tools = new Map<string, ToolSeries>();
  const toolExecuted = ({ outcome, registered }: ToolExecuted): void => {
    const name = registered ? outcome.toolName : UNKNOWN;
    let series = tools.get(name);
    if (series === undefined) {
      series = {
        success: executions.labels(name, 'success'),
        error: executions.labels(name, 'error'),
        latency: latencies.labels(name),
      };
      tools.set(name, series);
    }
    series[outcome.status].inc();
    series.latency.observe(outcome.durationMs / 1_000);
  };
  return (event) => {
    if (event.type === 'tool.executed') toolExecuted(event);
    else if (event.type === 'message.escalated') escalations.inc();
  };
}
