import type { TextVectors, VectorSpace } from '../../domain/playbook/intent-classifier.ts';
import { itemAt } from '../../lib/array.ts';
import { type CalibrationBin, calibrationBins, fitLogistic } from '../../lib/learning/calibration.ts';
import { centeredFeatures, meanVector } from '../../lib/learning/dense-vector.ts';
import { createRandom, type Example, sharesOf, shuffle, trainLinear } from '../../lib/learning/learner.ts';
import { createScorer, type Scorer, type StoredModel, storeModel } from '../../lib/learning/stored-model.ts';
import { type ReadText, vectorOf } from '../../lib/learning/text-reader.ts';
import { readText } from '../shared/reading/read-text.ts';
import {
  accuracyOf,
  type Confusion,
  estimateCurve,
  findConfusions,
  type Judged,
  type JudgedScores,
  type LearningCurve,
  noCurve,
  type SuggestedThreshold,
  scoreJudged,
  suggestThresholds,
  type ThresholdRow,
} from './figures.ts';
import {
  bestOf,
  type ConfidenceModel,
  confidenceInputs,
  confidencesOf,
  type IntentModel,
  type ScoredText,
  scoreBoth,
  scoreText,
  scoreVector,
} from './intent-model.ts';

/** A text that stands for an intent. */
export interface IntentText {
  readonly text: string;
  readonly intent: string;
}

/** The texts that a model is trained on. */
export interface TrainingTexts {
  /** The intents, in the order of the outputs. */
  readonly intents: readonly string[];
  /** Messages of customers: learned from, and tested on. */
  readonly tickets: readonly IntentText[];
  /** The playbook's texts of its intents: examples, descriptions, articles. Learned from only. */
  readonly support: readonly IntentText[];
  /** The vectors of all tickets and support, for a second head; undefined where words alone are learned from. */
  readonly vectors?: TextVectors | undefined;
  /** Intents that always go to a person: taking another text for one of them answers nothing wrongly. */
  readonly handedOver: ReadonlySet<string>;
}

/** The options of a training. */
export interface TrainOptions {
  readonly seed: number;
  /** The folds of the cross-validation, 2 to 10; undefined for as many as suit the number of tickets. */
  readonly folds?: number | undefined;
  /** The number of times that each text is learned from; undefined for as often as suits their number. */
  readonly epochs?: number | undefined;
  /** The greatest share of wrong answers among all messages that the thresholds allow, from 0.005 to 0.3. */
  readonly targetError: number;
  /** The probability that a text can be answered, from the confidence in its intent: as when messages are decided. */
  readonly answerable: (text: string, confidence: number) => number;
  /** Called often, with the share of the work that is done. */
  readonly onProgress?: ((share: number) => void) | undefined;
  /** True where the learning curve is estimated, which takes as long as one fold. */
  readonly withCurve?: boolean | undefined;
  /** True for the examples of a playbook, which are too few to bound an error: then its likeliest value counts. */
  readonly isFew?: boolean | undefined;
}

/** The findings beside the model. Intents are numbers. */
export interface TrainingReport {
  readonly bins: readonly CalibrationBin[];
  readonly confusions: readonly Confusion[];
  readonly thresholds: readonly SuggestedThreshold[];
  /** The answers by other error targets. */
  readonly outlook: readonly Outlook[];
  readonly curve: LearningCurve;
  /** The same with words and vectors; undefined without vectors. */
  readonly outlookWithVectors: readonly Outlook[] | undefined;
}

/** The answers by an error target, as shares of all messages. */
export interface Outlook {
  readonly targetError: number;
  readonly answered: number;
  readonly wrong: number;
}

/** A trained model with its report. */
export interface Training {
  readonly model: IntentModel;
  readonly report: TrainingReport;
}

/** The most bytes of the weights in a model file, in base64: so that a file has at most 1 MiB. */
const MAX_WEIGHTS = 950 * 1024;

/** The share of the target that is spread over the other intents, so that no weight grows without bound. */
const SMOOTHING = 0.05;

/**
 * The passes over few and over many texts. Few are best taken by their means, and easily learned by heart. Measured on
 * 250 to 20,000 texts of 20 companies.
 */
const FEW = { epochs: 2, rate: 0.2, start: 15 };
const MANY = { epochs: 5, rate: 0.5, start: 5 };
const MANY_TEXTS = 2_000;

/** The passes over vectors: slow ones, since every text has every feature. */
const VECTORS = { rate: 0.05, start: 15 };

/**
 * The coefficients that few texts hardly change: the log odds count as they are, and unknown words count against it.
 */
const DEFAULT_CONFIDENCE = [0, 1, -3] as const;

/** A likelier intent never lowers the confidence, and unknown words never raise it. */
const LEAST_CONFIDENCE = [-8, 0.2, -6] as const;

