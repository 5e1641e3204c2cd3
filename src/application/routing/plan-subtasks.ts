import { safeErrorText } from '../../domain/error-text.ts';
import type { Limits } from '../../domain/limits.ts';
import { parseDecomposition } from '../../domain/routing/decomposition-contract.ts';
import type { Decomposition, PlannedSubTask, SubTask } from '../../domain/routing/routing.ts';
import { AbortError, TimeoutError, withTimeout } from '../../lib/async/timeout.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentRegistry } from '../agents/registry.ts';

/** The subtasks of a goal. */
export interface SubTaskPlan {
  readonly decomposition: Decomposition;
  readonly subtasks: readonly PlannedSubTask[];
  /** The parts of the goal that belong to none. */
  readonly unassigned: readonly string[];
  /** The reason for which there are none, or not all; else null. */
  readonly error: string | null;
}

/** A goal with the subtasks that its caller gave, if any. */
export interface PlanRequest {
  readonly goal: string;
  readonly subtasks?: readonly SubTask[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Finds the subtasks of a goal: those of the caller, or those that the decomposer creates. Never rejects. */
export type PlanSubTasks = (request: PlanRequest) => Promise<SubTaskPlan>;

type PlanPorts = Pick<Ports, 'clock' | 'logger' | 'telemetry' | 'decompose'>;

/** Maximum length of a list of agents within an error, in characters. */
const MAX_NAMES_LENGTH = 400;

/** Creates the function that finds subtasks. The agents are looked up when it is called. */
export function createPlanSubTasks(
  ports: PlanPorts,
  agents: Pick<AgentRegistry, 'list'>,
  limits: Limits,
): PlanSubTasks {
  const { clock, logger, telemetry } = ports;
  const { maxSubtasks, stageTimeoutMs } = limits;

  async function decompose({ goal, signal }: PlanRequest, span: Span): Promise<SubTaskPlan> {
    const registered = agents.list();
    const returned = await withTimeout(
      (stageSignal) => ports.decompose(goal, registered, { signal: stageSignal, maxSubtasks }),
      { clock, timeoutMs: stageTimeoutMs, signal },
    );
    const { decomposition, subtasks, unassigned, omitted } = parseDecomposition(returned, maxSubtasks);
    span.set({ decomposition, subtasks: subtasks.length });
    if (subtasks.length === 0) return { decomposition, subtasks, unassigned, error: noMatch(registered) };
    const total = subtasks.length + omitted;
    const error =
      omitted > 0 ? `only the first ${subtasks.length} of ${total} subtasks were dispatched` : null;
    return { decomposition, subtasks, unassigned, error };
  }

  function decompositionFailed(thrown: unknown, span: Span): SubTaskPlan {
    const error = failureText(thrown);
    span.fail('decomposition_error');
    logger.error('decomposition failed', { reason: error, err: thrown });
    return { decomposition: 'keyword', subtasks: [], unassigned: [], error };
  }

  return async (request) => {
    const { subtasks } = request;
    if (subtasks !== undefined) {
      const error = subtasks.length === 0 ? 'there are no subtasks to dispatch' : null;
      const planned = subtasks.map(({ agentName, payload }) => ({ agentName, payload, matched: [] }));
      return { decomposition: 'explicit', subtasks: planned, unassigned: [], error };
    }
    return telemetry.span('decompose', {}, async (span) => {
      try {
        return await decompose(request, span);
      } catch (thrown) {
        return decompositionFailed(thrown, span);
      }
    });
  };
}

function failureText(thrown: unknown): string {
  const text = 'the goal could not be decomposed';
  const isInterruption = thrown instanceof TimeoutError || thrown instanceof AbortError;
  return isInterruption ? `${text}: ${thrown.message}` : safeErrorText(thrown, text);
}

function noMatch(agents: readonly { readonly name: string }[]): string {
  if (agents.length === 0) return 'no registered agent matches the goal: there are no agents';
  const names = truncate(agents.map(({ name }) => name).join(', '), MAX_NAMES_LENGTH);
  return `no registered agent matches the goal; the registered agents are ${names}`;
}
