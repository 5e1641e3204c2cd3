import { invalid, unavailable } from '../../domain/errors.ts';
import { type Scores, score } from '../../domain/evaluation/scores.ts';
import {
  evidenceWords,
  type JudgedTicket,
  modelEvidence,
  type StageEvidence,
  type Ticket,
} from '../../domain/evaluation/tickets.ts';
import { type DatasetExample, INBOX_DATASET } from '../../domain/inbox/example.ts';
import type { TimelineEvent, Trace } from '../../domain/message/trace.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import { yieldIfDue, yieldToEventLoop } from '../../lib/async/yield.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { InUse, PlaybookInUse } from '../messages/playbook-in-use.ts';
import type { MessagePorts, MessageProcessor } from '../messages/process-message.ts';

/**
 * The tickets of an evaluation: those of the caller, the accepted examples of a dataset, or synthetic ones of a seed.
 */
export type EvaluationRequest =
  | { readonly tickets: readonly Ticket[]; readonly datasetId?: never; readonly seed?: never }
  | { readonly tickets?: never; readonly datasetId: string; readonly seed?: never }
  | {
      readonly tickets?: never;
      readonly datasetId?: never;
      readonly seed: number;
      readonly size: number;
    };

/** The scores and the dataset that they are about. */
export interface Evaluation {
  readonly dataset: {
    readonly name: 'synthetic' | 'request' | 'inbox';
    readonly size: number;
    readonly seed: number | null;
    /** Where the tickets come from, in a sentence: scores are about nothing else. */
    readonly description: string;
  };
  readonly scores: Scores;
  /** The decisions about each ticket, in their order. */
  readonly judged: readonly JudgedTicket[];
  /** The playbook that decided. */
  readonly playbook: Playbook;
}

/** Evaluates the stages (decisions, section 6). */
export interface Evaluator {
  /**
   * Runs tickets through the stages and tools that process messages, and scores the results. Stores nothing and emits
   * no events. One evaluation runs at a time; a few wait, further ones are rejected with `unavailable`. Rejects with
   * `not_found` for an unknown dataset, and with `validation` for one without an accepted example.
   */
  run(request: EvaluationRequest, options?: EvaluationOptions): Promise<Evaluation>;
}

/** Options of an evaluation. */
export interface EvaluationOptions {
  /** The most tickets that run at the same time; 8 by default. The scores do not depend on it. */
  readonly concurrency?: number;
  /** When it is aborted, no further ticket begins: the scores are then about those that had begun. */
  readonly stop?: AbortSignal;
  /**
   * Decides about a ticket; `judge` runs it through the stages. Called once for each ticket, in their order. `index`
   * is from 0. When it rejects, so does the evaluation.
   */
  decide?(ticket: Ticket, index: number, judge: () => Promise<JudgedTicket>): Promise<JudgedTicket>;
}

/** Dependencies of the evaluator. */
export interface EvaluatorDeps {
  readonly ports: MessagePorts;
  /** The playbook in use: an evaluation ends by the one that it has begun with. */
  readonly playbooks: Pick<PlaybookInUse, 'hold'>;
  /** Creates the message pipeline with other ports. */
  readonly createMessageProcessor: (
    ports: MessagePorts,
    playbooks: Pick<PlaybookInUse, 'hold'>,
  ) => MessageProcessor;
  readonly datasets: Pick<Datasets, 'accepted'>;
  /** Aborted when the service shuts down. */
  readonly signal: AbortSignal;
}

/** The most examples of a dataset in one evaluation: the newest ones. */
const MAX_EXAMPLES = 5_000;

/** Maximum number of evaluations that wait for the running one. */
const MAX_WAITING = 8;

/** Default of the most tickets that run at the same time, when stages wait for a language model. */
const CONCURRENCY = 8;

const RETRY_AFTER_SECONDS = 5;

/** The tickets of an evaluation, and what they are. */
interface TicketSet extends Omit<Evaluation['dataset'], 'size'> {
  readonly tickets: readonly Ticket[];
}

