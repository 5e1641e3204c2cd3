import { z } from 'zod';
import type { TextVector } from '../../domain/playbook/intent-classifier.ts';
import { createSemaphore } from '../../lib/async/semaphore.ts';
import { TimeoutError, withTimeout } from '../../lib/async/timeout.ts';
import { roundVector, unitVector } from '../../lib/learning/dense-vector.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Embedder, Embedding, EmbeddingFailure } from '../../ports/embedder.ts';
import {
  type BreakerPermit,
  createCircuitBreaker,
  createProviderFetch,
  outcomeOfFailure,
  ProviderError,
} from '../llm/provider.ts';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';

/** The largest reply: 64 vectors of 8,192 numbers. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** Models that have more dimensions are not supported. */
const MAX_DIMENSIONS = 8_192;

/** Maximum number of calls at the same time in this process, and of calls that wait for one of them to end. */
const MAX_CALLS = 16;
const MAX_WAITING = 1_024;

/**
 * The characters of a text that are sent: more than the smallest models read, and a message says early what it wants.
 */
const MAX_CHARACTERS = 2_000;

/** Options of {@link createEmbedder}. */
export interface EmbedderOptions {
  /** No key is sent when absent, as to a local server. */
  readonly apiKey: string | undefined;
  /** Address of an OpenAI-compatible server, up to and including `/v1`; OpenAI's own when absent. */
  readonly baseUrl: string | undefined;
  readonly model: string;
  readonly clock: Clock;
  /** Headers to add to each request, such as `traceparent`. */
  readonly injectHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

/** Other members of a reply are ignored. The vectors may come in any order. */
const replySchema = z.object({
  model: z.string().min(1).max(256).optional(),
  data: z.array(
    z.object({
      index: z.int().min(0),
      embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS),
    }),
  ),
});

/**
 * Connects to an embedding model. Sends nothing before the first call. Each vector is rounded to 8 bits a number, so
 * that one that was kept on disk is the same. Three failures in a row open a circuit breaker for ten seconds.
 */
export function createEmbedder({ apiKey, baseUrl, model, clock, injectHeaders }: EmbedderOptions): Embedder {
  const post = createProviderFetch(clock, injectHeaders ?? (() => ({})), MAX_REPLY_BYTES);
  const url = `${(baseUrl ?? DEFAULT_BASE_URL).replace(/\/$/, '')}/embeddings`;
  const breaker = createCircuitBreaker(clock);
  const semaphore = createSemaphore(MAX_CALLS, MAX_WAITING);
  const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

  /** Rejects with a {@link ProviderError}. */
  async function request(texts: readonly string[], signal: AbortSignal): Promise<readonly TextVector[]> {
    const input = texts.map((text) => text.slice(0, MAX_CHARACTERS).toWellFormed());
    const response = await post(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key },
      body: JSON.stringify({ model, input }),
      signal,
    });
    return readReply(await response.text(), texts.length, model);
  }

  /** One call. Rejects with a {@link ProviderError}, or a {@link TimeoutError}. */
  async function call(
    texts: readonly string[],
    timeoutMs: number,
    onPermit: (permit: BreakerPermit) => void,
  ): Promise<readonly TextVector[]> {
    return withTimeout(
      async (signal) => {
        const place = await semaphore.acquire(signal);
        if (place === undefined) throw new ProviderError('busy');
        try {
          const permit = breaker.tryAcquire();
          if (permit === undefined) throw new ProviderError('breaker_open');
          onPermit(permit);
          return await request(texts, signal);
        } finally {
          place.release();
        }
      },
      { clock, timeoutMs },
    );
  }

  return {
    model,
    async embed(texts, timeoutMs): Promise<Embedding> {
      if (breaker.isOpen()) return { status: 'error', reason: 'breaker_open' };
      let permit: BreakerPermit | undefined;
      try {
        const vectors = await call(texts, timeoutMs, (own) => {
          permit = own;
        });
        permit?.release('success');
        return { status: 'success', vectors };
      } catch (error) {
        const reason = error instanceof TimeoutError && permit === undefined ? 'busy' : failureOf(error);
        permit?.release(reason === 'other_model' ? 'success' : outcomeOfFailure(reason));
        return { status: 'error', reason };
      }
    },
  };
}

function failureOf(error: unknown): EmbeddingFailure {
  if (error instanceof TimeoutError) return 'timeout';
  if (!(error instanceof ProviderError)) return 'bad_reply';
  return error.reason === 'truncated' || error.reason === 'refused' ? 'bad_reply' : error.reason;
}

/** The vectors of a reply, in the order of the texts. Throws a {@link ProviderError} where it has not one for each. */
function readReply(text: string, count: number, asked: string): readonly TextVector[] {
  const parsed = replySchema.safeParse(parseJson(text));
  if (!parsed.success) throw new ProviderError('bad_reply');
  const { data, model = asked } = parsed.data;
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  const dimensions = byIndex.get(0)?.length;
  const vectors = Array.from({ length: count }, (_, index): TextVector => {
    const embedding = byIndex.get(index);
    const rounded = roundVector(embedding ?? []);
    if (rounded.length !== dimensions || rounded.every((one) => one === 0)) {
      throw new ProviderError('bad_reply');
    }
    return { model, values: unitVector(rounded) };
  });
  if (data.length !== count) throw new ProviderError('bad_reply');
  return vectors;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
