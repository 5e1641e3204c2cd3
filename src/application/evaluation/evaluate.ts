import { unavailable } from '../../domain/errors.ts';
import { type JudgedTicket, type Scores, score, type Ticket } from '../../domain/evaluation/scores.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Trace } from '../../domain/message/trace.ts';
import { isOverdue } from '../../lib/async/legacy.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Ports } from '../../ports/ports.ts';
import { createMessageProcessor } from '../messages/process-message.ts';
import type { ToolRegistry } from '../tools/registry.ts';

/** Which tickets to judge the stages by. */
export type EvaluationRequest =
  | { readonly tickets: readonly Ticket[]; readonly seed?: never; readonly size?: never }
  | { readonly tickets?: never; readonly seed: number; readonly size: number };

/** The scores, and over which tickets. */
export interface Evaluation {
  readonly dataset: {
    readonly name: 'synthetic' | 'request';
    readonly size: number;
    readonly seed: number | null;
  };
  readonly scores: Scores;
}

/** How good the stages are (decisions, section 6). */
export interface Evaluator {
  /**
   * Runs tickets through the same stages and tools that serve messages, and scores the outcome. Stores nothing and
   * tells no events. One evaluation runs at a time; a few wait, more are rejected with `unavailable`.
   */
  run(request: EvaluationRequest): Promise<Evaluation>;
}

/** Evaluations that may wait for the one under way. */
const MAX_WAITING = 8;

/** Tickets under way at a time, where stages wait for a language model. */
const CONCURRENT = 8;

const RETRY_AFTER_SECONDS = 5;

/** An evaluator over the ports and tools that serve messages. */
export function createEvaluator(
  ports: Ports,
  tools: ToolRegistry,
  limits: Limits,
  signal: AbortSignal,
): Evaluator {
  const { clock, makeTickets } = ports;
  const reasons = new Map<string, readonly string[]>();
  const messages = createMessageProcessor(unseen(ports, reasons), tools, limits);
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function judge(ticket: Ticket): Promise<JudgedTicket> {
    const message = { source: 'evaluation', customerId: 'evaluation', message: ticket.message };
    const trace = await messages.process(message, { signal });
    const why = reasons.get(trace.traceId) ?? [];
    reasons.delete(trace.traceId);
    return toJudged(ticket, trace, why);
  }

  async function evaluate(request: EvaluationRequest): Promise<Evaluation> {
    if (signal.aborted) throw shuttingDown();
    const synthetic = request.tickets === undefined;
    const breaks = createBreaks(clock);
    const tickets = synthetic ? makeTickets(request.seed, request.size) : request.tickets;
    await breaks.whenDue();
    const judged = await judgeAll(tickets, judge, breaks, signal);
    await breaks.whenDue();
    return {
      dataset: {
        name: synthetic ? 'synthetic' : 'request',
        size: tickets.length,
        seed: synthetic ? request.seed : null,
      },
      scores: score(judged),
    };
  }

  return {
    async run(request) {
      if (waiting > MAX_WAITING) {
        throw unavailable('too many evaluations are waiting already', RETRY_AFTER_SECONDS);
      }
      waiting += 1;
      const turn = last.then(() => evaluate(request));
      last = turn.catch(() => undefined);
      try {
        return await turn;
      } finally {
        waiting -= 1;
      }
    },
  };
}

/** The ports with nothing behind them that would see the messages of an evaluation; why they were escalated is noted. */
function unseen(ports: Ports, reasons: Map<string, readonly string[]>): Ports {
  return {
    ...ports,
    events(event) {
      if (event.type === 'message.escalated') reasons.set(event.traceId, event.reasons);
    },
    storage: { assertAvailable: () => undefined },
    traces: { ...ports.traces, put: async () => undefined },
  };
}

/** The moments at which a long piece of work lets the rest of the process have its turn. */
interface Breaks {
  /** Settles in the next turn of the event loop. */
  nextTurn(): Promise<void>;
  /** Waits for the next turn, where the work has gone on for too long. */
  whenDue(): Promise<void>;
}

function createBreaks(clock: Ports['clock']): Breaks {
  let since = clock.monotonic();
  let next: Promise<void> | undefined;
  const nextTurn = (): Promise<void> => {
    next ??= sleep(clock, 0).then(() => {
      next = undefined;
      since = clock.monotonic();
    });
    return next;
  };
  return {
    nextTurn,
    whenDue: async () => (isOverdue(clock, since) ? nextTurn() : undefined),
  };
}

/**
 * Judges tickets in their order. The next one begins when the one before is done, or waits for something beyond
 * this process: so each latency is the message's own, and the rest of the process has its turn between any two.
 */
async function judgeAll(
  tickets: readonly Ticket[],
  judge: (ticket: Ticket) => Promise<JudgedTicket>,
  breaks: Breaks,
  signal: AbortSignal,
): Promise<readonly JudgedTicket[]> {
  const judged = new Map<number, JudgedTicket>();
  const underWay = new Set<Promise<void>>();
  for (const [index, ticket] of tickets.entries()) {
    if (signal.aborted) break;
    const work = judge(ticket).then((one) => {
      judged.set(index, one);
      underWay.delete(work);
    });
    underWay.add(work);
    await Promise.race([work, breaks.nextTurn()]);
    await breaks.whenDue();
    while (underWay.size >= CONCURRENT) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  if (signal.aborted) throw shuttingDown();
  return tickets.flatMap((_, index) => judged.get(index) ?? []);
}

function shuttingDown(): Error {
  return unavailable('the service is shutting down');
}

/** `why` are the verifier's reasons to escalate; there are none where the pipeline failed before. */
function toJudged(ticket: Ticket, trace: Trace, why: readonly string[]): JudgedTicket {
  const isForConfidenceAlone = why.length > 0 && why.every((reason) => reason === 'low_confidence');
  return {
    ticket,
    predicted: trace.intent,
    confidence: trace.confidence,
    tools: trace.timeline.flatMap((event) =>
      event.type === 'tool.executed' ? [event.outcome.toolName] : [],
    ),
    escalated: trace.escalated,
    escalatedAnyway: trace.escalated && !isForConfidenceAlone,
    failed: trace.status === 'FAILED',
    latencyMs: trace.durationMs,
  };
}
