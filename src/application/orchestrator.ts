import { notFound } from '../domain/errors.ts';
import { toFeedEvents } from '../domain/feed-event.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import type { CustomerMessage, ToolOutcome } from '../domain/message/message.ts';
import type { Trace, TraceFilter, TraceSummary } from '../domain/message/trace.ts';
import type { Playbook } from '../domain/playbook/playbook.ts';
import { type BuiltInAgentName, builtInAgentNames } from '../domain/routing/built-in-agents.ts';
import type { RecoveryPolicy } from '../domain/run/recover.ts';
import { createInFlight } from '../lib/async/in-flight.ts';
import type { Ports } from '../ports/ports.ts';
import type { EventFeed } from '../ports/storage/event-feed.ts';
import type { IdempotencyStore, Page, PageRequest } from '../ports/storage/record-store.ts';
import { createBuiltInAgents } from './agents/built-in.ts';
import { createAgentBus } from './agents/bus.ts';
import { type AgentRegistry, createAgentRegistry } from './agents/registry.ts';
import { createEvaluator, type Evaluator } from './evaluation/evaluate.ts';
import { createMessageProcessor, type MessageIds } from './messages/process-message.ts';
import { createRouting, type Routing } from './routing/route-goal.ts';
import { createRunControl } from './runs/control/create-run-control.ts';
import type { RunControl } from './runs/control/run-control.ts';
import { holdRecovery } from './runs/durable/hold-recovery.ts';
import { createMayRepeat } from './runs/durable/may-repeat.ts';
import { createWorkflowRunner } from './runs/runner.ts';
import { createCallTool, type ToolCallRequest } from './tools/call-tool.ts';
import { createToolRegistry, type ToolRegistry } from './tools/registry.ts';
import { createWorkflows, type Workflows } from './workflows/workflows.ts';

/** The core: all use cases, which share one registry of tools and one of agents (specification, section 1). */
export interface Orchestrator {
  readonly messages: {
    /**
     * Runs one message through the pipeline and stores its trace, however it ends. Rejects only with `unavailable`,
     * before anything was done, when the trace store is known to be unreachable.
     */
    process(message: CustomerMessage, ids?: MessageIds): Promise<Trace>;
    /** Runs all messages concurrently. Traces come in the order of the messages; a failure of one affects no other. */
    processBatch(messages: readonly CustomerMessage[], ids?: MessageIds): Promise<readonly Trace[]>;
  };
  readonly traces: {
    /** The trace of one message. Rejects with `not_found`. */
    get(traceId: string): Promise<Trace>;
    /** Traces without their timelines, newest first; with a filter only those that fit it. */
    list(page: PageRequest, filter?: TraceFilter): Promise<Page<TraceSummary>>;
  };
  readonly workflows: Workflows;
  /** The runs of all workflows. */
  readonly runs: RunControl;
  readonly tools: ToolRegistry & {
    /** Calls a registered tool as messages and workflows do. Rejects with `not_found` for an unknown tool. */
    call(request: ToolCallRequest): Promise<ToolOutcome>;
  };
  readonly agents: Pick<AgentRegistry, 'register' | 'has' | 'list'> & Routing;
  readonly evaluation: Evaluator;
  /** What the company answers, and how. */
  readonly playbook: Playbook;
  /** The idempotency keys of requests: for interfaces whose clients repeat requests. */
  readonly idempotency: IdempotencyStore;
  /** What happens in the whole service. */
  readonly events: Pick<EventFeed, 'list' | 'follow'>;
  /** The limits of the use cases. */
  readonly limits: Limits;
  /**
   * Begins to continue the runs whose process has stopped. Call it once all tools and agents are registered, because
   * their steps need them. Nothing happens without the option `recovery`.
   */
  start(): void;
  /**
   * Waits up to `graceMs` milliseconds (20,000 when absent) for running work, then interrupts the rest, which is recorded
   * as FAILED, `interrupted` (decisions, section 7). With `recovery`, runs are handed over instead. Resolves when
   * everything has ended.
   */
  close(graceMs?: number): Promise<void>;
}