const OTHER_TARGETS = [0.02, 0.05, 0.1] as const;

const MAX_CONFUSIONS = 15;

/** Trains a model and measures it. The same texts and options give the same model on one version of Node. */
export function trainIntents(texts: TrainingTexts, options: TrainOptions): Training {
  const set = encode(texts);
  const plan = planOf(set, options);
  const heldOut = crossValidate(set, plan);
  const words = measure(heldOut.words, set, texts, options);
  const weight = fitWeight(heldOut, set);
  const both = set.space && measure(bothHeads(heldOut, set, weight), set, texts, options);
  const { judged, scores } = words;
  const curve =
    options.withCurve === true
      ? curveOf(set, plan, judged, words.confidence, scores)
      : noCurve(accuracyOf(judged));
  const all = [...set.support, ...set.tickets];
  const model: IntentModel = {
    intents: texts.intents,
    confidence: words.confidence,
    figures: {
      ...scores,
      perIntent: scores.perIntent.map(({ examples, precision, recall, f1 }, at) => ({
        intent: itemAt(texts.intents, at),
        examples,
        precision,
        recall,
        f1,
        threshold: itemAt(words.thresholds, at).threshold,
      })),
    },
    training: {
      examples: set.tickets.length,
      folds: plan.folds,
      epochs: plan.epochs,
      seed: options.seed,
      targetError: options.targetError,
    },
    weights: trainOn(set, all, plan, 'words'),
    vectors: both &&
      set.space && { ...set.space, weight, ...headOf(both), weights: trainOn(set, all, plan, 'vectors') },
  };
  return {
    model,
    report: {
      bins: calibrationBins(judged),
      confusions: findConfusions(judged, MAX_CONFUSIONS),
      thresholds: words.thresholds,
      outlook: words.outlook,
      curve,
      outlookWithVectors: both?.outlook,
    },
  };
}

/** The figures and thresholds of a head. */
interface Measured {
  readonly confidence: ConfidenceModel;
  readonly judged: readonly Judged[];
  readonly thresholds: readonly SuggestedThreshold[];
  readonly scores: JudgedScores;
  readonly outlook: readonly Outlook[];
}

/** Measures a head by the scores of tickets that it was not trained on, and finds its confidence and thresholds. */
function measure(
  heldOut: readonly ScoredText[],
  set: EncodedTexts,
  texts: TrainingTexts,
  options: TrainOptions,
): Measured {
  const intents = texts.intents.length;
  const confidence = fitConfidence(heldOut, set);
  const judged = judgeAll(heldOut, set, confidence);
  const rows = thresholdRows(judged, set, texts, options);
  return {
    confidence,
    judged,
    thresholds: suggestThresholds(rows, intents, options.targetError, options.isFew),
    scores: scoreJudged(judged, intents),
    outlook: OTHER_TARGETS.map((targetError) => outlookOf(rows, intents, targetError)),
  };
}

function headOf({ confidence, thresholds, scores }: Measured) {
  const { accuracy, macroF1, calibrationError } = scores;
  return {
    confidence,
    thresholds: thresholds.map(({ threshold }) => threshold),
    figures: { accuracy, macroF1, calibrationError },
  };
}

/** A text that is ready to learn from. */
interface EncodedText {
  readonly read: ReadText;
  readonly text: string;
  readonly label: number;
  readonly example: Example;
  /** The same of its vector; undefined without vectors. */
  readonly vector: Example | undefined;
}

/** The features by which a head decides. */
type Head = 'words' | 'vectors';

interface EncodedTexts {
  readonly intents: number;
  /** Where the vectors are; undefined without vectors. */
  readonly space: (VectorSpace & { readonly center: Float32Array }) | undefined;
  readonly tickets: readonly EncodedText[];
  readonly support: readonly EncodedText[];
}

function encode({ intents, tickets, support, vectors }: TrainingTexts): EncodedTexts {
  const space = vectors && spaceOf(vectors, [...tickets, ...support]);
  const numbers = new Map(intents.map((intent, number) => [intent, number]));
  const others = intents.length > 1 ? SMOOTHING / (intents.length - 1) : 0;
  const targets = intents.map((_, right) => [
    intents.map((__, one) => (one === right ? 1 - SMOOTHING : others)),
  ]);
  const encodeText = ({ text, intent }: IntentText): EncodedText[] => {
    const label = numbers.get(intent);
    const read = readText(text);
    if (label === undefined || read.words.length === 0) return [];
    const rest = { parts: [], targets: itemAt(targets, label) };
    const vector = vectors && space && centeredFeatures(valuesOf(vectors, text), space.center);
    return [
      {
        read,
        text,
        label,
        example: { ...rest, whole: vectorOf(read, read.whole) },
        vector: vector && { ...rest, whole: vector },
      },
    ];
  };
  return {
    intents: intents.length,
    space,
    tickets: tickets.flatMap(encodeText),
    support: support.flatMap(encodeText),
  };
}

