import type { EventSink, MessageFinished, StageName, ToolExecuted } from '../../domain/events.ts';
import type { Classification, Decision } from '../../domain/message/message.ts';
import { type PipelineState, transition } from '../../domain/message/pipeline.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import { buildTrace, type TimelineEvent, type Trace } from '../../domain/message/trace.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** How a run ended. */
export type RunOutcome = Pick<
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
export interface MessageRunContext {
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
