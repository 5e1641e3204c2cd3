import type { StageName } from '../../domain/events.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Decision, ToolCall, ToolOutcome } from '../../domain/message/message.ts';
import {
  parseClassification,
  parseDecision,
  parsePlan,
  parseReply,
  parseVerdict,
} from '../../domain/message/stage-contract.ts';
import type { Trace } from '../../domain/message/trace.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import { type Bounds, boundedAs, isThenable } from '../../lib/async/legacy.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StageContext, Stages } from '../../ports/stages.ts';
import type { Span } from '../../ports/telemetry.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { MessageRun } from './message-run.ts';
import { failureOf, interruptedRun, PipelineFailure } from './pipeline-failure.ts';

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
  const timeoutMs = limits.stageTimeoutMs;
  const classify = stageOf(
    'classifier',
    (input: Parameters<Stages['classify']>[0], context) => stages.classify(input, context),
    parseClassification,
  );
  const plan = stageOf(
    'planner',
    (input: Parameters<Stages['plan']>[0], context) => stages.plan(input, context),
    parsePlan,
  );
  const verify = stageOf(
    'verifier',
    (input: Parameters<Stages['verify']>[0], context) => stages.verify(input, context),
    parseVerdict,
  );
  const respond = stageOf(
    'responder',
    (input: Parameters<Stages['respond']>[0], context) => stages.respond(input, context),
    parseReply,
  );

  /** Lets a stage decide within its bounds, checks what it returned, and tells it. */
  function decide<Input, T>(
    run: MessageRun,
    stage: Stage<Input, T>,
    input: Input,
    signal: AbortSignal | undefined,
  ): Awaitable<T> {
    return telemetry.span(stage.name, stage.attributes, (span) => {
      try {
        const decided = boundedAs(ask, conclude<Input, T>, {
          clock,
          timeoutMs,
          signal,
          run,
          stage,
          input,
          span,
        });
        if (!isThenable(decided)) return decided;
        return decided.then(undefined, (error: unknown) => {
          throw failureOf(stage.category, error, stage.failed);
        });
      } catch (error) {
        throw failureOf(stage.category, error, stage.failed);
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
    const classifying = decide(run, classify, message, signal);
    const classification = isThenable(classifying) ? await classifying : classifying;
    run.classification = classification;
    run.enter('CLASSIFIED');
    run.enter('PLANNING');
    const planning = decide(run, plan, { message, classification, hasTool: tools.has }, signal);
    const { toolCalls } = isThenable(planning) ? await planning : planning;
    run.enter('TOOL_EXECUTION');
    const executing = execute(run, toolCalls, signal);
    const outcomes = isThenable(executing) ? await executing : executing;
    run.enter('VERIFYING');
    const verifying = decide(run, verify, { message, classification, outcomes }, signal);
    const verdict = isThenable(verifying) ? await verifying : verifying;
    if (verdict.escalated) {
      ports.events({ type: 'message.escalated', traceId: run.traceId, reasons: verdict.reasons });
    }
    const responding = decide(run, respond, { message, classification, outcomes, verdict }, signal);
    const response = isThenable(responding) ? await responding : responding;
    return run.finish({ status: 'COMPLETED', escalated: verdict.escalated, response, error: null });
  };
}

/** A stage: who decides, by what, and what is said of it. */
interface Stage<Input, T> {
  readonly agent: StageName;
  readonly decide: (input: Input, context: StageContext) => Awaitable<Decision<T>>;
  /** Makes sure of the stage's contract; throws where it is broken. */
  readonly check: (value: unknown) => T;
  /** Its span. */
  readonly name: string;
  readonly attributes: { readonly stage: StageName };
  /** What its failure is called, by a stable word and in a sentence. */
  readonly category: string;
  readonly failed: string;
}

function stageOf<Input, T>(
  agent: StageName,
  decide: Stage<Input, T>['decide'],
  check: Stage<Input, T>['check'],
): Stage<Input, T> {
  return {
    agent,
    decide,
    check,
    name: `stage ${agent}`,
    attributes: { stage: agent },
    category: `${agent}_error`,
    failed: `the ${agent} failed`,
  };
}

/** A decision under way: all that its stage, and what follows it, need to know. */
interface StageCall<Input, T> extends Bounds {
  readonly run: MessageRun;
  readonly stage: Stage<Input, T>;
  readonly input: Input;
  readonly span: Span;
}

function ask<Input, T>(context: StageContext, { stage, input }: StageCall<Input, T>): Awaitable<Decision<T>> {
  return stage.decide(input, context);
}

/** Checks what a stage returned, and tells it. */
function conclude<Input, T>(returned: unknown, { run, stage, span }: StageCall<Input, T>): T {
  const decided = parseDecision(returned, stage.check);
  span.set({ source: decided.source });
  run.decided(stage.agent, decided);
  return decided.value;
}
