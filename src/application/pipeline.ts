import type { StageAgent } from '../domain/events.ts';
import type { Decided, ToolCall, ToolOutcome } from '../domain/message.ts';
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
import { bounded, isThenable } from './bounded.ts';
import type { Limits } from './limits.ts';
import type { MessageRun } from './message-run.ts';
import { failureOf, interruptedRun, PipelineFailure } from './pipeline-failure.ts';
import type { ToolRegistry } from './tool-registry.ts';

/**
 * Takes a run through classify, plan, execute tools, verify and respond to COMPLETED (specification, section 3).
 * Rejects with what went wrong; `signal` aborts when the service shuts down.
 */
export type Pipeline = (run: MessageRun, signal: AbortSignal | undefined) => Promise<Trace>;

/**
 * The pipeline over its stages and the shared tool registry. What answers at once, as rules and most tools do, is
 * not waited for: twelve waits would cost as much as the four stages.
 */
export function createPipeline(
  ports: Pick<Ports, 'clock' | 'events' | 'telemetry' | 'stages'>,
  tools: ToolRegistry,
  limits: Limits,
): Pipeline {
  const { clock, stages, telemetry } = ports;

  /** Lets a stage decide within its bounds, checks what it returned, and tells it. */
  function decide<T>(
    run: MessageRun,
    agent: StageAgent,
    stage: (context: StageContext) => Awaitable<Decided<T>>,
    check: (value: unknown) => T,
    signal: AbortSignal | undefined,
  ): Awaitable<T> {
    const { name, attributes, category, failed } = words[agent];
    return telemetry.span(name, attributes, (span) => {
      const conclude = (returned: unknown): T => {
        const decided = checkDecided(returned, check);
        span.set({ source: decided.source });
        run.decided(agent, decided);
        return decided.value;
      };
      try {
        const returned = bounded(stage, { clock, timeoutMs: limits.stageTimeoutMs, signal });
        if (!isThenable(returned)) return conclude(returned);
        return returned.then(conclude).then(undefined, (error: unknown) => {
          throw failureOf(category, error, failed);
        });
      } catch (error) {
        throw failureOf(category, error, failed);
      }
    });
  }

  /** Calls the planned tools that have no outcome yet, one after the other; the first that fails ends the run. */
  function execute(
    run: MessageRun,
    calls: readonly ToolCall[],
    signal: AbortSignal | undefined,
    outcomes: ToolOutcome[] = [],
  ): Awaitable<readonly ToolOutcome[]> {
    const keep = (outcome: ToolOutcome): void => {
      if (outcome.status === 'error') {
        if (signal?.aborted) throw interruptedRun();
        throw new PipelineFailure('tool_error', `${outcome.toolName}: ${outcome.error}`);
      }
      outcomes.push(outcome);
    };
    for (let call = calls[outcomes.length]; call !== undefined; call = calls[outcomes.length]) {
      const idempotencyKey = `${run.traceId}:${outcomes.length}`;
      const executed = tools.execute(call, { idempotencyKey, signal, tell: run.tell });
      if (isThenable(executed)) {
        return executed.then((outcome) => {
          keep(outcome);
          return execute(run, calls, signal, outcomes);
        });
      }
      keep(executed);
    }
    return outcomes;
  }

  return async (run, signal) => {
    const { message } = run;
    const classifying = decide(
      run,
      'classifier',
      (context) => stages.classify(message, context),
      checkClassification,
      signal,
    );
    const classification = isThenable(classifying) ? await classifying : classifying;
    run.classification = classification;
    run.enter('CLASSIFIED');
    run.enter('PLANNING');
    const known = { message, classification };
    const planning = decide(run, 'planner', (context) => stages.plan(known, context), checkPlan, signal);
    const plan = isThenable(planning) ? await planning : planning;
    run.enter('TOOL_EXECUTION');
    const executing = execute(run, plan.toolCalls, signal);
    const outcomes = isThenable(executing) ? await executing : executing;
    run.enter('VERIFYING');
    const done = { message, classification, outcomes };
    const verifying = decide(
      run,
      'verifier',
      (context) => stages.verify(done, context),
      checkVerdict,
      signal,
    );
    const verdict = isThenable(verifying) ? await verifying : verifying;
    if (verdict.escalated) {
      ports.events({ type: 'message.escalated', traceId: run.traceId, reasons: verdict.reasons });
    }
    const judged = { message, classification, outcomes, verdict };
    const responding = decide(
      run,
      'responder',
      (context) => stages.respond(judged, context),
      checkReply,
      signal,
    );
    const response = isThenable(responding) ? await responding : responding;
    return run.finish({ status: 'COMPLETED', escalated: verdict.escalated, response, error: null });
  };
}

/** What a stage is called in spans, and what is said of it when it fails. */
interface StageWords {
  readonly name: string;
  readonly attributes: { readonly stage: StageAgent };
  readonly category: string;
  readonly failed: string;
}

const words: Readonly<Record<StageAgent, StageWords>> = {
  classifier: wordsOf('classifier'),
  planner: wordsOf('planner'),
  verifier: wordsOf('verifier'),
  responder: wordsOf('responder'),
};

function wordsOf(stage: StageAgent): StageWords {
  return {
    name: `stage ${stage}`,
    attributes: { stage },
    category: `${stage}_error`,
    failed: `the ${stage} failed`,
  };
}
