import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import {
  type IntentClassifier,
  isIn,
  type TextVector,
  type VectorSpace,
} from '../../domain/playbook/intent-classifier.ts';
import { itemAt } from '../../lib/array.ts';
import { isPlainObject } from '../../lib/json/json.ts';
import { centeredFeatures } from '../../lib/learning/dense-vector.ts';
import { sharesOf, sigmoid } from '../../lib/learning/learner.ts';
import { numberOfMeaning } from '../../lib/learning/lexicon.ts';
import {
  createScorer,
  readCorrections,
  type Scorer,
  type StoredModel,
} from '../../lib/learning/stored-model.ts';
import type { ReadText, SparseVector, Word } from '../../lib/learning/text-reader.ts';
import { readText } from '../shared/reading/read-text.ts';

/** A model file cannot be used. The message names the file and says why. */
export class ModelFileError extends Error {
  override readonly name = 'ModelFileError';
}

/** The figures of a model on texts that it was not trained on. Shares are from 0 to 1. */
export interface ModelFigures {
  readonly accuracy: number;
  readonly macroF1: number;
  /** The expected calibration error. */
  readonly calibrationError: number;
  readonly perIntent: readonly IntentFigures[];
}

/** The figures of one intent. */
export interface IntentFigures {
  readonly intent: string;
  /** The number of different messages. */
  readonly examples: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** The least confidence for an answer. */
  readonly threshold: number;
}

/** The training of a model. */
export interface TrainingRecord {
  readonly examples: number;
  readonly folds: number;
  readonly epochs: number;
  readonly seed: number;
  /** The greatest share of wrong answers that the thresholds allow, from 0 to 1. */
  readonly targetError: number;
}

/** Coefficients of the probability that the likeliest intent is right: see {@link confidenceInputs}. */
export type ConfidenceModel = readonly [number, number, number];

/** A trained model of intents. */
export interface IntentModel {
  /** In the order of the outputs. */
  readonly intents: readonly string[];
  readonly confidence: ConfidenceModel;
  readonly figures: ModelFigures;
  readonly training: TrainingRecord;
  readonly weights: StoredModel;
  /** The head that goes by the vectors of an embedding model beside words; undefined for none. */
  readonly vectors?: VectorHead | undefined;
  /** Corrections of the concerns by harmless tickets; undefined for none. */
  readonly harmless?: StoredModel | undefined;
}

/** The head for vectors. Its figures, confidence and thresholds are those of words and vectors together. */
export interface VectorHead extends VectorSpace {
  /** The mean of all vectors, which is subtracted. */
  readonly center: Float32Array;
  readonly weights: StoredModel;
  /** The weight of the vector beside the words, which have 1. */
  readonly weight: number;
  readonly confidence: ConfidenceModel;
  /** In the order of the outputs. */
  readonly thresholds: readonly number[];
  readonly figures: Pick<ModelFigures, 'accuracy' | 'macroF1' | 'calibrationError'>;
}

/** Log odds closer to 0 or 1 count no further. */
const MAX_LOG_ODDS = 6;

/**
 * The inputs of the confidence: 1, the log odds of the likeliest intent, and the share of words that the model lacks.
 */
export function confidenceInputs(share: number, unknown: number): readonly [number, number, number] {
  const odds = Math.log(Math.max(share, 1e-9) / Math.max(1 - share, 1e-9));
  return [1, Math.max(-MAX_LOG_ODDS, Math.min(MAX_LOG_ODDS, odds)), unknown];
}

/** The scores of a text by a model. */
export interface ScoredText {
  readonly scores: Float64Array;
  /** The share of its words that the model lacks: 1 for a text without words. */
  readonly unknown: number;
  /** True for a text that says nothing to the model. */
  readonly isEmpty: boolean;
}

/** Scores a text by its words. */
export function scoreText(text: ReadText, scorer: Scorer): ScoredText {
  const scores = new Float64Array(scorer.outputs);
  scorer.score(text, text.whole, scores);
  const unknown = unknownShare(text, (word) => scorer.knows(word));
  return { scores, unknown, isEmpty: unknown === 1 };
}

/** Scores the vector of a text. */
export function scoreVector(vector: SparseVector, scorer: Scorer): Float64Array {
  const scores = new Float64Array(scorer.outputs);
  scorer.scoreVector(vector, scores);
  return scores;
}

