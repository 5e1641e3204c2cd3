import { itemAt } from '../../../lib/array.ts';
import {
  type CalibrationBin,
  calibrationBins,
  fitLogistic,
  fitTemperature,
} from '../../../lib/learning/calibration.ts';
import type { ConfidenceModel } from '../../../lib/learning/confidence.ts';
import { trainMultinomial } from '../../../lib/learning/multinomial.ts';
import type { ClassifierModel, IntentFigures } from '../model.ts';
import { areBuiltIn, type RankByRules } from '../rule-features.ts';
import type { CleanTickets } from '../tickets/clean.ts';
import {
  accuracyOf,
  type Confusion,
  findConfusions,
  type Judged,
  judgeHeldOut,
  judgeOutside,
  scoreJudged,
} from './figures.ts';
import { crossValidate, leaveIntentsOut, scopeExamples, type TrialOptions, tryHalf } from './held-out.ts';
import { estimateCurve, type LearningCurve } from './learning-curve.ts';
import { createLearningSet, dealIntoFolds, type LearningSet } from './learning-set.ts';
import { storeWeights } from './store-weights.ts';
import { type SuggestedThreshold, suggestThresholds } from './thresholds.ts';

/** How to train. */
export interface TrainOptions {
  readonly seed: number;
  /** The folds of the cross-validation, 2 to 10; undefined for as many as suit the number of tickets. */
  readonly folds: number | undefined;
  /** The built-in rules, for tickets that have only built-in intents. */
  readonly rankByRules: RankByRules;
  /** Called often, with the share of the work that is done. */
  readonly onProgress: (share: number) => void;
}

/** What was found out beside the model. Intents are numbers. */
export interface TrainingReport {
  readonly tickets: CleanTickets;
  readonly bins: readonly CalibrationBin[];
  readonly confusions: readonly Confusion[];
  readonly thresholds: readonly SuggestedThreshold[];
  readonly curve: LearningCurve;
  /** False where there were too few intents to measure how texts of no intent differ. */
  readonly scopeMeasured: boolean;
}

/** A trained model with its report. */
export interface Training {
  readonly model: ClassifierModel;
  readonly report: TrainingReport;
}

/** Where texts of no intent cannot be measured, these coefficients count; few measurements hardly change them. */
const DEFAULT_SCOPE = [1, 0.7, 0.2] as const;

/** A likelier best intent never makes it less likely that a text is of any intent. */
const LEAST_SCOPE = [-10, 0, 0] as const;

/** The most confusions in a report. */
const MAX_CONFUSIONS = 15;

/** Trains a model and measures it. The same tickets and options give the same model, to the bit. */
export function trainClassifier(tickets: CleanTickets, options: TrainOptions): Training {
  const usesRules = areBuiltIn(tickets.intents);
  const set = createLearningSet(tickets, usesRules ? options.rankByRules : undefined);
  const { epochs, folds } = planOf(set.members.length, options.folds);
  const foldOf = dealIntoFolds(set, folds, options.seed);
  const trial: TrialOptions = {
    epochs,
    seed: options.seed,
    onTexts: createCounter(set.members.length * epochs * workOf(folds), options.onProgress),
  };
  const heldOut = crossValidate(set, foldOf, folds, trial);
  const temperature = fitTemperature(heldOut);
  const outside = leaveIntentsOut(set, foldOf, trial);
  const [constant = 0, logit = 0, evidence = 0] = fitLogistic(
    outside.flatMap((one) => scopeExamples(one, temperature)),
    DEFAULT_SCOPE,
    LEAST_SCOPE,
  );
  const confidence: ConfidenceModel = { temperature, scope: [constant, logit, evidence] };
  const half = tryHalf(set, foldOf, trial);
  const weights = trainMultinomial(set.texts, set.labels, set.members, {
    classes: set.intents.length,
    epochs,
    seed: options.seed,
    onEpoch: () => trial.onTexts(set.members.length),
  });
  const judged = judgeHeldOut(heldOut, confidence);
  const scores = scoreJudged(judged, set.intents.length);
  const thresholds = suggestThresholds(
    judged,
    outside.flatMap((one) => judgeOutside(one, confidence)),
    set.intents.length,
  );
  const perIntent = scores.perIntent.map(
    (own, intent): IntentFigures => ({
      intent: itemAt(set.intents, intent),
      ...own,
      threshold: itemAt(thresholds, intent).threshold,
    }),
  );
  const model: ClassifierModel = {
    intents: set.intents,
    usesRules,
    confidence,
    figures: { ...scores, perIntent },
    training: { examples: set.members.length, folds, epochs, seed: options.seed },
    weights: storeWeights(set.texts, weights, set.intents),
  };
  const report: TrainingReport = {
    tickets,
    bins: calibrationBins(judged),
    confusions: findConfusions(judged, MAX_CONFUSIONS),
    thresholds,
    curve: curveOf(set, folds, judged, judgeHeldOut(half, confidence), foldOf),
    scopeMeasured: outside.length > 0,
  };
  return { model, report };
}

/** More texts need fewer epochs and folds. */
function planOf(
  texts: number,
  folds: number | undefined,
): { readonly epochs: number; readonly folds: number } {
  const epochs = Math.min(12, Math.max(4, Math.round(20_000 / texts)));
  return { epochs, folds: folds ?? (texts < 5_000 ? 5 : 3) };
}

/** How often each text is learned from in an epoch: by the folds, the half, the two halves of the intents, the model. */
function workOf(folds: number): number {
  const outside = (folds - 1) / folds;
  return folds * outside + outside / 2 + outside + 1;
}

function createCounter(total: number, onProgress: (share: number) => void): (count: number) => void {
  let done = 0;
  return (count) => {
    done += count;
    onProgress(Math.min(1, done / total));
  };
}

function curveOf(
  set: LearningSet,
  folds: number,
  judged: readonly Judged[],
  half: readonly Judged[],
  foldOf: Int32Array,
): LearningCurve {
  return estimateCurve({
    examples: set.members.length,
    folds,
    accuracyOfAll: accuracyOf(judged.filter((_, member) => foldOf[member] === 0)),
    accuracyOfHalf: accuracyOf(half),
    accuracy: accuracyOf(judged),
    perIntent: scoreJudged(judged, set.intents.length).perIntent,
  });
}
