import { unavailable } from '../domain/errors.ts';
import { type JudgedTicket, type Scores, score, type Ticket } from '../domain/evaluation.ts';
import type { Trace } from '../domain/trace.ts';
import type { Ports } from '../ports/ports.ts';
import type { Limits } from './limits.ts';
import { createMessageProcessor, type MessageProcessor } from './process-message.ts';
import { pause } from './retry.ts';
import type { ToolRegistry } from './tool-registry.ts';

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

/** Milliseconds of work after which others get their turn. */
const STRETCH_MS = 10;

/** Tickets under way at a time, for stages that wait for a language model. */
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
  const messages = createMessageProcessor(unseen(ports), tools, limits);
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function evaluate(request: EvaluationRequest): Promise<Evaluation> {
    const synthetic = request.tickets === undefined;
    const tickets = synthetic ? makeTickets(request.seed, request.size) : request.tickets;
    const judged = await judgeAll(clock, messages, tickets, signal);
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

/** The ports with nothing behind them that would see the messages of an evaluation. */
function unseen(ports: Ports): Ports {
  return {
    ...ports,
    events: () => undefined,
    storage: { assertAvailable: () => undefined },
    traces: { ...ports.traces, put: async () => undefined },
  };
}

async function judgeAll(
  clock: Ports['clock'],
  messages: MessageProcessor,
  tickets: readonly Ticket[],
  signal: AbortSignal,
): Promise<readonly JudgedTicket[]> {
  const judged: JudgedTicket[] = [];
  let since = clock.monotonic();
  for (let from = 0; from < tickets.length; from += CONCURRENT) {
    const some = tickets.slice(from, from + CONCURRENT);
    judged.push(...(await Promise.all(some.map((ticket) => judge(messages, ticket, signal)))));
    if (signal.aborted) throw unavailable('the service is shutting down');
    if (clock.monotonic() - since < STRETCH_MS) continue;
    await pause(clock, 0, signal);
    since = clock.monotonic();
  }
  return judged;
}

async function judge(messages: MessageProcessor, ticket: Ticket, signal: AbortSignal): Promise<JudgedTicket> {
  const message = { source: 'evaluation', customerId: 'evaluation', message: ticket.message };
  const trace = await messages.process(message, { signal });
  return {
    ticket,
    predicted: trace.intent,
    confidence: trace.confidence,
    tools: trace.timeline.flatMap((event) =>
      event.type === 'tool.executed' ? [event.outcome.toolName] : [],
    ),
    escalated: trace.escalated,
    escalatedAnyway:
      trace.escalated && escalationReasons(trace).some((reason) => reason !== 'low_confidence'),
    failed: trace.status === 'FAILED',
    latencyMs: trace.durationMs,
  };
}

/** Why the verifier escalated; a failed message never came that far. */
function escalationReasons(trace: Trace): readonly unknown[] {
  for (const event of trace.timeline) {
    if (event.type !== 'agent.decided' || event.agent !== 'verifier') continue;
    const reasons = event.data['reasons'];
    if (Array.isArray(reasons)) return reasons;
  }
  return ['failed'];
}
