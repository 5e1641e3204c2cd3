import { AsyncLocalStorage } from 'node:async_hooks';
import { costOf, type ModelPrice } from '../../domain/model-price.ts';
import type { LanguageModel, ModelFailure } from '../../ports/language-model.ts';

/** A call of the language model. */
export interface CallUsage {
  readonly purpose: string;
  /** All of the input; `cachedInput` is a part of it. */
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly durationMs: number;
  /** The reason of its failure; null where it did not. */
  readonly failure: ModelFailure | null;
}

/** The calls of the language model for a ticket. */
export interface TicketUsage {
  readonly calls: readonly CallUsage[];
  /** The reasons for which rules decided in place of the language model, each as `STAGE: REASON`. */
  readonly fallbacks: readonly string[];
  /** The reasons for which words decided in place of vectors, each as `embeddings for USE: REASON`. */
  readonly embeddingFallbacks: readonly string[];
  /** The calls whose reply is not recorded. */
  readonly missing: number;
}

/** Counts the calls of a language model by ticket. */
export interface ModelMeter {
  /** Counts the calls of a model. */
  measure(model: LanguageModel): LanguageModel;
  /** Counts a decision of the rules in place of the language model. */
  fallback(stage: string, reason: string): void;
  /** Counts a use of words in place of vectors. */
  embeddingFallback(use: string, reason: string): void;
  /** Counts a call whose reply is not recorded. */
  missing(): void;
  /** States how long a call took, where its reply is recorded; `request` is that of the call. */
  replayed(request: object, durationMs: number): void;
  /** Does the work for a ticket; what is counted meanwhile, within it, is its usage. */
  ofTicket<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly usage: TicketUsage }>;
  /** The calls that were counted outside all tickets since the last call of this. */
  takeOutside(): TicketUsage;
}

/** The counts while the work goes on. */
interface Counts {
  readonly calls: CallUsage[];
  readonly fallbacks: string[];
  readonly embeddingFallbacks: string[];
  missing: number;
}

/** Creates a {@link ModelMeter} that has counted nothing. */
export function createModelMeter(): ModelMeter {
  const ticket = new AsyncLocalStorage<Counts>();
  let outside = noCounts();
  const counts = () => ticket.getStore() ?? outside;
  const recordedMs = new WeakMap<object, number>();
  return {
    measure: (model) => async (request) => {
      const startedAt = performance.now();
      const generation = await model(request);
      const { input, cachedInput, output } = generation.tokens;
      counts().calls.push({
        purpose: request.purpose,
        input,
        cachedInput,
        output,
        durationMs: recordedMs.get(request) ?? performance.now() - startedAt,
        failure: generation.status === 'error' ? generation.reason : null,
      });
      return generation;
    },
    fallback: (stage, reason) => void counts().fallbacks.push(`${stage}: ${reason}`),
    embeddingFallback: (use, reason) =>
      void counts().embeddingFallbacks.push(`embeddings for ${use}: ${reason}`),
    missing() {
      counts().missing += 1;
    },
    replayed: (request, durationMs) => void recordedMs.set(request, durationMs),
    async ofTicket(work) {
      const usage = noCounts();
      return { result: await ticket.run(usage, work), usage };
    },
    takeOutside() {
      const taken = outside;
      outside = noCounts();
      return taken;
    },
  };
}

function noCounts(): Counts {
  return { calls: [], fallbacks: [], embeddingFallbacks: [], missing: 0 };
}

/** An amount of money. */
export interface Cost {
  readonly amount: number;
  /** Null where the price states none. */
  readonly currency: string | null;
}

/** The calls of the language model in an evaluation. */
export interface ModelUsage {
  readonly calls: number;
  /** The calls that failed, or whose reply was not usable. */
  readonly failedCalls: number;
  readonly callsPerMessage: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null where the price is not known. */
  readonly cost: Cost | null;
  /** Milliseconds of a call; null without calls. */
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  /** The share of the messages with a decision of the rules because the model failed or its reply was refused. */
  readonly fallbackRate: number;
}

/** Adds up what the tickets of an evaluation used. */
export function sumUsage(tickets: readonly TicketUsage[], price: ModelPrice | undefined): ModelUsage {
  const calls = tickets.flatMap((one) => one.calls);
  const messages = Math.max(1, tickets.length);
  const durations = calls.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return {
    calls: calls.length,
    failedCalls: calls.filter(({ failure }) => failure !== null).length,
    callsPerMessage: calls.length / messages,
    inputTokens: calls.reduce((sum, { input }) => sum + input, 0),
    outputTokens: calls.reduce((sum, { output }) => sum + output, 0),
    cost:
      price === undefined || calls.length === 0
        ? null
        : {
            amount: calls.reduce((sum, call) => sum + costOf(call, price), 0),
            currency: price.currency ?? null,
          },
    latencyP50Ms: percentile(durations, 0.5),
    latencyP95Ms: percentile(durations, 0.95),
    fallbackRate: tickets.filter(({ fallbacks }) => fallbacks.length > 0).length / messages,
  };
}

/** The number of times that each fallback occurred, in the order of their first. */
export function countFallbacks(tickets: readonly TicketUsage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const causes = tickets.flatMap(({ fallbacks, embeddingFallbacks }) => [
    ...embeddingFallbacks,
    ...fallbacks,
  ]);
  for (const cause of causes) {
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  return counts;
}

/** The nearest-rank percentile of sorted values; null where there are none. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
