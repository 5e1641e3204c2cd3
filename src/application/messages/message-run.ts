import type { MessageFinished, StageName } from '../../domain/events.ts';
import type { Classification, CustomerMessage, Decision } from '../../domain/message/message.ts';
import { type PipelineState, transition } from '../../domain/message/pipeline.ts';
import { buildTrace, type TimelineEvent, type Trace } from '../../domain/message/trace.ts';
import { elapsedMs } from '../../lib/text/time.ts';
import type { Ports } from '../../ports/ports.ts';

/** The reply to a message whose pipeline failed. */
export const SAFE_REPLY =
  'Thank you for your message. We could not process it automatically, so a member of our team will read it and get back to you.';

/** What a run came to. */
export type RunOutcome = Pick<MessageFinished, 'status' | 'escalated' | 'response' | 'error'>;

/** One message on its way through the pipeline: its state, and what was told of it so far. */
export interface MessageRun {
  readonly traceId: string;
  readonly message: CustomerMessage;
  /** What was classified; undefined until it was. */
  classification: Classification | undefined;
  /** Goes to the next state and tells so. Throws `invalid_transition` where the table does not allow it. */
  enter(state: PipelineState): void;
  /** Tells what a stage decided. */
  decided(agent: StageName, decision: Decision<unknown>): void;
  /** Keeps an event in the timeline and passes it on. */
  tell(event: TimelineEvent): void;
  /** Enters the final state, tells the end, and folds all that was told into the trace. */
  finish(outcome: RunOutcome): Trace;
}

/** Begins the run of a message: it is RECEIVED. */
export function startMessageRun(
  ports: Pick<Ports, 'clock' | 'events' | 'telemetry'>,
  traceId: string,
  message: CustomerMessage,
): MessageRun {
  const { clock } = ports;
  const started = clock.monotonic();
  const timeline: TimelineEvent[] = [];
  let state: PipelineState = 'RECEIVED';
  let entered = started;

  const tell = (event: TimelineEvent): void => {
    timeline.push(event);
    ports.events(event);
  };
  const enter = (to: PipelineState): void => {
    const from = state;
    state = transition(from, to);
    const now = clock.monotonic();
    tell({
      type: 'pipeline.transition',
      traceId,
      at: clock.now(),
      from,
      to,
      durationMs: elapsedMs(entered, now),
    });
    entered = now;
  };
  tell({ type: 'pipeline.transition', traceId, at: clock.now(), from: null, to: 'RECEIVED', durationMs: 0 });

  const run: MessageRun = {
    traceId,
    message,
    classification: undefined,
    enter,
    tell,
    decided(agent, { source, summary, data }) {
      tell({ type: 'agent.decided', traceId, at: clock.now(), agent, source, summary, data });
    },
    finish(outcome) {
      enter(outcome.status);
      const finished: MessageFinished = {
        type: 'message.finished',
        traceId,
        at: clock.now(),
        status: outcome.status,
        intent: run.classification?.intent ?? 'unknown',
        confidence: run.classification?.confidence ?? 0,
        escalated: outcome.escalated,
        response: outcome.response,
        error: outcome.error,
        durationMs: elapsedMs(started, entered),
      };
      ports.events(finished);
      return buildTrace(message, timeline, finished, ports.telemetry.traceId());
    },
  };
  return run;
}