function spaceOf(vectors: TextVectors, texts: readonly IntentText[]): EncodedTexts['space'] {
  const { model, dimensions } = vectors;
  const values = texts.flatMap(({ text }) => vectors.of(text)?.values ?? []);
  return { model, dimensions, center: meanVector(values) };
}

function valuesOf(vectors: TextVectors, text: string): Float32Array {
  const vector = vectors.of(text);
  if (vector === undefined) throw new Error('a text to learn from has no vector');
  return vector.values;
}

/** The training and test of a set. */
interface Plan {
  readonly epochs: number;
  readonly rate: number;
  readonly start: number;
  readonly folds: number;
  readonly seed: number;
  /** The fold of each ticket. */
  readonly foldOf: Int32Array;
  onEpoch(texts: number): void;
}

/** More texts need fewer folds. */
function planOf({ tickets, support, space }: EncodedTexts, options: TrainOptions): Plan {
  const texts = tickets.length + support.length;
  const suitable = options.folds ?? (options.isFew === true ? FOLDS_OF_EXAMPLES : foldsFor(tickets.length));
  const folds = Math.min(suitable, Math.max(2, tickets.length));
  const { epochs: usual, rate, start } = texts < MANY_TEXTS ? FEW : MANY;
  const epochs = options.epochs ?? usual;
  const heads = space === undefined ? 1 : 2;
  const total = texts * epochs * (heads * folds + (options.withCurve === true ? 0.5 : 0));
  let done = 0;
  return {
    epochs,
    folds,
    rate,
    start,
    seed: options.seed,
    foldOf: dealIntoFolds(tickets, folds, options.seed),
    onEpoch(count) {
      done += count;
      options.onProgress?.(Math.min(1, done / total));
    },
  };
}

/** The examples of a playbook are learned from at the start, which is not to take long. */
const FOLDS_OF_EXAMPLES = 4;

/** Few tickets need many folds: a model without a fifth of them is worse than the one that is written. */
function foldsFor(tickets: number): number {
  if (tickets < 1_000) return 10;
  return tickets < 5_000 ? 5 : 3;
}

/** Deals the tickets of each intent out to folds, as evenly as possible, in an order of chance. */
function dealIntoFolds(tickets: readonly EncodedText[], folds: number, seed: number): Int32Array {
  const order = tickets.map((_, at) => at);
  shuffle(order, createRandom(seed));
  order.sort((a, b) => itemAt(tickets, a).label - itemAt(tickets, b).label);
  const foldOf = new Int32Array(tickets.length);
  order.forEach((ticket, place) => {
    foldOf[ticket] = place % folds;
  });
  return foldOf;
}

function trainOn(
  { intents }: EncodedTexts,
  texts: readonly EncodedText[],
  plan: Plan,
  head: Head,
): StoredModel {
  const weights = trainLinear(
    texts.flatMap(({ example, vector }) => (head === 'words' ? example : (vector ?? []))),
    {
      groups: [{ kind: 'choice', size: intents }],
      epochs: plan.epochs,
      ...(head === 'words' ? { rate: plan.rate, start: plan.start } : VECTORS),
      decay: 0,
      seed: plan.seed,
      onEpoch: () => plan.onEpoch(texts.length),
    },
  );
  return storeModel(weights, MAX_WEIGHTS, true);
}

function scorerOf(weights: StoredModel): Scorer {
  const scorer = createScorer(weights);
  if (scorer === undefined) throw new Error('the weights do not fit each other');
  return scorer;
}

/** The scores of tickets by the heads that were trained on the other folds; none of vectors without vectors. */
interface HeldOut {
  readonly words: readonly ScoredText[];
  readonly vectors: readonly Float64Array[];
}

/** The scores of each ticket by a model that was trained on the tickets of the other folds, as it is stored. */
function crossValidate(set: EncodedTexts, plan: Plan): HeldOut {
  const words: ScoredText[] = [];
  const vectors: Float64Array[] = [];
  for (let fold = 0; fold < plan.folds; fold++) {
    const others = set.tickets.filter((_, at) => plan.foldOf[at] !== fold);
    const texts = [...set.support, ...others];
    const scorer = scorerOf(trainOn(set, texts, plan, 'words'));
    const vectorScorer = set.space && scorerOf(trainOn(set, texts, plan, 'vectors'));
    set.tickets.forEach(({ read, vector }, at) => {
      if (plan.foldOf[at] !== fold) return;
      words[at] = scoreText(read, scorer);
      if (vector !== undefined && vectorScorer !== undefined) {
        vectors[at] = scoreVector(vector.whole, vectorScorer);
      }
    });
  }
  return { words, vectors };
}

