import { Gauge, Histogram, type Registry } from 'prom-client';
import type { EventSink, ToolExecuted } from '../../domain/events.ts';
import type { InboxChanged } from '../../domain/inbox/inbox-events.ts';
import { itemKinds, waitingStatuses } from '../../domain/inbox/item.ts';
import type { InboxCounts } from '../../domain/inbox/order.ts';
import type { ToolOutcome, ToolStatus } from '../../domain/message/message.ts';
import { withTimeout } from '../../lib/async/timeout.ts';
import { systemClock } from '../shared/system.ts';
import { countersOf, createRunMetrics, latencyBuckets, READ_TIMEOUT_MS } from './run-metrics.ts';

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /**
   * The number of workflow runs that wait for their start, such as `depth` of the port `runQueue`. It is asked each
   * time that the metrics are read, which waits for it for at most a second. No gauge of waiting runs when absent.
   */
  readonly runsWaiting?: () => Promise<number>;
  /**
   * The numbers of items that wait for a person, such as `counts` of the port `inbox`, asked in the same way. No gauges
   * of the inbox when absent.
   */
  readonly inboxCounts?: (() => Promise<InboxCounts>) | undefined;
}

/** The label of all tools that are not registered: their names come from callers, and would create endless series. */
const UNKNOWN = 'unknown';

/**
 * Creates an event sink that counts tool calls, escalations, messages, runs, steps, fires of schedules and changes of
 * the inbox (specification, section 4).
 */
export function createEventMetrics(
  registry: Registry,
  { runsWaiting, inboxCounts }: MetricsOptions,
): EventSink {
  const counter = countersOf(registry);
  const toolCalls = counter(
    'service_tool_execution_total',
    'Finished tool calls, all attempts of a call counted as one, by tool and status: success, error, not_found, or cancelled.',
    ['tool_name', 'status'],
  );
  const latencies = new Histogram({
    name: 'service_tool_execution_latency_seconds',
    help: 'Duration of a tool call in seconds, with all its attempts and the waits between them, by tool.',
    labelNames: ['tool_name'],
    buckets: latencyBuckets,
    registers: [registry],
  });
  const escalations = counter(
    'service_verifier_escalations_total',
    'Messages that the verifier escalated to a person.',
  );
  const messages = counter(
    'service_messages_total',
    'Processed messages, by intent, by what happens with the reply, and by status.',
    ['intent', 'disposition', 'status'],
  );
  const fires = counter(
    'service_schedule_fires_total',
    'Fires of schedules, by outcome: fired, or the reason for which no run was started.',
    ['outcome'],
  );
  const runs = createRunMetrics(registry, runsWaiting);
  const inbox = createInboxMetrics(registry, inboxCounts);
  const ownerMismatches = counter(
    'service_tool_owner_mismatch_total',
    'Tool calls for a message whose output was of another customer and was dropped, by tool.',
    ['tool'],
  );
  const toolExecuted = ({ outcome, registered }: ToolExecuted): void => {
    const name = registered ? outcome.toolName : UNKNOWN;
    toolCalls.labels(name, toolStatus(outcome)).inc();
    if (outcome.status === 'not_found') ownerMismatches.labels(name).inc();
    latencies.labels(name).observe(outcome.durationMs / 1_000);
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

/**
 * Creates an event sink that counts what happens to items of the inbox. With `readCounts` there are gauges of the items
 * that wait, which are read with the metrics. They keep their last values where that fails or takes longer than a
 * second.
 */
function createInboxMetrics(registry: Registry, readCounts?: () => Promise<InboxCounts>): EventSink {
  const counter = countersOf(registry);
  const overdue = counter(
    'service_inbox_overdue_total',
    'Inbox items that became overdue while they waited.',
  );
  const changes = counter(
    'service_inbox_changes_total',
    'Changes of inbox items, by kind and change: opened, claimed, released, lapsed, resolved, withdrawn or expired.',
    ['kind', 'change'],
  );
  if (readCounts !== undefined) createWaitingGauges(registry, readCounts);
  return (event) => {
    if (event.type === 'inbox.overdue') overdue.inc();
    else if ('itemId' in event) changes.labels(event.itemKind, changeOf(event)).inc();
  };
}

/** A claim that lapses is told as released, and an item that goes with its subject as resolved. */
function changeOf({ type, outcome }: InboxChanged): string {
  if (outcome === 'lapsed' || outcome === 'withdrawn') return outcome;
  return type.slice('inbox.'.length);
}

function createWaitingGauges(registry: Registry, readCounts: () => Promise<InboxCounts>): void {
  const readOnce = shareReads(readCounts);
  const registers = [registry];
  new Gauge({
    name: 'service_inbox_items',
    help: 'Inbox items that wait for a person now, by kind and status.',
    labelNames: ['kind', 'status'],
    registers,
    async collect() {
      const counts = await readOnce();
      if (counts === undefined) return;
      for (const kind of itemKinds) {
        for (const status of waitingStatuses) this.set({ kind, status }, counts.waiting[kind][status]);
      }
    },
  });
  new Gauge({
    name: 'service_inbox_age_seconds',
    help: 'Seconds since the opening of the inbox item that waits longest; 0 while none waits.',
    registers,
    async collect() {
      const counts = await readOnce();
      if (counts !== undefined) this.set(ageSeconds(counts));
    },
  });
}

function ageSeconds({ oldestOpenedAt }: InboxCounts): number {
  return oldestOpenedAt === null ? 0 : Math.max(0, (systemClock.now() - oldestOpenedAt) / 1_000);
}

/** Reads the counts once for all gauges that ask at the same time. Resolves to undefined where that fails. */
function shareReads(readCounts: () => Promise<InboxCounts>): () => Promise<InboxCounts | undefined> {
  let reading: Promise<InboxCounts | undefined> | undefined;
  return () => {
    reading ??= withTimeout(readCounts, { clock: systemClock, timeoutMs: READ_TIMEOUT_MS })
      // The store is away: the metrics must be readable then above all.
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
}