/**
 * The scores of a text by words and vector: the logarithms of both shares, added up, of which that of the vector counts
 * `weight` times. A text whose words are all unknown still has a vector that says something.
 */
export function scoreBoth(
  text: ReadText,
  { scores: byWords, unknown }: ScoredText,
  byVector: Float64Array,
  weight: number,
): ScoredText {
  const sharesOfWords = sharesOf(byWords);
  const scores = sharesOf(byVector).map(
    (share, at) => weight * Math.log(share + 1e-12) + Math.log(Number(sharesOfWords[at]) + 1e-12),
  );
  return { scores, unknown, isEmpty: !saysSomething(text) };
}

/** Classes of meaning that say nothing about what is wanted, only how it is asked for. */
const formalMeanings: ReadonlySet<number> = new Set(
  [
    ...['question.when', 'question.where', 'question.how', 'question.how_much', 'question.who'],
    ...['question.why', 'question.what', 'negation', 'able', 'unable', 'need', 'want', 'ask', 'help'],
    ...['again', 'still'],
  ].map(numberOfMeaning),
);

/** Longer words are no function words, and in other scripts a word may be a single letter. */
const LONG_WORD = 6;
const otherScript = /\P{ASCII}/u;

/** True for a word that says something about what is wanted: no function word, and not only how it is asked for. */
export function hasContent({ token, meanings }: Word): boolean {
  let isKnown = false;
  for (const own of meanings) {
    if (own.some((meaning) => !formalMeanings.has(meaning))) return true;
    isKnown ||= own.length > 0;
  }
  if (isKnown) return false;
  return token.length >= LONG_WORD || otherScript.test(token);
}

/** True for a word of letters, not a number or a question mark. */
function isWord({ token }: Word): boolean {
  return token !== '?' && !token.startsWith('0');
}

/** False for a text of function words only, which says nothing about what is wanted. */
function saysSomething({ words }: ReadText): boolean {
  return words.some((word) => isWord(word) && hasContent(word));
}

/**
 * The share of the words of a text that are not known; a word of a known class of meaning counts half. 1 for a text
 * that says nothing.
 */
function unknownShare(text: ReadText, knows: Scorer['knows']): number {
  if (!saysSomething(text)) return 1;
  const words = text.words.filter(isWord);
  const unknown = words.map((word) => {
    if (knows(word)) return 0;
    return word.meanings.some((own) => own.length > 0) ? 0.5 : 1;
  });
  return unknown.reduce<number>((sum, one) => sum + one, 0) / words.length;
}

/**
 * The confidences of all intents from their scores: that of the likeliest is the probability that it is right, and the
 * others share the rest by their scores.
 */
export function confidencesOf(
  { scores, unknown, isEmpty }: ScoredText,
  model: ConfidenceModel,
): Float64Array {
  const shares = sharesOf(scores);
  const best = bestOf(shares);
  const share = Number(shares[best]);
  const inputs = confidenceInputs(share, unknown);
  const right = isEmpty ? 0 : sigmoid(inputs.reduce((sum, input, at) => sum + input * Number(model[at]), 0));
  const rest = share < 1 ? (1 - right) / (1 - share) : 0;
  for (let at = 0; at < shares.length; at++) {
    shares[at] = at === best ? right : Math.min(right, Number(shares[at]) * Math.min(1, rest));
  }
  return shares;
}

/** Creates the classifier of a model. */
export function createIntentClassifier(model: IntentModel): IntentClassifier {
  const { intents, confidence, figures, weights, vectors, harmless } = model;
  let scorer: Scorer | undefined;
  const byVector = vectors && createVectorScoring(vectors);
  return {
    harmless: harmless && readCorrections(harmless),
    thresholds: new Map(figures.perIntent.map(({ intent, threshold }) => [intent, threshold])),
    vectors: vectors && {
      model: vectors.model,
      dimensions: vectors.dimensions,
      thresholds: new Map(intents.map((intent, at) => [intent, itemAt(vectors.thresholds, at)])),
    },
    rank(text, most = intents.length, vector) {
      scorer ??= scorerOf(weights);
      const read = readText(text);
      const byWords = scoreText(read, scorer);
      const confidences =
        vector === undefined || byVector === undefined
          ? confidencesOf(byWords, confidence)
          : byVector(read, byWords, vector);
      return likeliest(confidences, most).map((at, place) => {
        const ranked = { intent: itemAt(intents, at), confidence: Number(confidences[at]) };
        return place > 0
          ? ranked
          : { ...ranked, evidence: scorer?.explain(read, read.whole, at, hasContent) };
      });
    },
  };
}

