import { hash } from 'node:crypto';
import { z } from 'zod';
import { isPlainObject } from '../../lib/json/json.ts';
import { NGRAM_BUCKETS, SEEN_BUCKETS } from '../../lib/learning/ngrams.ts';
import type { ClassifierModel } from './model.ts';
import { decodeAscending, encodeAscending } from './number-lists.ts';

/** A model file cannot be used. The message names the file and says why. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
}

/** The largest file that is read, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

const FORMAT = 'orchestration-service/intent-classifier';

/** Raised whenever older programs would read a file wrongly; other features of texts need a new version too. */
const VERSION = 1;

const share = z.number().min(0).max(1);
const base64 = z.base64();

const fileSchema = z.object({
  intents: z
    .array(
      z.object({
        name: z.string().min(1).max(64),
        threshold: share,
        examples: z.int().min(0),
        precision: share,
        recall: share,
        f1: share,
      }),
    )
    .min(2)
    .max(300),
  figures: z.object({ accuracy: share, macro_f1: share, calibration_error: share }),
  training: z.object({ examples: z.int(), folds: z.int(), epochs: z.int(), seed: z.int() }),
  features: z.object({ rules: z.boolean() }),
  confidence: z.object({
    temperature: z.number().positive(),
    scope: z.tuple([z.number(), z.number(), z.number()]),
  }),
  weights: z.object({
    bits: z.literal([4, 8]),
    largest_scale: z.number().min(0),
    bias: z.array(z.number()),
    buckets: base64,
    scale_steps: base64,
    rows: base64,
    seen: base64,
  }),
});

type ModelFile = z.infer<typeof fileSchema>;

/** Writes a model as JSON text. The same model always gives the same text. */
export function encodeModelFile(model: ClassifierModel): string {
  const { weights, figures, training, confidence } = model;
  const content: ModelFile = {
    intents: figures.perIntent.map(({ intent, threshold, examples, precision, recall, f1 }) => ({
      name: intent,
      threshold,
      examples,
      precision: round(precision),
      recall: round(recall),
      f1: round(f1),
    })),
    figures: {
      accuracy: round(figures.accuracy),
      macro_f1: round(figures.macroF1),
      calibration_error: round(figures.calibrationError),
    },
    training: { ...training },
    features: { rules: model.usesRules },
    confidence: { temperature: confidence.temperature, scope: [...confidence.scope] },
    weights: {
      bits: weights.bits,
      largest_scale: weights.largestScale,
      bias: [...weights.bias],
      buckets: toBase64(encodeAscending(weights.buckets)),
      scale_steps: toBase64(weights.scaleSteps),
      rows: toBase64(weights.packed),
      seen: toBase64(encodeAscending(weights.seen)),
    },
  };
  const head = { format: FORMAT, version: VERSION };
  return `${JSON.stringify({ ...head, hash: hashOf({ ...head, ...content }), ...content })}\n`;
}

/** A model as it was read, with its hash. */
export interface ReadModel {
  readonly model: ClassifierModel;
  readonly hash: string;
}

/** Reads a model file; `name` is the one that errors name. Throws a {@link ModelFileError} where it cannot be used. */
export function decodeModelFile(bytes: Uint8Array, name: string): ReadModel {
  const fail = (reason: string): never => {
    throw new ModelFileError(`${name}: ${reason}`);
  };
  if (bytes.length > MAX_BYTES) fail(`is larger than ${MAX_BYTES / 2 ** 20} MiB, and so no classifier model`);
  const json = parseJson(bytes);
  if (!isPlainObject(json)) return fail('is no JSON object, or incomplete');
  const { hash: stated, ...rest } = json;
  if (rest['format'] !== FORMAT) fail(`is no classifier model: its format is not ${FORMAT}`);
  if (rest['version'] !== VERSION) {
    fail(
      `has the format version ${String(rest['version'])}, and this program reads version ${VERSION}; train it again`,
    );
  }
  const own = hashOf(rest);
  if (stated !== own) fail('was changed or damaged: its hash is not that of its content');
  const parsed = fileSchema.safeParse(rest);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(`has no valid ${issue?.path.join('.') ?? 'content'}`);
  }
  const model = toModel(parsed.data);
  return model === undefined
    ? fail('has weights that are incomplete or do not fit its intents')
    : { model, hash: own };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The model of a file; undefined where its parts do not fit each other. */
function toModel({
  intents,
  figures,
  training,
  features,
  confidence,
  weights,
}: ModelFile): ClassifierModel | undefined {
  const buckets = decodeAscending(Buffer.from(weights.buckets, 'base64'), NGRAM_BUCKETS);
  const seen = decodeAscending(Buffer.from(weights.seen, 'base64'), SEEN_BUCKETS);
  const scaleSteps = Buffer.from(weights.scale_steps, 'base64');
  const packed = Buffer.from(weights.rows, 'base64');
  if (buckets === undefined || seen === undefined) return undefined;
  const width = weights.bits === 8 ? intents.length : Math.ceil(intents.length / 2);
  const fits =
    scaleSteps.length === buckets.length &&
    packed.length === buckets.length * width &&
    weights.bias.length === intents.length &&
    new Set(intents.map(({ name }) => name)).size === intents.length;
  if (!fits) return undefined;
  return {
    intents: intents.map(({ name }) => name),
    usesRules: features.rules,
    confidence,
    figures: {
      accuracy: figures.accuracy,
      macroF1: figures.macro_f1,
      calibrationError: figures.calibration_error,
      perIntent: intents.map(({ name, ...own }) => ({ intent: name, ...own })),
    },
    training,
    weights: {
      buckets,
      bits: weights.bits,
      largestScale: weights.largest_scale,
      scaleSteps,
      packed,
      bias: weights.bias,
      seen,
    },
  };
}

function hashOf(content: object): string {
  return `sha256:${hash('sha256', JSON.stringify(content))}`;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