/** The scores of tickets by both heads. */
function bothHeads(
  { words, vectors }: HeldOut,
  { tickets }: EncodedTexts,
  weight: number,
): readonly ScoredText[] {
  return tickets.map(({ read }, at) => scoreBoth(read, itemAt(words, at), itemAt(vectors, at), weight));
}

/** The weights that vectors may have beside words. */
const WEIGHTS = [1, 0.5, 0.25, 2, 4] as const;

/** The slopes that are tried on the shares of a head: its confidence is fitted later, and must not decide here. */
const SLOPES = [0.25, 0.5, 1, 2] as const;

/** The weight of vectors by which the right intents of tickets that were held out are the likeliest. */
function fitWeight(heldOut: HeldOut, set: EncodedTexts): number {
  if (set.space === undefined) return 0;
  let best = { weight: 1, loss: Number.POSITIVE_INFINITY };
  for (const weight of WEIGHTS) {
    const scored = bothHeads(heldOut, set, weight);
    const loss = Math.min(...SLOPES.map((slope) => logLoss(scored, set, slope)));
    if (loss < best.loss) best = { weight, loss };
  }
  return best.weight;
}

function logLoss(scored: readonly ScoredText[], { tickets }: EncodedTexts, slope: number): number {
  return tickets.reduce((sum, { label }, at) => {
    const shares = sharesOf(itemAt(scored, at).scores.map((score) => slope * score));
    return sum - Math.log(Number(shares[label]) + 1e-12);
  }, 0);
}

function fitConfidence(heldOut: readonly ScoredText[], { tickets }: EncodedTexts): ConfidenceModel {
  const [constant = 0, odds = 1, unknown = 0] = fitLogistic(
    heldOut.map(({ scores, unknown: own }, at) => {
      const best = bestOf(scores);
      return {
        inputs: confidenceInputs(Number(sharesOf(scores)[best]), own),
        offset: 0,
        target: itemAt(tickets, at).label === best ? 1 : 0,
        weight: 1,
      };
    }),
    DEFAULT_CONFIDENCE,
    LEAST_CONFIDENCE,
  );
  return [constant, odds, Math.min(0, unknown)];
}

function judgeAll(
  heldOut: readonly ScoredText[],
  { tickets }: EncodedTexts,
  confidence: ConfidenceModel,
): readonly Judged[] {
  return heldOut.map((scored, at) => {
    const expected = itemAt(tickets, at).label;
    const predicted = bestOf(scored.scores);
    const confidences = confidencesOf(scored, confidence);
    return { expected, predicted, confidence: Number(confidences[predicted]), right: expected === predicted };
  });
}

function thresholdRows(
  judged: readonly Judged[],
  { tickets }: EncodedTexts,
  { intents, handedOver }: TrainingTexts,
  { answerable: answerableOf }: TrainOptions,
): readonly ThresholdRow[] {
  return judged.map(({ predicted, confidence, right }, at) => ({
    intent: predicted,
    answerable: answerableOf(itemAt(tickets, at).text, confidence),
    right,
    isAnswer: !handedOver.has(itemAt(intents, predicted)),
  }));
}

function outlookOf(rows: readonly ThresholdRow[], intents: number, targetError: number): Outlook {
  const thresholds = suggestThresholds(rows, intents, targetError);
  const answered = rows.filter(
    ({ intent, answerable, isAnswer }) => isAnswer && answerable >= itemAt(thresholds, intent).threshold,
  );
  const all = Math.max(1, rows.length);
  return {
    targetError,
    answered: answered.length / all,
    wrong: answered.filter(({ right }) => !right).length / all,
  };
}

/** Trains on half of the tickets outside the first fold, to see what more tickets bring. */
function curveOf(
  set: EncodedTexts,
  plan: Plan,
  judged: readonly Judged[],
  confidence: ConfidenceModel,
  { perIntent }: JudgedScores,
): LearningCurve {
  const isTested = (at: number): boolean => plan.foldOf[at] === 0;
  const half = set.tickets.filter((_, at) => !isTested(at)).filter((_, place) => place % 2 === 0);
  const scorer = scorerOf(trainOn(set, [...set.support, ...half], plan, 'words'));
  const tested = set.tickets.filter((_, at) => isTested(at));
  const byHalf = judgeAll(
    tested.map(({ read }) => scoreText(read, scorer)),
    { ...set, tickets: tested, support: [] },
    confidence,
  );
  return estimateCurve({
    examples: set.tickets.length,
    folds: plan.folds,
    accuracyOfAll: accuracyOf(judged.filter((_, at) => isTested(at))),
    accuracyOfHalf: accuracyOf(byHalf),
    accuracy: accuracyOf(judged),
    perIntent,
  });
}
