import { Counter, Histogram, type Registry } from 'prom-client';
import type { EventSink, ToolExecuted } from '../../domain/events.ts';
import type { ToolOutcome, ToolStatus } from '../../domain/message/message.ts';
import { createInboxMetrics, type ReadInboxCounts } from './inbox-metrics.ts';
import { latencyBuckets } from './request-metrics.ts';
import { createRunMetrics } from './run-metrics.ts';

interface ToolSeries {
  readonly success: Counter.Internal;
  readonly error: Counter.Internal;
  readonly not_found: Counter.Internal;
  readonly cancelled: Counter.Internal;
  readonly latency: Histogram.Internal<'tool_name'>;
}

/** What is asked each time that the metrics are read. Without a member its gauges do not exist. */
export interface EventMetricsOptions {
  /** The number of runs that wait for their start. */
  readonly runsWaiting?: (() => Promise<number>) | undefined;
  /** How much waits for a person. */
  readonly inboxCounts?: ReadInboxCounts | undefined;
}

/** The label of all tools that are not registered: their names come from callers, and would create endless series. */
const UNKNOWN = 'unknown';

/**
 * Creates an event sink that counts tool calls, escalations, messages, runs, steps, fires of schedules and changes of
 * the inbox (specification, section 4).
 */
export function createEventMetrics(
  registry: Registry,
  { runsWaiting, inboxCounts }: EventMetricsOptions = {},
): EventSink {
  const registers = [registry];
  const toolCalls = new Counter({
    name: 'service_tool_execution_total',
    help: 'Finished tool calls, all attempts of a call counted as one, by tool and status: success, error, not_found, or cancelled.',
    labelNames: ['tool_name', 'status'],
    registers,
  });
  const latencies = new Histogram({
    name: 'service_tool_execution_latency_seconds',
    help: 'Duration of a tool call in seconds, with all its attempts and the waits between them, by tool.',
    labelNames: ['tool_name'],
    buckets: latencyBuckets,
    registers,
  });
  const escalations = new Counter({
    name: 'service_verifier_escalations_total',
    help: 'Messages that the verifier escalated to a person.',
    registers,
  });
  const messages = new Counter({
    name: 'service_messages_total',
    help: 'Processed messages, by intent, by what happens with the reply, and by status.',
    labelNames: ['intent', 'disposition', 'status'],
    registers,
  });
  const fires = new Counter({
    name: 'service_schedule_fires_total',
    help: 'Fires of schedules, by outcome: fired, or the reason for which no run was started.',
    labelNames: ['outcome'],
    registers,
  });
  const runs = createRunMetrics(registry, runsWaiting);
  const inbox = createInboxMetrics(registry, inboxCounts);
  const tools = new Map<string, ToolSeries>();
  const addTool = (name: string): ToolSeries => {
    const series = {
      success: toolCalls.labels(name, 'success'),
      error: toolCalls.labels(name, 'error'),
      not_found: toolCalls.labels(name, 'not_found'),
      cancelled: toolCalls.labels(name, 'cancelled'),
      latency: latencies.labels(name),
    };
    tools.set(name, series);
    return series;
  };
  const ownerMismatches = new Counter({
    name: 'service_tool_owner_mismatch_total',
    help: 'Tool calls for a message whose output was of another customer and was dropped, by tool.',
    labelNames: ['tool'],
    registers,
  });
  const toolExecuted = ({ outcome, registered }: ToolExecuted): void => {
    const name = registered ? outcome.toolName : UNKNOWN;
    const series = tools.get(name) ?? addTool(name);
    series[toolStatus(outcome)].inc();
    if (outcome.status === 'not_found') ownerMismatches.labels(name).inc();
    series.latency.observe(outcome.durationMs / 1_000);
  };
  return (event) => {
    if (event.type === 'tool.executed') toolExecuted(event);
    else if (event.type === 'message.escalated') escalations.inc();
    else if (event.type === 'message.finished')
      messages.labels(event.intent, event.disposition, event.status).inc();
    else if (event.type === 'schedule.fired') fires.labels('fired').inc();
    else if (event.type === 'schedule.skipped') fires.labels(event.reason).inc();
    else if ('itemId' in event) inbox(event);
    else runs(event);
  };
}

/** Neither a call that finds nothing nor one that a user has cancelled is a fault of the tool. */
function toolStatus({ status, notFound, cancelled }: ToolOutcome): ToolStatus | 'cancelled' {
  if (notFound === true) return 'not_found';
  return cancelled === true ? 'cancelled' : status;
}
