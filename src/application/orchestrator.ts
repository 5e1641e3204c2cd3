import { isOrchestrationError, notFound } from '../domain/errors.ts';
import type { EventSink } from '../domain/events.ts';
import { toFeedEvents } from '../domain/feed-event.ts';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import { builtInAgentNames } from '../domain/routing/built-in-agents.ts';
import { createInFlight } from '../lib/async/in-flight.ts';
import type { Ports } from '../ports/ports.ts';
import { createBuiltInAgents } from './agents/built-in.ts';
import { createAgentBus } from './agents/bus.ts';
import { createAgentRegistry } from './agents/registry.ts';
import { createDatasets } from './datasets/datasets.ts';
import type { Orchestrator, OrchestratorOptions } from './driving-port.ts';
import { createEvaluator } from './evaluation/evaluate.ts';
import { createInbox } from './inbox/inbox.ts';
import { createItemWriter } from './inbox/item-writer.ts';
import { createSettler } from './inbox/settler.ts';
import { createPlaybookInUse } from './messages/playbook-in-use.ts';
import { createMessageProcessor } from './messages/process-message.ts';
import { createErasure, type Erasure } from './privacy/erasure.ts';
import { createErasureGuard } from './privacy/erasure-guard.ts';
import { createRouting } from './routing/route-goal.ts';
import { definitionToRun } from './runs/find-workflow.ts';
import { createDurability, createEffectOf } from './runs/recovery.ts';
import { createRunControl, decideByItem } from './runs/run-control.ts';
import { createWorkflowRunner } from './runs/runner.ts';
import { createSimulator } from './runs/simulate/simulate.ts';
import { createWaitItems } from './runs/wait-items.ts';
import { createSchedules } from './schedules/schedules.ts';
import { createStats } from './stats/stats.ts';
import { createCallTool } from './tools/call-tool.ts';
import { createToolRegistry } from './tools/registry.ts';
import { createWorkflows } from './workflows/workflows.ts';

export type { Orchestrator, OrchestratorOptions };

/** Default time that a shutdown waits for running work, in milliseconds. */
const GRACE_MS = 20_000;

/**
 * Creates the core from its ports, with the built-in agents. `overrides` replaces single default limits. Loads no
 * packages and reads no environment variables.
 */
