import { OrchestrationError } from '../domain/errors.ts';
import type { StageAgent } from '../domain/events.ts';
import type { CustomerMessage, Decided, Plan, ToolOutcome } from '../domain/message.ts';
import {
  checkClassification,
  checkDecided,
  checkPlan,
  checkReply,
  checkVerdict,
} from '../domain/stage-contract.ts';
import type { Trace } from '../domain/trace.ts';
import type { Ports } from '../ports/ports.ts';
import type { Awaitable, StageContext } from '../ports/stages.ts';
import { bounded, GivenUpError } from './bounded.ts';
import type { Limits } from './limits.ts';
import { type MessageRun, SAFE_REPLY, startMessageRun } from './message-run.ts';
import { isInstance, safeErrorText } from './safe-error.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** What a caller may say of a message beside its content. */
export interface ProcessOptions {
  /** Aborted when the service shuts down: the message then ends as FAILED, `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The message pipeline (specification, section 3). */
export interface MessageProcessor {
  /**
   * Runs one message through the pipeline and stores its trace, however it ends. Rejects only with `unavailable`,
   * and only before anything was done, when the trace store is known to be out of reach.
   */
  process(message: CustomerMessage, options?: ProcessOptions): Promise<Trace>;
  /** Runs all messages concurrently; traces come in the order of the messages, and none harms another. */
  processBatch(messages: readonly CustomerMessage[], options?: ProcessOptions): Promise<readonly Trace[]>;
}

type ProcessorPorts = Pick<
  Ports,
  'clock' | 'newId' | 'logger' | 'events' | 'telemetry' | 'stages' | 'traces' | 'storage'
>;

/** What went wrong in a run, by the part of the pipeline that it happened in. */
class PipelineFailure extends Error {
  readonly category: string;

  constructor(category: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.category = category;
  }
}

/** The message pipeline over its ports and the shared tool registry. */
export function createMessageProcessor(
  ports: ProcessorPorts,
  tools: ToolRegistry,
  limits: Limits,
): MessageProcessor {
  const { clock, logger, stages, telemetry } = ports;

  /** Lets a stage decide within its bounds, checks what it returned, and tells it. */
  async function decide<T>(
    run: MessageRun,
    agent: StageAgent,
    stage: (context: StageContext) => Awaitable<Decided<T>>,
    check: (value: unknown) => T,
    options: ProcessOptions,
  ): Promise<T> {
    return telemetry.span(`stage ${agent}`, { stage: agent }, async (span) => {
      try {
        const bounds = { clock, timeoutMs: limits.stageTimeoutMs, signal: options.signal };
        const decided = checkDecided(await bounded(stage, bounds), check);
        span.set({ source: decided.source });
        run.decided(agent, decided);
        return decided.value;
      } catch (error) {
        throw failureOf(`${agent}_error`, error, `the ${agent} failed`);
      }
    });
  }

  /** Calls the planned tools one after the other; the first that fails ends the run. */
  async function executePlan(
    run: MessageRun,
    plan: Plan,
    options: ProcessOptions,
  ): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    for (const call of plan.toolCalls) {
      const idempotencyKey = `${run.traceId}:${outcomes.length}`;
      const outcome = await tools.execute(call, { idempotencyKey, signal: options.signal, tell: run.tell });
      if (outcome.status === 'error') {
        if (options.signal?.aborted) throw new PipelineFailure('interrupted', 'the service was shut down');
        throw new PipelineFailure('tool_error', `${outcome.toolName}: ${outcome.error}`);
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  async function pipeline(run: MessageRun, options: ProcessOptions): Promise<Trace> {
    const { message } = run;
    const classification = await decide(
      run,
      'classifier',
      (context) => stages.classify(message, context),
      checkClassification,
      options,
    );
    run.classification = classification;
    run.enter('CLASSIFIED');
    run.enter('PLANNING');
    const planning = { message, classification };
    const plan = await decide(
      run,
      'planner',
      (context) => stages.plan(planning, context),
      checkPlan,
      options,
    );
    run.enter('TOOL_EXECUTION');
    const outcomes = await executePlan(run, plan, options);
    run.enter('VERIFYING');
    const checked = { ...planning, outcomes };
    const verdict = await decide(
      run,
      'verifier',
      (context) => stages.verify(checked, context),
      checkVerdict,
      options,
    );
    if (verdict.escalated) {
      ports.events({ type: 'message.escalated', traceId: run.traceId, reasons: verdict.reasons });
    }
    const judged = { ...checked, verdict };
    const response = await decide(
      run,
      'responder',
      (context) => stages.respond(judged, context),
      checkReply,
      options,
    );
    return run.finish({ status: 'COMPLETED', escalated: verdict.escalated, response, error: null });
  }

  async function runToItsEnd(run: MessageRun, options: ProcessOptions): Promise<Trace> {
    try {
      return await pipeline(run, options);
    } catch (error) {
      const failure = failureOf('internal_error', error, 'the pipeline failed');
      logger.error('message failed', {
        category: failure.category,
        reason: failure.message,
        err: failure.cause,
      });
      const told = `${failure.category}: ${failure.message}`;
      return run.finish({ status: 'FAILED', escalated: true, response: SAFE_REPLY, error: told });
    }
  }

  async function store(trace: Trace): Promise<void> {
    try {
      await ports.traces.put(trace);
    } catch (error) {
      logger.error('the trace could not be stored', { err: error });
    }
  }

  async function process(message: CustomerMessage, options: ProcessOptions = {}): Promise<Trace> {
    ports.storage.assertAvailable();
    const traceId = ports.newId();
    return logger.bind({ trace_id: traceId }, () =>
      telemetry.span('process_message', { 'message.trace_id': traceId }, async (span) => {
        const trace = await runToItsEnd(startMessageRun(ports, traceId, message), options);
        if (trace.error !== null) span.fail(trace.error);
        await store(trace);
        return trace;
      }),
    );
  }

  return {
    process,
    processBatch: (messages, options) => Promise.all(messages.map((message) => process(message, options))),
  };
}

/** A failure with its category. What was judged already keeps its first judgement. */
function failureOf(category: string, error: unknown, text: string): PipelineFailure {
  if (isInstance(error, PipelineFailure)) return error;
  if (isInstance(error, GivenUpError)) {
    return error.reason === 'interrupted'
      ? new PipelineFailure('interrupted', 'the service was shut down')
      : new PipelineFailure(category, `${text}: ${error.message}`, error);
  }
  if (isInstance(error, OrchestrationError)) return new PipelineFailure(category, error.message, error);
  return new PipelineFailure(category, safeErrorText(error, text), error);
}
