import { notFound } from '../domain/errors.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import type { CustomerMessage } from '../domain/message/message.ts';
import type { Trace, TraceSummary } from '../domain/message/trace.ts';
import { type BuiltInAgentName, builtInAgentNames } from '../domain/routing/built-in-agents.ts';
import { createInFlight } from '../lib/async/in-flight.ts';
import type { Ports } from '../ports/ports.ts';
import type { Page, PageRequest } from '../ports/record-store.ts';
import { createBuiltInAgents } from './agents/built-in.ts';
import { createAgentBus } from './agents/bus.ts';
import { type AgentRegistry, createAgentRegistry } from './agents/registry.ts';
import { createEvaluator, type Evaluator } from './evaluation/evaluate.ts';
import { createMessageProcessor } from './messages/process-message.ts';
import { createRouting, type Routing } from './routing/route-goal.ts';
import { createWorkflowRunner } from './runs/runner.ts';
import { createToolRegistry, type ToolRegistry } from './tools/registry.ts';
import { createWorkflows, type Workflows } from './workflows/workflows.ts';

/** The core: all use cases, which share one registry of tools and one of agents (specification, section 1). */
export interface Orchestrator {
  readonly messages: {
    /**
     * Runs one message through the pipeline and stores its trace, however it ends. Rejects only with `unavailable`,
     * before anything was done, when the trace store is known to be unreachable.
     */
    process(message: CustomerMessage): Promise<Trace>;
    /** Runs all messages concurrently. Traces come in the order of the messages; a failure of one affects no other. */
    processBatch(messages: readonly CustomerMessage[]): Promise<readonly Trace[]>;
  };
  readonly traces: {
    /** The trace of one message. Rejects with `not_found`. */
    get(traceId: string): Promise<Trace>;
    /** Traces without their timelines, newest first. */
    list(page: PageRequest): Promise<Page<TraceSummary>>;
  };
  readonly workflows: Workflows;
  readonly tools: ToolRegistry;
  readonly agents: Pick<AgentRegistry, 'register' | 'has' | 'list'> & Routing;
  readonly evaluation: Evaluator;
  /** The limits of the use cases. */
  readonly limits: Limits;
  /**
   * Waits up to `graceMs` milliseconds (20,000 when absent) for running work, then interrupts the rest, which is recorded
   * as FAILED, `interrupted` (decisions, section 7). Resolves when everything has ended.
   */
  close(graceMs?: number): Promise<void>;
}

/** Default time that a shutdown waits for running work, in milliseconds. */
const GRACE_MS = 20_000;

/** Options of {@link createOrchestrator}. */
export interface OrchestratorOptions {
  /** The built-in agents to register: all of them when absent. */
  readonly builtInAgents?: readonly BuiltInAgentName[];
}

/**
 * Creates the core from its ports, with the built-in agents. `overrides` replaces single default limits. Loads no
 * packages and reads no environment variables.
 */
export function createOrchestrator(
  ports: Ports,
  overrides: Partial<Limits> = {},
  { builtInAgents = builtInAgentNames }: OrchestratorOptions = {},
): Orchestrator {
  const limits: Limits = { ...defaultLimits, ...overrides };
  const inFlight = createInFlight(ports.clock);
  const { signal } = inFlight;
  const tools = createToolRegistry(ports, limits);
  const agents = createAgentRegistry();
  const bus = createAgentBus(ports, agents, limits);
  const messages = createMessageProcessor(ports, tools, limits);
  const runner = createWorkflowRunner(ports, { tools, agents: bus }, limits);
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
    tools,
    messages: {
      process: (message) => inFlight.track(messages.process(message, { signal })),
      processBatch: (batch) => inFlight.track(messages.processBatch(batch, { signal })),
    },
    traces: {
      async get(traceId) {
        const trace = await ports.traces.get(traceId);
        if (trace === undefined) throw notFound('trace', traceId);
        return trace;
      },
      list: (page) => ports.traces.list(page),
    },
    workflows: createWorkflows(ports, { tools, agents, runner }, limits),
    agents: {
      register: agents.register,
      has: agents.has,
      list: agents.list,
      route: (request) => inFlight.track(routing.route({ ...request, signal })),
      plan: (request) => inFlight.track(routing.plan({ ...request, signal })),
      getRoute: routing.getRoute,
      listRoutes: routing.listRoutes,
    },
    evaluation: { run: (request) => inFlight.track(evaluator.run(request)) },
    async close(graceMs = GRACE_MS) {
      await Promise.all([inFlight.close(graceMs), runner.close(graceMs)]);
    },
  };
}
