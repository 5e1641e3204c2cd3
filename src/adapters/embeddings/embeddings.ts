import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { isIn, type TextVector, type TextVectors } from '../../domain/playbook/intent-classifier.ts';
import { sleep } from '../../lib/async/sleep.ts';
import { roundVector, unitVector } from '../../lib/learning/dense-vector.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Embedder,
  Embedding,
  EmbeddingFailure,
  EmbeddingObserver,
  EmbedMessage,
} from '../../ports/embedder.ts';
import type { Logger } from '../../ports/logger.ts';
import { saveFile } from '../shared/save-file.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';

/** The texts of one call. */
const BATCH = 64;

/** Milliseconds for a batch. A local server without a graphics card takes seconds. */
const BATCH_TIMEOUT_MS = 30_000;

/** Milliseconds before a batch is tried again, one for each further try. */
const WAITS_MS = [1_000, 4_000, 15_000] as const;

/** Failures that may pass. */
const passing: ReadonlySet<EmbeddingFailure> = new Set([
  'timeout',
  'unreachable',
  'rate_limited',
  'provider_error',
  'breaker_open',
]);

/** The vectors of recent messages that are kept in memory: those of the messages that are worked on. */
const MAX_RECENT = 512;

/** Milliseconds for which a message that got no vector is not asked for again: its stages wait once. */
const FAILED_MS = 5_000;

/** A request for the vector of a message, and when it failed. */
interface Requested {
  readonly embedding: Promise<Embedding>;
  failedAt: number | undefined;
}

/** The vectors of a company's texts and of messages. */
export interface Embeddings {
  readonly ofMessage: EmbedMessage;
  /**
   * Requests the vectors of the texts of a playbook or of tickets, in batches. Those that a file has from before are
   * not requested again; new ones are added to it. `isPatient`: failures that may pass are tried again. Never
   * rejects: undefined, counted and logged, where the provider fails.
   */
  ofTexts(
    texts: readonly string[],
    file: string | undefined,
    isPatient?: boolean,
  ): Promise<TextVectors | undefined>;
}

/** Options of {@link createEmbeddings}. */
interface EmbeddingsOptions {
  readonly embedder: Embedder;
  /** Milliseconds that a message waits for its vector. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: EmbeddingObserver;
}

/** Creates what gives vectors. Log lines contain no text, no key and nothing that the provider says. */
export function createEmbeddings(options: EmbeddingsOptions): Embeddings {
  const { embedder, timeoutMs, clock, logger } = options;
  const logFailure = createThrottledLog(logger, clock, 'the embedding model failed, words alone decide');
  const report: EmbeddingObserver = (use, reason) => {
    options.observer(use, reason);
    logFailure({ reason, use }, `${use} ${reason}`);
  };
  const recent = new Map<string, Requested>();

  /** The vector of a message, whose request all share that ask for it. */
  function request(text: string): Promise<Embedding> {
    const key = keyOf(text);
    const known = recent.get(key);
    const failedFor = known?.failedAt === undefined ? 0 : clock.monotonic() - known.failedAt;
    if (known !== undefined && failedFor < FAILED_MS) return known.embedding;
    const requested: Requested = { embedding: embedder.embed([text], timeoutMs), failedAt: undefined };
    void requested.embedding.then(({ status }) => {
      if (status === 'error') requested.failedAt = clock.monotonic();
    });
    recent.set(key, requested);
    const [oldest] = recent.keys();
    if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
    return requested.embedding;
  }

  async function requestBatch(texts: readonly string[], isPatient: boolean): Promise<Embedding> {
    for (const waitMs of isPatient ? WAITS_MS : []) {
      const embedding = await embedder.embed(texts, BATCH_TIMEOUT_MS);
      if (embedding.status === 'success' || !passing.has(embedding.reason)) return embedding;
      await sleep(clock, waitMs);
    }
    return embedder.embed(texts, BATCH_TIMEOUT_MS);
  }

  async function save(file: string, kept: KeptVectors): Promise<void> {
    try {
      await writeVectorFile(file, embedder.model, kept);
    } catch (error) {
      logger.warn('the vectors could not be kept, the next start requests them again', { err: error, file });
    }
  }

  return {
    async ofMessage(text, use, space) {
      if (text.trim() === '') return undefined;
      const embedding = await request(text);
      const vector = embedding.status === 'success' ? embedding.vectors[0] : undefined;
      if (vector !== undefined && isIn(vector, space)) return vector;
      report(use, embedding.status === 'error' ? embedding.reason : 'other_model');
      return undefined;
    },

    async ofTexts(all, file, isPatient = false) {
      const texts = new Map(all.filter((text) => text.trim() !== '').map((text) => [keyOf(text), text]));
      let kept = file === undefined ? undefined : await readVectorFile(file, embedder.model);
      const missing = (): string[] => [...texts.keys()].filter((key) => kept?.byKey.has(key) !== true);
      let failure: EmbeddingFailure | undefined;
      let isChanged = false;
      for (let left = missing(); left.length > 0 && failure === undefined; left = missing()) {
        const keys = left.slice(0, BATCH);
        const embedding = await requestBatch(
          keys.flatMap((key) => texts.get(key) ?? []),
          isPatient,
        );
        if (embedding.status === 'error') failure = embedding.reason;
        else if (isChanged && !embedding.vectors.every((one) => kept && isIn(one, kept)))
          failure = 'other_model';
        else kept = addVectors(kept, keys, embedding.vectors);
        isChanged ||= failure === undefined;
      }
      if (kept !== undefined && file !== undefined && isChanged)
        await save(file, recentLast(kept, texts.keys()));
      if (failure !== undefined) report('playbook', failure);
      return kept === undefined || failure !== undefined ? undefined : asTextVectors(kept, texts);
    },
  };
}

/** The same vectors, with those of some keys last. */
function recentLast(kept: KeptVectors, keys: Iterable<string>): KeptVectors {
  const byKey = new Map(kept.byKey);
  for (const key of keys) {
    const rounded = byKey.get(key);
    if (rounded === undefined || !byKey.delete(key)) continue;
    byKey.set(key, rounded);
  }
  return { ...kept, byKey };
}

/** Adds new vectors. Those of before are dropped where another model has answered: they cannot be compared. */
function addVectors(
  before: KeptVectors | undefined,
  keys: readonly string[],
  vectors: readonly TextVector[],
): KeptVectors | undefined {
  const [first] = vectors;
  if (first === undefined) return before;
  const space = { model: first.model, dimensions: first.values.length };
  const kept: KeptVectors =
    before !== undefined && isIn(first, before) ? before : { ...space, byKey: new Map<string, Int8Array>() };
  keys.forEach((key, at) => {
    kept.byKey.set(key, roundVector(vectors[at]?.values ?? []));
  });
  return kept;
}

function asTextVectors(
  { model, dimensions, byKey }: KeptVectors,
  texts: ReadonlyMap<string, string>,
): TextVectors {
  const byText = new Map<string, TextVector>();
  for (const [key, text] of texts) {
    const rounded = byKey.get(key);
    if (rounded !== undefined) byText.set(text, { model, values: unitVector(rounded) });
  }
  return { model, dimensions, of: (text) => byText.get(text) };
}

// Files of vectors

const FORMAT = 'orchestration-service/vectors';
const VERSION = 1;

/** A record is the hash of a text, and its vector with 8 bits a number. */
const HASH_BYTES = 32;

/** More vectors are not kept: as many as a file of tickets has rows. */
const MAX_KEPT = 100_000;

/** The first line of a file. The records follow it. */
const headSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** The model that was asked for, and the one that answered. */
  asked: z.string(),
  model: z.string(),
  dimensions: z.int().min(1),
  hash: z.string(),
});

