import type { Limits } from '../../../domain/limits.ts';
import { contextFor } from '../../../domain/message/call-context.ts';
import type { ToolOutcome } from '../../../domain/message/message.ts';
import type { RetryPolicy } from '../../../domain/retry.ts';
import { keyRunOf } from '../../../domain/run/continuation.ts';
import type { AgentStep, Step } from '../../../domain/workflow/definition.ts';
import { stepPlanAt } from '../../../domain/workflow/plan.ts';
import { InputError } from '../../../domain/workflow/template.ts';
import { backoffMs } from '../../../lib/async/backoff.ts';
import { sleep } from '../../../lib/async/sleep.ts';
import type { JsonObject, JsonValue } from '../../../lib/json/json.ts';
import type { Agent } from '../../../ports/agent.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Ports } from '../../../ports/ports.ts';
import type { AgentBus, AgentOutcome, SendOptions } from '../../agents/bus.ts';
import type { AgentRegistry } from '../../agents/registry.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { ActiveRun } from '../active-run.ts';

/** The targets of steps: the tools and the agents. */
export interface StepTargets {
  readonly tools: Pick<ToolRegistry, 'execute'>;
  readonly agents: AgentBus;
  /** The registered agents. */
  readonly agentRegistry: Pick<AgentRegistry, 'get'>;
}

/** How a step, or an item of it, ended, without the envelope of its event. */
export type CallEnd = { readonly attempts: number; readonly durationMs: number } & (
  | { readonly output: JsonObject; readonly error: null }
  | { readonly output: null; readonly error: string; readonly cancelled: boolean }
);

/** One call of a tool or an agent. */
export interface StepCall {
  readonly index: number;
  readonly step: Step;
  /** Aborted when the call is to end. */
  readonly signal: AbortSignal;
  /** The item that it is made for; undefined for a step without `foreach`. */
  readonly item?: { readonly value: JsonValue; readonly index: number } | undefined;
  /** Called before each wait for another attempt. */
  readonly onRetry: (attempt: number, error: string, delayMs: number) => void;
}

/** How a call of a tool or an agent ended. */
export type CallOutcome = ToolOutcome | (AgentOutcome & { readonly attempts?: number }) | CallEnd;

/**
 * Calls the tool or agent of a step, as often as its policy demands. Throws, or rejects, where the input cannot be
 * resolved: {@link thrownEnd} is the end of the step then.
 */
export type CallTarget = (run: ActiveRun, call: StepCall) => Promise<CallOutcome>;

/** The same, but never throws or rejects. */
export type CallStep = (run: ActiveRun, call: StepCall) => Promise<CallEnd>;

/** Creates {@link CallTarget}. In durable runs the messages to agents have ids that stay the same. */
export function createCallTarget(
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
  { tools, agents, agentRegistry }: StepTargets,
  limits: Pick<Limits, 'maxInputBytes'>,
  isDurable: boolean,
): CallTarget {
  function callTarget(run: ActiveRun, call: StepCall): Promise<CallOutcome> {
    const { index, step, item, signal, onRetry } = call;
    const { runId, customerId } = run.state.head;
    const context = contextFor(customerId);
    const sources = item === undefined ? run.sources : { ...run.sources, item };
    const input = stepPlanAt(run.plan, index).input(sources, limits.maxInputBytes);
    const keyRun = keyRunOf(run.state.head, step.id);
    const idempotencyKey = `${keyRun}:${step.id}${item === undefined ? '' : `:${item.index}`}`;
    if (step.kind === 'tool') {
      const options = { idempotencyKey, signal, context, onRetry, retry: step.retry };
      return tools.execute({ toolName: step.toolName, input }, options);
    }
    if (step.kind !== 'agent') throw new TypeError(`a step of kind ${step.kind} calls nothing`);
    const id = isDurable ? { id: idempotencyKey } : {};
    const options = { ...id, sender: `workflow:${runId}`, signal, context };
    return callAgent(step, call, input, options);
  }

  function callAgent(
    step: AgentStep,
    call: StepCall,
    input: JsonObject,
    options: SendOptions,
  ): Promise<AgentOutcome> {
    const send = () => agents.send(step.agentName, input, options);
    return step.retry === undefined ? send() : sendWithRetry(step, call, send);
  }

  async function sendWithRetry(
    { agentName, retry }: AgentStep,
    { signal, onRetry }: StepCall,
    send: () => Promise<AgentOutcome>,
  ): Promise<AgentOutcome & { readonly attempts: number }> {
    const agent = agentRegistry.get(agentName);
    const startedMs = clock.monotonic();
    for (let attempts = 1; ; attempts++) {
      const outcome = await send();
      const durationMs = clock.monotonic() - startedMs;
      const hasEnded = outcome.output !== null || signal.aborted;
      const delayMs = hasEnded ? null : agentRetryMs(agent, attempts, retry, random);
      if (delayMs === null) return { ...outcome, attempts, durationMs };
      onRetry(attempts, outcome.error ?? '', delayMs);
      await sleep(clock, delayMs, signal);
      if (signal.aborted) return { ...outcome, attempts, durationMs: clock.monotonic() - startedMs };
    }
  }

  return callTarget;
}

/**
 * Milliseconds from the failed attempt number `attempt` at an agent to the next one; null where none follows. An agent
 * that says of itself that it is a `write` gets its message once, and so does one that is not registered.
 */
export function agentRetryMs(
  agent: Agent | undefined,
  attempt: number,
  retry: RetryPolicy | undefined,
  random: () => number,
): number | null {
  if (retry === undefined || agent === undefined || agent.effect === 'write') return null;
  return attempt < retry.maxAttempts ? backoffMs(attempt, random, retry) : null;
}

/** Creates {@link CallStep}. */
export function createCallStep(callTarget: CallTarget, logger: Logger): CallStep {
  return async (run, call) => {
    try {
      return endOfCall(await callTarget(run, call));
    } catch (error) {
      return thrownEnd(call.step, error, logger);
    }
  };
}

/** The end of a call that has thrown. The error of an input that cannot be resolved is shown, any other is logged. */
export function thrownEnd(step: Step, error: unknown, logger: Logger): CallEnd {
  const end = { attempts: 0, output: null, cancelled: false, durationMs: 0 } as const;
  if (error instanceof InputError) return { ...end, error: error.message };
  logger.error('a workflow step threw', { step_id: step.id, err: error });
  return { ...end, error: 'the step failed unexpectedly' };
}

/** The end of a call. Throws for an outcome with neither an output nor an error, which tools and agents never have. */
export function endOfCall(outcome: CallOutcome): CallEnd {
  const { output, error, durationMs, attempts = 1 } = outcome;
  if (output !== null) return { attempts, durationMs, output, error: null };
  if (error === null) throw new TypeError('the outcome has neither an output nor an error');
  const cancelled = 'cancelled' in outcome && outcome.cancelled === true;
  return { attempts, durationMs, output, error, cancelled };
}