/** The confidences of all intents by words and a vector. Throws for a vector of another space. */
function createVectorScoring(head: VectorHead) {
  let scorer: Scorer | undefined;
  return (text: ReadText, byWords: ScoredText, vector: TextVector): Float64Array => {
    if (!isIn(vector, head)) throw new Error(`the vector is not of ${head.model}`);
    scorer ??= scorerOf(head.weights);
    const features = centeredFeatures(vector.values, head.center);
    const scored = scoreBoth(text, byWords, scoreVector(features, scorer), head.weight);
    return confidencesOf(scored, head.confidence);
  };
}

function scorerOf(weights: StoredModel): Scorer {
  const scorer = createScorer(weights);
  if (scorer === undefined) throw new ModelFileError('the weights of the model do not fit each other');
  return scorer;
}

/** The largest file that is read, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

const FORMAT = 'orchestration-service/intent-classifier';

/** Raised whenever older programs would read a file wrongly; other features of texts need a new version too. */
const VERSION = 2;

const share = z.number().min(0).max(1);

const storedModelSchema = z.object({
  bits: z.literal([4, 8]),
  largestScale: z.number().min(0),
  bias: z.array(z.number()),
  buckets: z.base64(),
  scaleSteps: z.base64(),
  rows: z.base64(),
});

const confidenceSchema = z.tuple([z.number(), z.number(), z.number()]);

const vectorHeadSchema = z.object({
  model: z.string().min(1).max(256),
  dimensions: z.int().min(1),
  center: z.base64(),
  weight: z.number().min(0),
  confidence: confidenceSchema,
  thresholds: z.array(share),
  figures: z.object({ accuracy: share, macro_f1: share, calibration_error: share }),
  weights: storedModelSchema,
});

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
  training: z.object({
    examples: z.int(),
    folds: z.int(),
    epochs: z.int(),
    seed: z.int(),
    target_error: share,
  }),
  confidence: confidenceSchema,
  weights: storedModelSchema,
  vectors: vectorHeadSchema.optional(),
  harmless: storedModelSchema.optional(),
});

type ModelFile = z.infer<typeof fileSchema>;

/** Writes a model as JSON text. The same model always gives the same text. */
export function encodeModelFile(model: IntentModel): string {
  const { confidence, figures, training, weights, vectors, harmless } = model;
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
    training: {
      examples: training.examples,
      folds: training.folds,
      epochs: training.epochs,
      seed: training.seed,
      target_error: training.targetError,
    },
    confidence: [...confidence],
    weights: { ...weights, bias: [...weights.bias] },
    vectors: vectors && encodeVectorHead(vectors),
    harmless: harmless && { ...harmless, bias: [...harmless.bias] },
  };
  const head = { format: FORMAT, version: VERSION };
  return `${JSON.stringify({ ...head, hash: hashOf({ ...head, ...content }), ...content })}\n`;
}

function encodeVectorHead(head: VectorHead): z.infer<typeof vectorHeadSchema> {
  const { center, figures, weights } = head;
  return {
    model: head.model,
    dimensions: head.dimensions,
    center: Buffer.from(center.buffer, center.byteOffset, center.byteLength).toString('base64'),
    weight: head.weight,
    confidence: [...head.confidence],
    thresholds: [...head.thresholds],
    figures: {
      accuracy: round(figures.accuracy),
      macro_f1: round(figures.macroF1),
      calibration_error: round(figures.calibrationError),
    },
    weights: { ...weights, bias: [...weights.bias] },
  };
}

function toVectorHead({ center, figures, ...head }: z.infer<typeof vectorHeadSchema>): VectorHead {
  const bytes = Buffer.from(center, 'base64');
  return {
    ...head,
    center: new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4)),
    figures: {
      accuracy: figures.accuracy,
      macroF1: figures.macro_f1,
      calibrationError: figures.calibration_error,
    },
  };
}

/** True where the parts of a head fit each other and the intents. */
function isHeadOf({ center, dimensions, thresholds, weights }: VectorHead, intents: number): boolean {
  return (
    center.length === dimensions &&
    thresholds.length === intents &&
    weights.bias.length === intents &&
    createScorer(weights) !== undefined
  );
}