/** Creates the evaluator. */
export function createEvaluator({
  ports,
  playbooks,
  createMessageProcessor,
  datasets,
  signal,
}: EvaluatorDeps): Evaluator {
  let last: Promise<unknown> = Promise.resolve();
  let pending = 0;

  /** Judges tickets by one playbook. */
  function createJudge(inUse: InUse): (ticket: Ticket) => Promise<JudgedTicket> {
    const reasons = new Map<string, readonly string[]>();
    const messages = createMessageProcessor(isolatedPorts(ports, reasons), { hold: (work) => work(inUse) });
    return async (ticket) => {
      const message = { source: 'evaluation', customerId: 'evaluation', message: ticket.message };
      const trace = await messages.process(message, { signal });
      const escalationReasons = reasons.get(trace.traceId) ?? [];
      reasons.delete(trace.traceId);
      return toJudgedTicket(ticket, trace, escalationReasons);
    };
  }

  async function ticketsOf(request: EvaluationRequest, { playbook, makeTickets }: InUse): Promise<TicketSet> {
    if (request.tickets !== undefined) {
      const { tickets } = request;
      return { name: 'request', seed: null, description: 'The tickets of the request.', tickets };
    }
    if (request.datasetId === undefined) {
      const { seed, size } = request;
      const tickets = makeTickets(seed, size);
      return { name: 'synthetic', seed, description: describeTickets(playbook), tickets };
    }
    return toTicketSet(await datasets.accepted(request.datasetId, MAX_EXAMPLES), playbook);
  }

  async function evaluate(
    request: EvaluationRequest,
    inUse: InUse,
    { decide, stop, concurrency = CONCURRENCY }: EvaluationOptions,
  ): Promise<Evaluation> {
    if (signal.aborted) throw shuttingDown();
    const { tickets, ...dataset } = await ticketsOf(request, inUse);
    await yieldToEventLoop();
    const judge = createJudge(inUse);
    const judged = await judgeAll(
      tickets,
      (ticket, index) => (decide === undefined ? judge(ticket) : decide(ticket, index, () => judge(ticket))),
      { concurrency, stop: stop === undefined ? signal : AbortSignal.any([signal, stop]) },
    );
    if (signal.aborted) throw shuttingDown();
    const { playbook } = inUse;
    return { dataset: { ...dataset, size: tickets.length }, scores: score(judged), judged, playbook };
  }

  return {
    async run(request, options = {}) {
      if (pending > MAX_WAITING) {
        throw unavailable('too many evaluations are waiting already', RETRY_AFTER_SECONDS);
      }
      pending += 1;
      const evaluation = last.then(() => playbooks.hold((inUse) => evaluate(request, inUse, options)));
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

/** The tickets of accepted examples. Throws `validation` where there is none that can be evaluated. */
function toTicketSet(examples: readonly DatasetExample[], { intents }: Playbook): TicketSet {
  if (examples.length === 0) throw invalid(['dataset_id: no example of the dataset is accepted yet']);
  const known = examples.filter(({ intent }) => intents.has(intent));
  if (known.length === 0) {
    throw invalid(['dataset_id: all accepted examples have intents that the playbook does not have']);
  }
  const others = examples.length - known.length;
  const leftOut =
    others === 0 ? '' : ` ${others} more have intents that the playbook does not have, and are left out.`;
  return {
    name: INBOX_DATASET,
    seed: null,
    description: `Messages that people have handled in the inbox, as accepted examples.${leftOut}`,
    tickets: known.map(toTicket),
  };
}

/** The ticket of an example. Spam that no person has to see gets no reply. */
function toTicket({ message, intent, escalated }: DatasetExample): Ticket {
  return {
    message,
    expectedIntent: intent,
    expectedEscalated: escalated ?? undefined,
    expectedDisposition: intent === 'spam' && escalated !== true ? 'no_reply' : undefined,
  };
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
    conversations: { ...ports.conversations, record: async () => undefined },
  };
}

/**
 * Judges tickets in their order, until `stop` is aborted. The next one starts when the one before has finished or
 * waits for a language model, so that the work of one ticket does not count in the latency of another.
 */
async function judgeAll(
  tickets: readonly Ticket[],
  judge: (ticket: Ticket, index: number) => Promise<JudgedTicket>,
  { concurrency, stop }: { readonly concurrency: number; readonly stop: AbortSignal },
): Promise<readonly JudgedTicket[]> {
  const judged: Promise<JudgedTicket>[] = [];
  const running = new Set<Promise<unknown>>();
  for (const [index, ticket] of tickets.entries()) {
    if (stop.aborted) break;
    const work = judge(ticket, index);
    judged.push(work);
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
    await Promise.race([tracked, yieldToEventLoop()]);
    await yieldIfDue();
    while (running.size >= concurrency) await Promise.race(running);
  }
  return Promise.all(judged);
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
    evidence: trace.timeline.flatMap((event) => (event.type === 'agent.decided' ? [toEvidence(event)] : [])),
  };
}

function toEvidence({
  agent: stage,
  summary,
  data,
}: Extract<TimelineEvent, { readonly type: 'agent.decided' }>): StageEvidence {
  const words = evidenceWords(data);
  const model = modelEvidence(data);
  return { stage, summary, ...(words && { words }), ...(model && { model }) };
}
