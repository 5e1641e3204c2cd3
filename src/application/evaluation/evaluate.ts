import { unavailable } from '../../domain/errors.ts';
import { type Scores, score } from '../../domain/evaluation/scores.ts';
import type { JudgedTicket, Ticket } from '../../domain/evaluation/tickets.ts';
import type { Trace } from '../../domain/message/trace.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import { yieldIfDue, yieldToEventLoop } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import type { MessagePorts, MessageProcessor } from '../messages/process-message.ts';

/** The tickets of an evaluation: those of the caller, or synthetic ones of a seed. */
export type EvaluationRequest =
  | { readonly tickets: readonly Ticket[]; readonly seed?: never; readonly size?: never }
  | { readonly tickets?: never; readonly seed: number; readonly size: number };

/** The scores and the dataset that they are about. */
export interface Evaluation {
  readonly dataset: {
    readonly name: 'synthetic' | 'request';
    readonly size: number;
    readonly seed: number | null;
    /** Where the tickets come from, in a sentence: scores are about nothing else. */
    readonly description: string;
  };
  readonly scores: Scores;
}

/** Evaluates the stages (decisions, section 6). */
export interface Evaluator {
  /**
   * Runs tickets through the stages and tools that process messages, and scores the results. Stores nothing and emits no
   * events. One evaluation runs at a time; a few wait, further ones are rejected with `unavailable`.
   */
  run(request: EvaluationRequest): Promise<Evaluation>;
}

/** Dependencies of the evaluator. */
export interface EvaluatorDeps {
  readonly ports: MessagePorts & Pick<Ports, 'makeTickets'>;
  /** Creates the message pipeline with other ports. */
  readonly createMessageProcessor: (ports: MessagePorts) => MessageProcessor;
  /** Aborted when the service shuts down. */
  readonly signal: AbortSignal;
}

/** Maximum number of evaluations that wait for the running one. */
const MAX_WAITING = 8;

/** Maximum number of tickets that run at the same time, when stages wait for a language model. */
const MAX_CONCURRENT = 8;

const RETRY_AFTER_SECONDS = 5;

/** Creates the evaluator. */
export function createEvaluator({ ports, createMessageProcessor, signal }: EvaluatorDeps): Evaluator {
  const reasons = new Map<string, readonly string[]>();
  const messages = createMessageProcessor(isolatedPorts(ports, reasons));
  let last: Promise<unknown> = Promise.resolve();
  let pending = 0;

  async function judge(ticket: Ticket): Promise<JudgedTicket> {
    const message = { source: 'evaluation', customerId: 'evaluation', message: ticket.message };
    const trace = await messages.process(message, { signal });
    const escalationReasons = reasons.get(trace.traceId) ?? [];
    reasons.delete(trace.traceId);
    return toJudgedTicket(ticket, trace, escalationReasons);
  }

  async function evaluate(request: EvaluationRequest): Promise<Evaluation> {
    if (signal.aborted) throw shuttingDown();
    const isSynthetic = request.tickets === undefined;
    const tickets = isSynthetic ? ports.makeTickets(request.seed, request.size) : request.tickets;
    await yieldToEventLoop();
    const judged = await judgeAll(tickets, judge, signal);
    const name = isSynthetic ? 'synthetic' : 'request';
    const seed = isSynthetic ? request.seed : null;
    const description = isSynthetic ? describeTickets(ports.playbook) : 'The tickets of the request.';
    return { dataset: { name, size: tickets.length, seed, description }, scores: score(judged) };
  }

  return {
    async run(request) {
      if (pending > MAX_WAITING) {
        throw unavailable('too many evaluations are waiting already', RETRY_AFTER_SECONDS);
      }
      pending += 1;
      const evaluation = last.then(() => evaluate(request));
      last = evaluation.catch(() => undefined);
      try {
        return await evaluation;
      } finally {
        pending -= 1;
      }
    },
  };
}

/** Says what synthetic tickets are made from. */
function describeTickets({ source }: Playbook): string {
  return source === 'built-in'
    ? 'Messages made from templates, which were written apart from the texts that the built-in model was trained on.'
    : 'The examples of the playbook, some of them with noise: a classifier that was made from them knows them, so that these scores are too good. Evaluate tickets of your own.';
}

/** Ports that store nothing and emit nothing. Collects the reasons of escalations by trace id. */
function isolatedPorts(ports: MessagePorts, reasons: Map<string, readonly string[]>): MessagePorts {
  return {
    ...ports,
    events(event) {
      if (event.type === 'message.escalated') reasons.set(event.traceId, event.reasons);
    },
    storage: { assertAvailable: () => undefined },
    traces: { ...ports.traces, put: async () => undefined },
  };
}

/**
 * Judges tickets in their order. The next one starts when the one before has finished or waits for a language model, so
 * that the work of one ticket does not count in the latency of another.
 */
async function judgeAll(
  tickets: readonly Ticket[],
  judge: (ticket: Ticket) => Promise<JudgedTicket>,
  signal: AbortSignal,
): Promise<readonly JudgedTicket[]> {
  const judged: Promise<JudgedTicket>[] = [];
  const running = new Set<Promise<unknown>>();
  for (const ticket of tickets) {
    if (signal.aborted) break;
    const work = judge(ticket);
    judged.push(work);
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
    await Promise.race([tracked, yieldToEventLoop()]);
    await yieldIfDue();
    while (running.size >= MAX_CONCURRENT) await Promise.race(running);
  }
  const results = await Promise.all(judged);
  if (signal.aborted) throw shuttingDown();
  return results;
}

function shuttingDown(): Error {
  return unavailable('the service is shutting down');
}

function toJudgedTicket(ticket: Ticket, trace: Trace, reasons: readonly string[]): JudgedTicket {
  const failed = trace.status === 'FAILED';
  const isForConfidence = reasons.length > 0 && reasons.every((reason) => reason === 'low_confidence');
  return {
    ticket,
    predicted: trace.intent,
    confidence: trace.confidence,
    tools: trace.timeline.flatMap((event) =>
      event.type === 'tool.executed' ? [event.outcome.toolName] : [],
    ),
    escalated: trace.escalated,
    reasons,
    disposition: trace.disposition,
    concerns: trace.concerns,
    dependsOnThreshold: !failed && (trace.escalated ? isForConfidence : trace.disposition === 'answered'),
    failed,
    latencyMs: trace.durationMs,
  };
}
