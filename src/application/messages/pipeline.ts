import { safeErrorText } from '../../domain/error-text.ts';
import { OrchestrationError } from '../../domain/errors.ts';
import type { EventSink, MessageFinished, ToolExecuted } from '../../domain/events.ts';
import type { Limits } from '../../domain/limits.ts';
import type { CallContext } from '../../domain/message/call-context.ts';
import type {
  Classification,
  CompleteVerdict,
  Decision,
  Handover,
  ToolCall,
  ToolOutcome,
} from '../../domain/message/message.ts';
import { type PipelineState, type StageName, transition } from '../../domain/message/pipeline.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import {
  parseClassification,
  parseDecision,
  parsePlan,
  parseResponse,
  parseVerdict,
} from '../../domain/message/stage-contract.ts';
import { buildTrace, type TimelineEvent, type Trace } from '../../domain/message/trace.ts';
import { reachableTools } from '../../domain/playbook/playbook.ts';
import type { Awaitable } from '../../lib/async/awaitable.ts';
import {
  AbortError,
  CancelledError,
  isCancelled,
  TimeoutError,
  withTimeout,
} from '../../lib/async/timeout.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StageContext } from '../../ports/stages.ts';
import type { ToolSet } from '../tools/registry.ts';
import type { InUse } from './playbook-in-use.ts';

/**
 * Runs a message through classify, plan, execute tools, verify and respond, to COMPLETED (specification, section 3).
 * Rejects with the error of the part that failed; `signal` is aborted when the service shuts down.
 */
type Pipeline = (run: MessageRun, inUse: InUse, signal: AbortSignal | undefined) => Promise<Trace>;

/** Where nothing must be sent the response is empty, whatever the responder wrote. */
function parseNoReply(): Handover {
  return { reply: '', reasons: [] };
}

/** The reasons for which the pipeline itself gives a message to a person. */
export const pipelineReasons = {
  /** A person holds the conversation. */
  held: 'person_holds',
  /** The caller wants a person to see the reply. */
  draft: 'draft_requested',
} as const;

/**
 * The verdict after the rules that hold for the stages of embedders as well: a conversation that a person holds is not
 * answered, and a reply is a draft where the caller wants that. Without an inbox nobody would see a draft.
 */
function complete(
  verdict: CompleteVerdict,
  { history, draft }: PreparedMessage,
  hasInbox: boolean,
): CompleteVerdict {
  const { disposition, reasons } = verdict;
  const add = (reason: string) => (reasons.includes(reason) ? reasons : [...reasons, reason]);
  if (disposition === 'no_reply') return verdict;
  const escalated = { escalated: true, disposition: 'escalated' } as const;
  if (history?.isHeld === true) return { ...verdict, ...escalated, reasons: add(pipelineReasons.held) };
  const isDraft = disposition === 'draft' || (disposition === 'answered' && draft === true);
  if (!isDraft) return verdict;
  const outcome = hasInbox ? ({ disposition: 'draft' } as const) : escalated;
  return { ...verdict, ...outcome, reasons: draft === true ? add(pipelineReasons.draft) : reasons };
}

/** The context of a run's message for tools. */
function callContextOf({ traceId, message }: MessageRun): CallContext {
  const { customerId, source, conversationId = null, metadata = null, subject = null, prepared } = message;
  return { traceId, conversationId, customerId, source, metadata, message: { text: prepared.text, subject } };
}

