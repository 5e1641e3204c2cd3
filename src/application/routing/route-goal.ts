import { invalid, isOrchestrationError, notFound } from '../../domain/errors.ts';
import type { Limits } from '../../domain/limits.ts';
import { contextFor } from '../../domain/message/call-context.ts';
import { customerIdIssues } from '../../domain/message/message.ts';
import {
  aggregate,
  customerOfSubtasks,
  type PlannedSubTask,
  type RoutingFilter,
  type RoutingPlan,
  type RoutingResult,
  type RoutingSummary,
  routingIssues,
  type SubTask,
  type SubTaskResult,
  upgradeRouting,
  upgradeSummary,
} from '../../domain/routing/routing.ts';
import { FIRST_SUBTASK_SEQ } from '../../domain/routing/routing-events.ts';
import { onAbort } from '../../lib/async/on-abort.ts';
import { AbortError } from '../../lib/async/timeout.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { countCharacters } from '../../lib/text/characters.ts';
import { elapsedMs, isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { BeginErasable, WasErased } from '../../ports/storage/erasure-marks.ts';
import type { Page, PageRequest } from '../../ports/storage/record-store.ts';
import type { AgentBus } from '../agents/bus.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { createPlanSubTasks } from './plan-subtasks.ts';

/** A request to route a goal. */
export interface RouteRequest {
  /** 1 to 32,768 characters. */
  readonly goal: string;
  /** Exactly these are dispatched, even when the list is empty; when absent, the decomposer creates the subtasks. */
  readonly subtasks?: readonly SubTask[] | undefined;
  /**
   * The customer whose data the goal has, by whom it is erased: 1 to 128 characters. When absent, the one whom the
   * payloads of the subtasks for the pipeline name.
   */
  readonly customerId?: string | undefined;
  /** Aborted when the service shuts down: running subtasks then end as failed, `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /** The id of the result, made by `NewId`; chosen by `route` when absent. */
  readonly routingId?: string | undefined;
}

/** Agent routing (specification, sections 3 and 4). */
export interface Routing {
  /**
   * Splits a goal into subtasks, dispatches them concurrently, and stores the result, which includes every error of the
   * decomposer and the agents. Rejects with `validation`, or with `unavailable` before anything was done when the store
   * is known to be unreachable.
   */
  route(request: RouteRequest): Promise<RoutingResult>;
  /**
   * Splits a goal into subtasks as `route` does. Dispatches and stores nothing, and emits no events. Rejects with
   * `validation`.
   */
  plan(request: RouteRequest): Promise<RoutingPlan>;
  /** A routed goal. Rejects with `not_found`. */
  getRoute(routingId: string): Promise<RoutingResult>;
  /** Routed goals without their results, newest first; with a filter only those that fit it. */
  listRoutes(page: PageRequest, filter?: RoutingFilter): Promise<Page<RoutingSummary>>;
}

/** Routing, with what an erasure needs. */
export interface ErasableRouting extends Routing {
  /**
   * Ends the goals of a customer that this process works on. Resolves once they have ended; they leave no record then.
   */
  cancelOf(customerId: string): Promise<void>;
}

type RoutingPorts = Pick<
  Ports,
  'clock' | 'newId' | 'logger' | 'events' | 'telemetry' | 'decompose' | 'storage' | 'routes'
>;

interface RoutingDeps {
  readonly agents: Pick<AgentRegistry, 'list'>;
  readonly bus: AgentBus;
  readonly beginErasable: BeginErasable;
  /** Deletes a stored goal with the traces that it has made. Rejects with `not_found`. */
  readonly deleteRoute: (routingId: string) => Promise<void>;
}

/** A goal that this process works on. */
interface ActiveGoal {
  readonly customerId: string;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** The goal of a subtask. */
interface GoalContext {
  readonly routingId: string;
  readonly customerId: string | null;
  readonly signal: AbortSignal | undefined;
  /** The ids of the messages that agents forward. */
  readonly forwarded: string[];
}

/** The sender of the messages to the agents. */
const SENDER = 'router';

/** Creates agent routing from its ports, the agents and their bus. */
export function createRouting(
  ports: RoutingPorts,
  { agents, bus, beginErasable, deleteRoute }: RoutingDeps,
  limits: Limits,
): ErasableRouting {
  const { clock, logger, events, telemetry } = ports;
  const active = new Set<ActiveGoal>();
  const planSubTasks = createPlanSubTasks(ports, agents, limits);

  async function dispatch(
    { agentName, payload, matched }: PlannedSubTask,
    seq: number,
    { routingId, customerId, signal, forwarded }: GoalContext,
  ): Promise<SubTaskResult> {
    const taskId = ports.newId();
    return telemetry.span('subtask', { task_id: taskId }, async (span) => {
      const context = contextFor(customerId);
      const options = { id: taskId, sender: SENDER, signal, context, forwarded };
      const outcome = await bus.send(agentName, payload, options);
      const { status, output, error, durationMs } = outcome;
      if (error !== null) span.fail('subtask_failed');
      const at = clock.now();
      events({ type: 'subtask.finished', routingId, seq, at, taskId, agentName, status, error, durationMs });
      const ended = { status, output, error, durationMs, completedAt: isoTime(at) };
      return { taskId, agentName, payload, matched, ...ended };
    });
  }

  /** Dispatches all subtasks concurrently. */
  async function dispatchAll(
    subtasks: readonly PlannedSubTask[],
    context: GoalContext,
  ): Promise<readonly SubTaskResult[]> {
    const pending: Promise<SubTaskResult>[] = [];
    for (const [index, subtask] of subtasks.entries()) {
      pending.push(dispatch(subtask, FIRST_SUBTASK_SEQ + index, context));
      await yieldIfDue();
    }
    return Promise.all(pending);
  }

  async function run(routingId: string, request: RouteRequest): Promise<RoutingResult> {
    const { goal, signal } = request;
    const customerId = customerOf(request);
    const forwarded: string[] = [];
    const startedMs = clock.monotonic();
    const at = clock.now();
    const { decomposition, subtasks, unassigned, error } = await planSubTasks(request);
    const counts = { goalLength: countCharacters(goal), subtasks: subtasks.length };
    events({ type: 'routing.started', routingId, seq: 1, at, ...counts });
    const results = await dispatchAll(subtasks, { routingId, customerId, signal, forwarded });
    await yieldIfDue();
    const durationMs = elapsedMs(startedMs, clock.monotonic());
    const times = { createdAt: isoTime(at), completedAt: isoTime(clock.now()), durationMs };
    const decomposed = { decomposition, unassigned, error };
    return aggregate({ routingId, goal, customerId, results, forwarded, ...decomposed, ...times });
  }

  const customerOf = ({ customerId, subtasks = [] }: RouteRequest): string | null =>
    customerId ?? customerOfSubtasks(subtasks);

  /** Works on a goal of a customer, which an erasure ends. */
  async function whileActive<T>(
    request: RouteRequest,
    work: (request: RouteRequest) => Promise<T>,
  ): Promise<T> {
    const customerId = customerOf(request);
    if (customerId === null) return work(request);
    const controller = new AbortController();
    const { signal } = request;
    if (signal?.aborted) controller.abort(signal.reason);
    const stopListening = signal && onAbort(signal, () => controller.abort(signal.reason));
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const goal = { customerId, controller, ended };
    active.add(goal);
    try {
      return await work({ ...request, signal: controller.signal });
    } finally {
      active.delete(goal);
      stopListening?.();
      resolve();
    }
  }

  function assertValid({ goal, subtasks, customerId }: RouteRequest): void {
    const issues = [
      ...routingIssues(goal, subtasks?.length ?? 0, limits.maxSubtasks),
      ...customerIdIssues(customerId),
    ];
    if (issues.length > 0) throw invalid(issues);
  }

  function emitFinished(result: RoutingResult): void {
    const { routingId, status, subtaskCounts, error, durationMs, completedAt } = result;
    const { total, completed, failed } = subtaskCounts;
    const place = { routingId, seq: FIRST_SUBTASK_SEQ + total, at: Date.parse(completedAt) };
    events({ type: 'routing.finished', ...place, status, total, completed, failed, error, durationMs });
  }

  /**
   * Stores a result, unless its customer was erased meanwhile. A failure is only logged, so that the caller still gets
   * the result.
   */
  async function store(result: RoutingResult, wasErased: WasErased): Promise<void> {
    try {
      await ports.routes.put(result);
      // Only now: an erasure that comes later finds it.
      if (await wasErased()) await deleteRoute(result.routingId);
    } catch (error) {
      // The erasure has found it as well.
      if (isOrchestrationError(error, 'not_found')) return;
      logger.error('the routing result could not be stored', { err: error });
    }
  }

  return {
    async route(request) {
      assertValid(request);
      ports.storage.assertAvailable();
      const routingId = request.routingId ?? ports.newId();
      return logger.bind({ routing_id: routingId }, () =>
        telemetry.span('route', { routing_id: routingId }, async (span) => {
          const wasErased = await beginErasable(customerOf(request));
          return whileActive(request, async (cancellable) => {
            const result = await run(routingId, cancellable);
            if (result.status === 'failed') span.fail('routing_failed');
            emitFinished(result);
            await store(result, wasErased);
            return result;
          });
        }),
      );
    },
    async plan(request) {
      assertValid(request);
      const startedMs = clock.monotonic();
      const createdAt = isoTime(clock.now());
      const plan = await planSubTasks(request);
      const durationMs = elapsedMs(startedMs, clock.monotonic());
      return {
        goal: request.goal,
        customerId: customerOf(request),
        ...plan,
        createdAt,
        completedAt: isoTime(clock.now()),
        durationMs,
      };
    },
    async getRoute(routingId) {
      const result = await ports.routes.get(routingId);
      if (result === undefined) throw notFound('routing run', routingId);
      return upgradeRouting(result);
    },
    async listRoutes(page, filter) {
      const routes = await ports.routes.list(page, filter);
      return { ...routes, items: routes.items.map(upgradeSummary) };
    },
    async cancelOf(customerId) {
      const goals = [...active].filter((goal) => goal.customerId === customerId);
      for (const { controller } of goals) controller.abort(new AbortError('cancelled'));
      await Promise.all(goals.map(({ ended }) => ended));
    },
  };
}