/** Vectors by the hash of their text. Texts are not kept. */
interface KeptVectors {
  /** The model that answered. */
  readonly model: string;
  readonly dimensions: number;
  /** By {@link keyOf}, the least recently used first. */
  readonly byKey: Map<string, Int8Array>;
}

/** The key of a text, in hexadecimal digits. */
function keyOf(text: string): string {
  return hash('sha256', text);
}

/**
 * Reads the vectors that a model gave. Undefined where there is no file, or one that is damaged or of another model:
 * it is made again.
 */
async function readVectorFile(path: string, asked: string): Promise<KeptVectors | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch {
    return undefined;
  }
  const end = bytes.indexOf('\n');
  const head = headSchema.safeParse(parseJson(bytes.subarray(0, Math.max(0, end)).toString('utf8')));
  if (!head.success || head.data.asked !== asked) return undefined;
  const { model, dimensions } = head.data;
  const body = bytes.subarray(end + 1);
  const size = HASH_BYTES + dimensions;
  if (hash('sha256', body) !== head.data.hash || body.length % size !== 0) return undefined;
  const byKey = new Map<string, Int8Array>();
  for (let at = 0; at < body.length; at += size) {
    const key = body.toString('hex', at, at + HASH_BYTES);
    byKey.set(key, new Int8Array(body.buffer, body.byteOffset + at + HASH_BYTES, dimensions));
  }
  return { model, dimensions, byKey };
}

/**
 * Writes vectors completely or not at all; of too many the least recently used are left out. Rejects where it cannot.
 */
async function writeVectorFile(
  path: string,
  asked: string,
  { model, dimensions, byKey }: KeptVectors,
): Promise<void> {
  const kept = [...byKey].slice(-MAX_KEPT);
  const size = HASH_BYTES + dimensions;
  const body = Buffer.alloc(kept.length * size);
  kept.forEach(([key, rounded], at) => {
    body.write(key, at * size, 'hex');
    body.set(new Uint8Array(rounded.buffer, rounded.byteOffset, dimensions), at * size + HASH_BYTES);
  });
  const head = { format: FORMAT, version: VERSION, asked, model, dimensions, hash: hash('sha256', body) };
  await saveFile(path, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
