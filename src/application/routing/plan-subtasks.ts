import { isInstance, safeErrorText } from '../../domain/error-text.ts';
import type { Limits } from '../../domain/limits.ts';
import { parseDecomposition } from '../../domain/routing/decomposition-contract.ts';
import type { Decomposition, SubTask } from '../../domain/routing/routing.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import { bounded, GivenUpError } from '../../lib/async/legacy.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentRegistry } from '../agents/registry.ts';

/** What is to be dispatched for a goal. */
export interface Planned {
  readonly decomposition: Decomposition;
  readonly subtasks: readonly SubTask[];
  /** Why there are none, or not all; else null. */
  readonly error: string | null;
}

/** A goal with the subtasks that its caller gave, if any. */
export interface PlanRequest {
  readonly goal: string;
  readonly subtasks?: readonly SubTask[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Finds the subtasks of a goal: those given, or those that the decomposer makes. Never throws or rejects. */
export type PlanSubTasks = (request: PlanRequest) => Awaitable<Planned>;

type PlanPorts = Pick<Ports, 'clock' | 'logger' | 'telemetry' | 'decompose'>;

/** The most characters of a list of agents within an error. */
const MAX_NAMES = 400;

/** Planning by the decompose port, over the agents that are registered when it is asked. */
export function createPlanSubTasks(
  ports: PlanPorts,
  agents: Pick<AgentRegistry, 'list'>,
  limits: Limits,
): PlanSubTasks {
  const { clock, logger, telemetry } = ports;
  const { maxSubtasks } = limits;

  async function decompose({ goal, signal }: PlanRequest, span: Span): Promise<Planned> {
    const known = agents.list();
    try {
      const made = await bounded(
        (lazy) =>
          ports.decompose(goal, known, {
            get signal() {
              return lazy.signal;
            },
            maxSubtasks,
          }),
        { clock, timeoutMs: limits.stageTimeoutMs, signal },
      );
      const { decomposition, subtasks, omitted: left } = parseDecomposition(made, maxSubtasks);
      span.set({ decomposition, subtasks: subtasks.length });
      if (subtasks.length === 0) return { decomposition, subtasks, error: nobody(known) };
      const error =
        left > 0 ? `only the first ${maxSubtasks} of ${maxSubtasks + left} subtasks were dispatched` : null;
      return { decomposition, subtasks, error };
    } catch (thrown) {
      const text = 'the goal could not be decomposed';
      const error = isInstance(thrown, GivenUpError)
        ? `${text}: ${thrown.message}`
        : safeErrorText(thrown, text);
      span.fail('decomposition_error');
      logger.error('decomposition failed', { reason: error, err: thrown });
      return { decomposition: 'keyword', subtasks: [], error };
    }
  }

  return (request) => {
    const { subtasks } = request;
    if (subtasks === undefined) return telemetry.span('decompose', {}, (span) => decompose(request, span));
    const error = subtasks.length === 0 ? 'there are no subtasks to dispatch' : null;
    return { decomposition: 'explicit', subtasks, error };
  };
}

function nobody(agents: readonly { readonly name: string }[]): string {
  if (agents.length === 0) return 'no registered agent matches the goal: there are no agents';
  const names = truncate(agents.map(({ name }) => name).join(', '), MAX_NAMES);
  return `no registered agent matches the goal; the registered agents are ${names}`;
}