/** A model as it was read, with its hash. */
export interface ReadModel {
  readonly model: IntentModel;
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
  const fits =
    model.weights.bias.length === model.intents.length &&
    new Set(model.intents).size === model.intents.length &&
    createScorer(model.weights) !== undefined &&
    (model.vectors === undefined || isHeadOf(model.vectors, model.intents.length)) &&
    (model.harmless === undefined || readCorrections(model.harmless) !== undefined);
  return fits ? { model, hash: own } : fail('has weights that are incomplete or do not fit its intents');
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch {
    return undefined;
  }
}

function toModel(file: ModelFile): IntentModel {
  const { intents, figures, training, confidence, weights, vectors, harmless } = file;
  return {
    intents: intents.map(({ name }) => name),
    confidence,
    figures: {
      accuracy: figures.accuracy,
      macroF1: figures.macro_f1,
      calibrationError: figures.calibration_error,
      perIntent: intents.map(({ name, ...own }) => ({ intent: name, ...own })),
    },
    training: {
      examples: training.examples,
      folds: training.folds,
      epochs: training.epochs,
      seed: training.seed,
      targetError: training.target_error,
    },
    weights,
    vectors: vectors && toVectorHead(vectors),
    harmless,
  };
}

function hashOf(content: object): string {
  return `sha256:${hash('sha256', JSON.stringify(content))}`;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** A classifier from a model file. */
export interface TrainedClassifier {
  readonly classifier: IntentClassifier;
  /** The intents that it tells apart. */
  readonly intents: readonly string[];
  /** Its figures on texts that it was not trained on. */
  readonly figures: ModelFigures;
  /** The hash of the model, as `sha256:…`. */
  readonly hash: string;
}

/**
 * Loads a model that `orchestration-service train` wrote, from a file or from its bytes. Throws a {@link
 * ModelFileError} that names the file where it cannot be used.
 */
export function loadTrainedClassifier(source: string | URL | Uint8Array): TrainedClassifier {
  const isBytes = source instanceof Uint8Array;
  const name = isBytes ? 'the model' : String(source);
  const { model, hash: own } = decodeModelFile(isBytes ? source : readModelFile(source), name);
  return {
    classifier: createIntentClassifier(model),
    intents: model.intents,
    figures: model.figures,
    hash: own,
  };
}

function readModelFile(path: string | URL): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    const reason = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`;
    throw new ModelFileError(`${String(path)}: ${reason}`, { cause });
  }
}

/** A playbook handles these also where no ticket has them, so a model need not know them. */
const standing: ReadonlySet<string> = new Set(['human_agent', 'spam', 'feedback']);

/**
 * Checks that a model fits a playbook: each of its intents is one of the playbook, and it knows every intent of the
 * playbook but `human_agent`, `spam` and `feedback`. Throws a {@link ModelFileError} with the intents that differ;
 * `name` is the file of the model.
 */
export function checkFits(
  { intents }: { readonly intents: readonly string[] },
  intentsOfPlaybook: readonly string[],
  name = 'the model',
): void {
  const own = new Set(intents);
  const wanted = new Set(intentsOfPlaybook);
  const strange = intents.filter((intent) => !wanted.has(intent));
  const missing = intentsOfPlaybook.filter((intent) => !own.has(intent) && !standing.has(intent));
  const parts = [
    ...(strange.length > 0 ? [`the playbook does not have its intents ${strange.join(', ')}`] : []),
    ...(missing.length > 0
      ? [`it was not trained on the intents ${missing.join(', ')} of the playbook`]
      : []),
  ];
  if (parts.length > 0) throw new ModelFileError(`${name}: does not fit the playbook: ${parts.join('; ')}`);
}

/** The places of the highest numbers, the highest first. */
function likeliest(numbers: Float64Array, most: number): readonly number[] {
  const found: number[] = [];
  for (let at = 0; at < numbers.length; at++) {
    let place = found.length;
    while (place > 0 && Number(numbers[Number(found[place - 1])]) < Number(numbers[at])) place--;
    if (place >= most) continue;
    found.splice(place, 0, at);
    if (found.length > most) found.pop();
  }
  return found;
}

/** The likeliest of the scores, as its place. */
export function bestOf(scores: Float64Array): number {
  let best = 0;
  for (let at = 1; at < scores.length; at++) if (Number(scores[at]) > Number(scores[best])) best = at;
  return best;
}
