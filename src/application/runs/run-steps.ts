import { isInstance } from '../../domain/error-text.ts';
import type { Limits } from '../../domain/limits.ts';
import type { StepOutcome } from '../../domain/run/run.ts';
import type { Step } from '../../domain/workflow/definition.ts';
import { compileInput, InputError, resolveInput } from '../../domain/workflow/step-input.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import type { Turns } from '../../lib/async/legacy.ts';
import { isThenable } from '../../lib/async/legacy.ts';
import { jsonByteLength } from '../../lib/json/size.ts';
import { isoTime } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { AgentBus, AgentOutcome } from '../agents/bus.ts';
import type { Moment, TimedToolRegistry } from '../tools/registry.ts';
import { type ActiveRun, endStep } from './active-run.ts';

/** The most bytes of JSON that the outputs of one run may take together: a record that can still be kept and read. */
const MAX_RUN_OUTPUT_BYTES = 32 * 1_024 * 1_024;

const TOO_MUCH = `the outputs of this run together are larger than ${MAX_RUN_OUTPUT_BYTES} bytes of JSON`;

/** Who does the work of steps. */
export interface Workers {
  readonly tools: Pick<TimedToolRegistry, 'execute'>;
  readonly agents: AgentBus;
}

/**
 * Runs the steps of one layer of a run at the same time, at most `maxConcurrentSteps` at once, and resolves when all
 * have ended: a failing step leaves the others alone. Once the run is interrupted no further step begins.
 */
export type RunLayer = (run: ActiveRun, layer: number) => Awaitable<void>;

/** A step that has begun. */
interface BegunStep extends Moment {
  readonly run: ActiveRun;
  readonly number: number;
  readonly step: Step;
  readonly span: Span;
}

type StepPorts = Pick<Ports, 'clock' | 'logger' | 'events' | 'telemetry'>;

/** Makes the function that runs layers. */
export function createLayerRunner(
  { clock, logger, events, telemetry }: StepPorts,
  { tools, agents }: Workers,
  limits: Limits,
  turns: Turns,
): RunLayer {
  /** Hands the work of a step on. Throws {@link InputError} where its input cannot be made. */
  function work(begun: BegunStep): Awaitable<StepOutcome> {
    const { run, number, step } = begun;
    const { runId } = run.head;
    const { signal } = run.controller;
    const input = resolveInput(run.plan.inputs[number] ?? emptyInput, run.sources, limits.maxInputBytes);
    if (step.kind === 'tool') {
      const call = { toolName: step.toolName, input };
      return tools.execute(call, { idempotencyKey: `${runId}:${step.id}`, signal, begun });
    }
    const options = { sender: `workflow:${runId}`, createdAt: isoTime(begun.at), signal };
    const outcome = agents.send(step.agentName, input, options);
    return isThenable(outcome) ? outcome.then(agentStepEnd) : agentStepEnd(outcome);
  }

  /** What a step comes to whose work throws: its own input's fault, or a fault of ours that only the log explains. */
  function thrownEnd(step: Step, thrown: unknown): StepOutcome {
    if (isInstance(thrown, InputError)) return failure(thrown.message);
    logger.error('a workflow step threw', { step_id: step.id, err: thrown });
    return failure('the step failed unexpectedly');
  }

  function conclude({ run, number, step, span, at }: BegunStep, ended: StepOutcome): void {
    let end = ended;
    let bytes = end.output === null ? 0 : jsonByteLength(end.output, MAX_RUN_OUTPUT_BYTES - run.outputBytes);
    if (bytes === Number.POSITIVE_INFINITY) {
      end = { ...ended, output: null, error: TOO_MUCH };
      bytes = 0;
    }
    // The end follows from the start and the duration: to ask the clock costs a twentieth of a whole step.
    endStep(run, number, end, bytes, isoTime(at), isoTime(Math.floor(at + end.durationMs)));
    if (end.error !== null) span.fail('step_failed');
    events({
      type: 'step.finished',
      runId: run.head.runId,
      stepId: step.id,
      kind: step.kind,
      status: end.error === null ? 'COMPLETED' : 'FAILED',
      error: end.error,
      durationMs: end.durationMs,
    });
  }

  async function concludeLater(begun: BegunStep, pending: PromiseLike<StepOutcome>): Promise<void> {
    let end: StepOutcome;
    try {
      end = await pending;
    } catch (thrown) {
      end = thrownEnd(begun.step, thrown);
    }
    conclude(begun, end);
  }

  function runStep(begun: BegunStep): Awaitable<void> {
    let ended: Awaitable<StepOutcome>;
    try {
      ended = work(begun);
    } catch (thrown) {
      ended = thrownEnd(begun.step, thrown);
    }
    return isThenable(ended) ? concludeLater(begun, ended) : conclude(begun, ended);
  }

  function startStep(run: ActiveRun, number: number, monotonic: number): Awaitable<void> {
    const step = run.plan.definition.steps[number];
    if (step === undefined) return undefined;
    return telemetry.span('workflow.step', { step_id: step.id, kind: step.kind }, (span) =>
      runStep({ run, number, step, span, at: clock.now(), monotonic }),
    );
  }

  /** Runs many steps as one: resolves when all have ended, whatever became of them. */
  function runAll(run: ActiveRun, numbers: readonly number[]): Promise<void> {
    const { signal } = run.controller;
    return new Promise((resolve, reject) => {
      const thrown: unknown[] = [];
      let next = 0;
      let running = 0;
      const ended = (): void => {
        running--;
        launch();
      };
      const failed = (error: unknown): void => {
        thrown.push(error);
        ended();
      };
      const launch = (): void => {
        while (next < numbers.length && running < limits.maxConcurrentSteps && !signal.aborted) {
          running++;
          const now = clock.monotonic();
          const turn = turns.next(now);
          if (turn !== undefined) return void turn.then(ended);
          const step = startStep(run, numbers[next++] ?? 0, now);
          if (isThenable(step)) step.then(ended, failed);
          else running--;
        }
        if (running > 0) return;
        if (thrown.length > 0) reject(thrown[0]);
        else resolve();
      };
      launch();
    });
  }

  return (run, layer) => {
    const numbers = run.plan.layers[layer] ?? [];
    const only = numbers.length === 1 ? numbers[0] : undefined;
    return only === undefined ? runAll(run, numbers) : startStep(run, only, clock.monotonic());
  };
}

const emptyInput = compileInput({}, () => undefined);

function agentStepEnd({ output, error, durationMs }: AgentOutcome): StepOutcome {
  return { attempts: 1, output, error, durationMs };
}

function failure(error: string): StepOutcome {
  return { attempts: 0, output: null, error, durationMs: 0 };
}