/** Creates the pipeline. Each message brings the stages and tools that are in use at its start. */
export function createPipeline(
  { clock, telemetry }: Pick<Ports, 'clock' | 'telemetry'>,
  limits: Limits,
  hasInbox: boolean,
): Pipeline {
  const timeoutMs = limits.stageTimeoutMs;

  /** Runs a stage with a timeout, validates what it returned, and records the decision. */
  function decide<T>(
    run: MessageRun,
    stage: StageName,
    parseValue: (value: unknown) => T,
    signal: AbortSignal | undefined,
    work: (context: StageContext) => Awaitable<Decision<unknown>>,
  ): Promise<T> {
    return telemetry.span(`stage ${stage}`, { stage }, async (span) => {
      try {
        const returned = await withTimeout((stageSignal) => work({ signal: stageSignal }), {
          clock,
          timeoutMs,
          signal,
        });
        const decision = parseDecision(returned, parseValue);
        span.set({ source: decision.source });
        run.recordDecision(stage, decision);
        return decision.value;
      } catch (error) {
        throw toPipelineFailure(`${stage}_error`, error, `the ${stage} failed`);
      }
    });
  }

  /**
   * Calls the planned tools one after the other. The first one that fails ends the run; finding nothing is no failure.
   */
  async function executeTools(
    run: MessageRun,
    tools: ToolSet,
    calls: readonly ToolCall[],
    signal: AbortSignal | undefined,
  ): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    const context = callContextOf(run);
    for (const [index, call] of calls.entries()) {
      const idempotencyKey = `${run.traceId}:${index}`;
      const outcome = await tools.execute(call, {
        idempotencyKey,
        signal,
        context,
        customerId: run.message.customerId,
        emit: run.recordToolCall,
      });
      if (outcome.status === 'error' && outcome.notFound !== true) {
        if (signal?.aborted) throw interruptedFailure(signal);
        throw new PipelineFailure('tool_error', `${outcome.toolName}: ${outcome.error}`);
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  return async (run, { playbook, stages, tools }, signal) => {
    const { message } = run;
    const parseIntent = (value: unknown) => parseClassification(value, playbook.intents);

    const classification = await decide(run, 'classifier', parseIntent, signal, (context) =>
      stages.classify(message, context),
    );
    run.classification = classification;
    run.enter('CLASSIFIED');

    run.enter('PLANNING');
    const { intent, otherIntents = [] } = classification;
    // Whatever planned, by rules or by a model: for a message only the tools that the playbook gives it exist.
    const reachable = reachableTools(playbook, [intent, ...otherIntents]);
    const hasTool = (name: string) => reachable.has(name) && tools.has(name);
    const parseReachable = (value: unknown) =>
      parsePlan(value, (name) => reachable.has(name) || !tools.has(name));
    const plan = await decide(run, 'planner', parseReachable, signal, (context) =>
      stages.plan({ message, classification, hasTool }, context),
    );

    run.enter('TOOL_EXECUTION');
    // No tool acts beside a person.
    const calls = message.history?.isHeld === true ? [] : plan.toolCalls;
    const outcomes = await executeTools(run, tools, calls, signal);

    run.enter('VERIFYING');
    const parse = (value: unknown) => complete(parseVerdict(value), message, hasInbox);
    const verdict = await decide(run, 'verifier', parse, signal, (context) =>
      stages.verify({ message, classification, outcomes }, context),
    );
    const { concerns } = verdict;
    run.reasons = verdict.reasons;
    run.draft = verdict.draft;
    if (verdict.escalated) run.recordEscalation(verdict.reasons);
    const parseReply = verdict.disposition === 'no_reply' ? parseNoReply : parseResponse;
    const { reply, reasons } = await decide(run, 'responder', parseReply, signal, (context) =>
      stages.respond({ message, classification, outcomes, verdict }, context),
    );
    const isHandedOver = !verdict.escalated && reasons.length > 0;
    if (isHandedOver) {
      run.reasons = reasons;
      run.recordEscalation(reasons);
    }
    const { escalated, disposition } = isHandedOver
      ? ({ escalated: true, disposition: 'escalated' } as const)
      : verdict;
    return run.finish({
      status: 'COMPLETED',
      escalated,
      disposition,
      concerns,
      response: reply,
      error: null,
    });
  };
}

// Failures

/** The failure of a message, by the part of the pipeline in which it happened. Its message is safe to show. */
class PipelineFailure extends Error {
  override readonly name = 'PipelineFailure';
  /** A stable word, such as `tool_error`. */
  readonly category: string;

  constructor(category: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.category = category;
  }
}

/** The failure of a message that a shutdown has interrupted, or the cancel of the run that it serves. */
function interruptedFailure(signal?: AbortSignal): PipelineFailure {
  const text = isCancelled(signal) ? 'the execution was cancelled' : 'the service was shut down';
  return new PipelineFailure('interrupted', text);
}

/**
 * Converts an error to a failure of `category`; `text` is its message when the error has none that is safe to show. A
 * {@link PipelineFailure} is returned unchanged.
 */
export function toPipelineFailure(category: string, error: unknown, text: string): PipelineFailure {
  if (error instanceof PipelineFailure) return error;
  if (error instanceof AbortError) return interruptedFailure();
  if (error instanceof CancelledError)
    return new PipelineFailure('interrupted', 'the execution was cancelled');
  if (error instanceof TimeoutError) {
    return new PipelineFailure(category, `${text}: ${error.message}`, error);
  }
  if (error instanceof OrchestrationError) return new PipelineFailure(category, error.message, error);
  return new PipelineFailure(category, safeErrorText(error, text), error);
}

// The run of a message

/** The end of a run. */
type RunOutcome = Pick<
  MessageFinished,
  'status' | 'escalated' | 'disposition' | 'concerns' | 'response' | 'error'
>;

/** The run of one message through the pipeline: its state and its events. */
export interface MessageRun {
  readonly traceId: string;
  readonly message: PreparedMessage;
  /** Undefined until the message is classified. */
  classification: Classification | undefined;
  /** The reasons of the verdict; none before it. */
  reasons: readonly string[];
  /** The reply that the verdict keeps for the person who takes over. */
  draft: string | undefined;
  /** Enters the next state and emits the transition. Throws `invalid_transition` when the transition is not legal. */
  enter(state: PipelineState): void;
  /** Emits the decision of a stage. */
  recordDecision(stage: StageName, decision: Decision<unknown>): void;
  /** Adds a tool call to the timeline and emits it. */
  recordToolCall(event: ToolExecuted): void;
  /** Emits that the message is escalated, at the time of the decision that escalated it. Must follow that decision. */
  recordEscalation(reasons: readonly string[]): void;
  /** Enters the final state, emits `message.finished`, and builds the trace from all events. */
  finish(outcome: RunOutcome): Trace;
}

/** The clock and the event sink of a run, and the OpenTelemetry trace that it belongs to. */
interface MessageRunContext {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly otelTraceId: string | null;
}

/** Starts the run of a message in state RECEIVED. */
export function startMessageRun(
  { clock, events, otelTraceId }: MessageRunContext,
  traceId: string,
  message: PreparedMessage,
): MessageRun {
  const startedMs = clock.monotonic();
  const timeline: TimelineEvent[] = [];
  let state: PipelineState = 'RECEIVED';
  let enteredMs = startedMs;
  let lastSeq = 0;

  const nextSeq = (): number => {
    lastSeq += 1;
    return lastSeq;
  };
  const emit = (event: TimelineEvent): void => {
    timeline.push(event);
    events(event);
  };
  const emitTransition = (from: PipelineState | null, to: PipelineState, durationMs: number): void =>
    emit({ type: 'pipeline.transition', traceId, seq: nextSeq(), at: clock.now(), from, to, durationMs });
  emitTransition(null, 'RECEIVED', 0);

  const run: MessageRun = {
    traceId,
    message,
    classification: undefined,
    reasons: [],
    draft: undefined,
    enter(to) {
      const from = state;
      state = transition(from, to);
      const now = clock.monotonic();
      emitTransition(from, to, elapsedMs(enteredMs, now));
      enteredMs = now;
    },
    recordDecision(stage, { source, summary, data }) {
      const seq = nextSeq();
      emit({ type: 'agent.decided', traceId, seq, at: clock.now(), agent: stage, source, summary, data });
    },
    recordToolCall: (event) => emit({ ...event, traceId, seq: nextSeq() }),
    recordEscalation(reasons) {
      // The stored trace has no time of its own for it.
      const at = timeline.at(-1)?.at ?? clock.now();
      events({ type: 'message.escalated', traceId, seq: nextSeq(), at, reasons });
    },
    finish(outcome) {
      run.enter(outcome.status);
      const finished: MessageFinished = {
        type: 'message.finished',
        traceId,
        seq: nextSeq(),
        at: clock.now(),
        ...outcome,
        intent: run.classification?.intent ?? 'unknown',
        confidence: run.classification?.confidence ?? 0,
        durationMs: elapsedMs(startedMs, enteredMs),
      };
      events(finished);
      return buildTrace(message, timeline, finished, otelTraceId);
    },
  };
  return run;
}