export function createOrchestrator(
  given: Ports,
  overrides: Partial<Limits> = {},
  { builtInAgents = builtInAgentNames, recovery, inbox: hasInbox = true }: OrchestratorOptions = {},
): Orchestrator {
  const limits: Limits = { ...defaultLimits, ...overrides };
  const stats = createStats(given);
  const ports = withFeed(given, stats.sink);
  const inFlight = createInFlight(ports.clock);
  const { signal } = inFlight;
  const tools = createToolRegistry(ports, limits);
  const callTool = createCallTool(tools);
  const agents = createAgentRegistry();
  const bus = createAgentBus(ports, agents, limits);
  const itemWriter = createItemWriter(ports);
  const settler = createSettler(ports, itemWriter);
  const items = hasInbox ? itemWriter : undefined;
  const playbooks = createPlaybookInUse(ports, tools);
  const messages = createMessageProcessor(ports, playbooks, { limits, items });
  const started = Promise.withResolvers<void>();
  const effectOf = createEffectOf({ tools, agents });
  const waitItems = createWaitItems({ ports, playbook: playbooks.current, items, effectOf }, limits);
  const runner = createWorkflowRunner(
    ports,
    {
      targets: { tools, agents: bus, agentRegistry: agents },
      items: waitItems,
      hasInbox,
      durability: recovery && createDurability(recovery, { hasInbox, effectOf, ready: started.promise }),
    },
    limits,
  );
  const datasets = createDatasets(ports);
  const evaluator = createEvaluator({
    ports,
    playbooks,
    createMessageProcessor: (isolated, held) =>
      createMessageProcessor(isolated, held, { limits, items: items && createItemWriter(isolated) }),
    datasets,
    signal,
  });
  const simulator = createSimulator(
    {
      ports,
      tools,
      agents,
      hasInbox,
      signal,
      definitionToRun: (id, version) => definitionToRun(ports.workflows, id, version),
    },
    limits,
  );
  const runs = createRunControl(ports, runner, limits, waitItems);
  const inbox = createInbox(
    {
      ports,
      playbook: playbooks.current,
      items: itemWriter,
      settler,
      getRun: (runId) => runs.get(runId).catch(undefinedIfGone),
      resolveStep: (item, resolution) => decideByItem(runs, waitItems, item, resolution),
    },
    limits,
  );
  const beginErasable = createErasureGuard(ports);
  const deleteRoute = (routingId: string): Promise<void> => erasure.deleteRoute(routingId);
  const routing = createRouting(ports, { agents, bus, beginErasable, deleteRoute }, limits);
  const erasure: Erasure = createErasure(ports, {
    items: itemWriter,
    deleteRun: runs.delete,
    cancelGoals: routing.cancelOf,
    limits,
  });
  const workflows = createWorkflows(ports, { tools, agents, runner }, limits);
  const scheduling = createSchedules(
    ports,
    ({ workflowId, ...run }) => workflows.run(workflowId, { ...run, background: true, origin: 'schedule' }),
    limits,
  );
  const builtIn = createBuiltInAgents(
    { processMessage: messages.process, beginErasable, deleteTrace: erasure.deleteTrace },
    builtInAgents,
  );
  for (const agent of builtIn) agents.register(agent);
  return {
    limits,
    get playbook() {
      return playbooks.current();
    },
    usePlaybook: playbooks.replace,
    tools: {
      register: tools.register,
      has: tools.has,
      get: tools.get,
      list: tools.list,
      listRegistered: tools.listRegistered,
      execute: tools.execute,
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
      delete: erasure.deleteTrace,
    },
    conversations: {
      async get(conversationId) {
        const conversation = await ports.conversations.get(conversationId);
        if (conversation === undefined) throw notFound('conversation', conversationId);
        return conversation;
      },
      delete: erasure.deleteConversation,
    },
    inbox: hasInbox ? inbox : undefined,
    datasets,
    erase: erasure.erase,
    workflows: {
      ...workflows,
      simulate: (id, request) => inFlight.track(simulator.simulate(id, request)),
    },
    runs,
    schedules: scheduling.schedules,
    agents: {
      register: agents.register,
      has: agents.has,
      list: agents.list,
      route: (request) => inFlight.track(routing.route({ ...request, signal })),
      plan: (request) => inFlight.track(routing.plan({ ...request, signal })),
      getRoute: routing.getRoute,
      listRoutes: routing.listRoutes,
      deleteRoute,
    },
    idempotency: ports.idempotency,
    events: { list: ports.feed.list, follow: ports.feed.follow },
    stats: { read: stats.read, waitingRuns: stats.waitingRuns },
    evaluation: { run: (request, options) => inFlight.track(evaluator.run(request, options)) },
    start() {
      started.resolve();
      runner.startDueRuns();
      if (hasInbox) settler.start();
      scheduling.start();
    },
    async close(graceMs = GRACE_MS) {
      await Promise.all([
        scheduling.close(),
        settler.close(),
        inFlight.close(graceMs),
        runner.close(graceMs),
      ]);
    },
  };
}

function undefinedIfGone(error: unknown): undefined {
  if (!isOrchestrationError(error, 'not_found')) throw error;
  return undefined;
}

/** The ports with an event sink that counts events and publishes them to the feed as well. */
function withFeed(ports: Ports, count: EventSink): Ports {
  const { events, feed } = ports;
  return {
    ...ports,
    events(event) {
      events(event);
      count(event);
      for (const published of toFeedEvents(event)) feed.publish(published);
    },
  };
}