/** Default time that a shutdown waits for running work, in milliseconds. */
const GRACE_MS = 20_000;

/** Options of {@link createOrchestrator}. */
export interface OrchestratorOptions {
  /** The built-in agents to register: all of them when absent. */
  readonly builtInAgents?: readonly BuiltInAgentName[];
  /**
   * Continues the runs whose process has stopped, from `start` on, in this process or another one; they end as FAILED,
   * `interrupted`, when absent. Needs storage that outlives the process, with durable runs.
   */
  readonly recovery?: RecoveryPolicy | undefined;
}

/**
 * Creates the core from its ports, with the built-in agents. `overrides` replaces single default limits. Loads no
 * packages and reads no environment variables.
 */
export function createOrchestrator(
  given: Ports,
  overrides: Partial<Limits> = {},
  { builtInAgents = builtInAgentNames, recovery }: OrchestratorOptions = {},
): Orchestrator {
  const limits: Limits = { ...defaultLimits, ...overrides };
  const ports = withFeed(given);
  const inFlight = createInFlight(ports.clock);
  const { signal } = inFlight;
  const tools = createToolRegistry(ports, limits);
  const callTool = createCallTool(tools);
  const agents = createAgentRegistry();
  const bus = createAgentBus(ports, agents, limits);
  const messages = createMessageProcessor(ports, tools, limits);
  const held = holdRecovery(ports.runs);
  const runnerPorts = recovery === undefined ? ports : { ...ports, runs: held.runs };
  const durability = recovery && { policy: recovery, mayRepeat: createMayRepeat({ tools, agents }) };
  const runner = createWorkflowRunner(runnerPorts, { tools, agents: bus }, limits, durability);
  const evaluator = createEvaluator({
    ports,
    createMessageProcessor: (isolated) => createMessageProcessor(isolated, tools, limits),
    signal,
  });
  const routing = createRouting(ports, { agents, bus }, limits);
  const builtIn = createBuiltInAgents({ processMessage: messages.process }, builtInAgents);
  for (const agent of builtIn) agents.register(agent);
  return {
    limits,
    playbook: ports.playbook,
    tools: {
      ...tools,
      call: (request) => inFlight.track(callTool({ ...request, signal })),
    },
    messages: {
      process: (message, ids) => inFlight.track(messages.process(message, { ...ids, signal })),
      processBatch: (batch, ids) => inFlight.track(messages.processBatch(batch, { ...ids, signal })),
    },
    traces: {
      async get(traceId) {
        const trace = await ports.traces.get(traceId);
        if (trace === undefined) throw notFound('trace', traceId);
        return trace;
      },
      list: (page, filter) => ports.traces.list(page, filter),
    },
    workflows: createWorkflows(ports, { tools, agents, runner }, limits),
    runs: createRunControl(ports, runner, limits),
    agents: {
      register: agents.register,
      has: agents.has,
      list: agents.list,
      route: (request) => inFlight.track(routing.route({ ...request, signal })),
      plan: (request) => inFlight.track(routing.plan({ ...request, signal })),
      getRoute: routing.getRoute,
      listRoutes: routing.listRoutes,
    },
    idempotency: ports.idempotency,
    events: { list: ports.feed.list, follow: ports.feed.follow },
    evaluation: { run: (request) => inFlight.track(evaluator.run(request)) },
    start: held.start,
    async close(graceMs = GRACE_MS) {
      await Promise.all([inFlight.close(graceMs), runner.close(graceMs)]);
    },
  };
}

/** The ports with an event sink that publishes to the feed as well. */
function withFeed(ports: Ports): Ports {
  const { events, feed } = ports;
  return {
    ...ports,
    events(event) {
      events(event);
      for (const published of toFeedEvents(event)) feed.publish(published);
    },
  };
}
