import { invalid, notFound } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import {
  aggregate,
  type RoutingResult,
  type RoutingSummary,
  routingIssues,
  type SubTask,
  type SubTaskResult,
} from '../../domain/routing/routing.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import { isOverdue, isThenable } from '../../lib/async/legacy.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { elapsedMs, isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Page, PageRequest } from '../../ports/record-store.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentBus, AgentOutcome } from '../agents/bus.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { createPlanSubTasks } from './plan-subtasks.ts';

/** A goal, and what is known of the way to it. */
export interface RouteRequest {
  /** 1 to 32,768 characters. */
  readonly goal: string;
  /** Exactly these are dispatched, even when there are none; absent, the decomposer makes them. */
  readonly subtasks?: readonly SubTask[] | undefined;
  /** Aborted when the service shuts down: subtasks under way then end as failed, `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** Agent routing (specification, sections 3 and 4). */
export interface Routing {
  /**
   * Splits a goal into subtasks, dispatches them all at once, and keeps the result. Whatever goes wrong in the
   * decomposer or an agent is in the result. Rejects with `validation`, or with `unavailable` before anything was
   * done when the store is known to be out of reach.
   */
  route(request: RouteRequest): Promise<RoutingResult>;
  /** A routed goal; rejects with `not_found`. */
  getRoute(routingId: string): Promise<RoutingResult>;
  /** Routed goals without their results, newest first. */
  listRoutes(page: PageRequest): Promise<Page<RoutingSummary>>;
}

type RoutingPorts = Pick<
  Ports,
  'clock' | 'newId' | 'logger' | 'events' | 'telemetry' | 'decompose' | 'storage' | 'routes'
>;

interface RoutingDeps {
  readonly agents: Pick<AgentRegistry, 'list'>;
  readonly bus: AgentBus;
}

/** Subtasks between two looks at how long it is that others wait. */
const LOOK_EVERY = 8;

/** What the subtasks of one goal share: they are all made at once. */
interface Batch {
  readonly routingId: string;
  readonly signal: AbortSignal | undefined;
  readonly createdAt: string;
}

/** Who the agents' messages come from, as the agents see it. */
const SENDER = 'router';

/** Agent routing over its ports, the agents and their bus. */
export function createRouting(ports: RoutingPorts, { agents, bus }: RoutingDeps, limits: Limits): Routing {
  const { clock, logger, events, telemetry } = ports;
  const plan = createPlanSubTasks(ports, agents, limits);

  function dispatch(subtask: SubTask, batch: Batch): Awaitable<SubTaskResult> {
    const taskId = ports.newId();
    return telemetry.span('subtask', { task_id: taskId }, (span) => send(taskId, subtask, batch, span));
  }

  function send(taskId: string, subtask: SubTask, batch: Batch, span: Span): Awaitable<SubTaskResult> {
    const { signal, createdAt } = batch;
    const options = { id: taskId, sender: SENDER, signal, createdAt };
    const outcome = bus.send(subtask.agentName, subtask.payload, options);
    if (isThenable(outcome)) return finishLater(taskId, subtask, batch, span, outcome);
    return finish(taskId, subtask, batch, span, outcome);
  }

  async function finishLater(
    taskId: string,
    subtask: SubTask,
    batch: Batch,
    span: Span,
    outcome: PromiseLike<AgentOutcome>,
  ): Promise<SubTaskResult> {
    return finish(taskId, subtask, batch, span, await outcome);
  }

  function finish(
    taskId: string,
    { agentName, payload }: SubTask,
    { routingId }: Batch,
    span: Span,
    { status, output, error, durationMs }: AgentOutcome,
  ): SubTaskResult {
    if (error !== null) span.fail('subtask_failed');
    events({ type: 'subtask.finished', routingId, taskId, agentName, status, error, durationMs });
    return { taskId, agentName, payload, status, output, error, durationMs };
  }

  /** Dispatches all subtasks at the same time, but for turns that others get where agents take theirs at once. */
  async function dispatchAll(subtasks: readonly SubTask[], batch: Batch): Promise<readonly SubTaskResult[]> {
    const results: Awaitable<SubTaskResult>[] = [];
    let begun = clock.monotonic();
    for (const subtask of subtasks) {
      results.push(dispatch(subtask, batch));
      if (results.length % LOOK_EVERY !== 0 || !isOverdue(clock, begun)) continue;
      await sleep(clock, 0);
      begun = clock.monotonic();
    }
    const settled = await all(results);
    // What took long to dispatch takes long to record, too.
    if (isOverdue(clock, begun)) await sleep(clock, 0);
    return settled;
  }

  async function run(routingId: string, request: RouteRequest): Promise<RoutingResult> {
    const { goal, signal } = request;
    const started = clock.monotonic();
    const createdAt = isoTime(clock.now());
    const { decomposition, subtasks, error } = await plan(request);
    const batch: Batch = { routingId, signal, createdAt: isoTime(clock.now()) };
    const results = await dispatchAll(subtasks, batch);
    const durationMs = elapsedMs(started, clock.monotonic());
    const completedAt = isoTime(clock.now());
    return aggregate({ routingId, goal, decomposition, results, error, createdAt, completedAt, durationMs });
  }

  function tell({ routingId, status, subtaskCounts, durationMs }: RoutingResult): void {
    const { total, failed } = subtaskCounts;
    events({ type: 'routing.finished', routingId, status, total, failed, durationMs });
  }

  /** The work is done whether its record can be kept or not, so the caller gets the result either way. */
  async function store(result: RoutingResult): Promise<void> {
    try {
      await ports.routes.put(result);
    } catch (error) {
      logger.error('the routing result could not be stored', { err: error });
    }
  }

  return {
    async route(request) {
      const faults = routingIssues(request.goal, request.subtasks?.length ?? 0, limits.maxSubtasks);
      if (faults.length > 0) throw invalid(faults);
      ports.storage.assertAvailable();
      const routingId = ports.newId();
      return logger.bind({ routing_id: routingId }, () =>
        telemetry.span('route', { routing_id: routingId }, async (span) => {
          const result = await run(routingId, request);
          if (result.status === 'failed') span.fail('routing_failed');
          tell(result);
          await store(result);
          return result;
        }),
      );
    },
    async getRoute(routingId) {
      const result = await ports.routes.get(routingId);
      if (result === undefined) throw notFound('routing run', routingId);
      return result;
    },
    listRoutes: (page) => ports.routes.list(page),
  };
}

/** Waits for all; what is there already is not waited for one by one. */
function all<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  const there: T[] = [];
  for (const value of values) {
    if (isThenable(value)) return Promise.all(values);
    there.push(value);
  }
  return there;
}
