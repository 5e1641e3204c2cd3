import type { Limits } from '../../domain/limits.ts';
import type { ToolOutcome } from '../../domain/message/message.ts';
import type { StepOutcome } from '../../domain/run/run.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import { InputError, resolveInput } from '../../domain/workflow/step-input.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentBus, AgentOutcome } from '../agents/bus.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { type ActiveRun, endStep, inputOf, layerOf, stepOf } from './active-run.ts';

/** The targets of steps: the tools and the agents. */
export interface StepTargets {
  readonly tools: Pick<ToolRegistry, 'execute'>;
  readonly agents: AgentBus;
}

/**
 * Runs the steps of one layer concurrently, at most `maxConcurrentSteps` at a time, and resolves when all have ended. A
 * step that fails does not affect the others. Starts no more steps after the run was interrupted.
 */
export type RunLayer = (run: ActiveRun, layer: number) => Promise<void>;

type StepPorts = Pick<Ports, 'clock' | 'logger' | 'events' | 'telemetry'>;

/** Creates the function that runs layers. */
export function createLayerRunner(
  { clock, logger, events, telemetry }: StepPorts,
  { tools, agents }: StepTargets,
  limits: Limits,
): RunLayer {
  /** Calls the tool or agent of a step. Throws {@link InputError} where its input cannot be resolved. */
  function callTarget(run: ActiveRun, index: number, step: Step): Promise<ToolOutcome | AgentOutcome> {
    const { runId } = run.head;
    const { signal } = run.controller;
    const input = resolveInput(inputOf(run, index), run.sources, limits.maxInputBytes);
    if (step.kind === 'agent') {
      return agents.send(step.agentName, input, { sender: `workflow:${runId}`, signal });
    }
    const idempotencyKey = `${runId}:${step.id}`;
    return tools.execute({ toolName: step.toolName, input }, { idempotencyKey, signal });
  }

  function failedOutcome(step: Step, error: unknown): StepOutcome {
    const outcome = { attempts: 0, output: null, durationMs: 0 };
    if (error instanceof InputError) return { ...outcome, error: error.message };
    logger.error('a workflow step threw', { step_id: step.id, err: error });
    return { ...outcome, error: 'the step failed unexpectedly' };
  }

  async function runStep(run: ActiveRun, index: number, step: Step, span: Span): Promise<void> {
    const startedAt = isoTime(clock.now());
    let outcome: StepOutcome;
    try {
      outcome = toStepOutcome(await callTarget(run, index, step));
    } catch (error) {
      outcome = failedOutcome(step, error);
    }
    const { error, durationMs } = endStep(run, index, outcome, {
      startedAt,
      completedAt: isoTime(clock.now()),
    });
    if (error !== null) span.fail('step_failed');
    const status = error === null ? 'COMPLETED' : 'FAILED';
    const { id: stepId, kind } = step;
    events({ type: 'step.finished', runId: run.head.runId, stepId, kind, status, error, durationMs });
  }

  function runStepInSpan(run: ActiveRun, index: number): Promise<void> {
    const step = stepOf(run, index);
    const attributes = { step_id: step.id, kind: step.kind };
    return telemetry.span('workflow.step', attributes, (span) => runStep(run, index, step, span));
  }

  /** One of several workers that share an iterator over the steps. */
  async function work(run: ActiveRun, indexes: Iterable<number>): Promise<void> {
    for (const index of indexes) {
      if (run.controller.signal.aborted) return;
      await runStepInSpan(run, index);
      await yieldIfDue();
    }
  }

  async function runConcurrently(run: ActiveRun, indexes: readonly number[]): Promise<void> {
    const shared = indexes.values();
    const workers: Promise<void>[] = [];
    while (workers.length < Math.min(limits.maxConcurrentSteps, indexes.length)) {
      workers.push(work(run, shared));
      await yieldIfDue();
    }
    await Promise.all(workers);
  }

  return (run, layer) => {
    const indexes = layerOf(run, layer);
    const [first] = indexes;
    if (first !== undefined && indexes.length === 1) return runStepInSpan(run, first);
    return runConcurrently(run, indexes);
  };
}

function toStepOutcome(outcome: ToolOutcome | AgentOutcome): StepOutcome {
  const { output, error, durationMs } = outcome;
  return { attempts: 'attempts' in outcome ? outcome.attempts : 1, output, error, durationMs };
}
