import { readText } from '../src/adapters/shared/reading/read-text.ts';
import {
  type CalibratedLanguage,
  type Calibration,
  calibratedLanguages,
  type JudgementFile,
  scoreParts,
  signalGroups,
  signals,
} from '../src/adapters/stages/analysis/judgement.ts';
import { fitLogistic } from '../src/lib/learning/calibration.ts';
import { type Example, trainLinear } from '../src/lib/learning/learner.ts';
import { createScorer, type StoredModel, storeModel } from '../src/lib/learning/stored-model.ts';
import { vectorOf } from '../src/lib/learning/text-reader.ts';
import { hasSignal, type TrainingText, targetsOf } from './texts.ts';

/** More than all rows take. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The parts of the texts that are held out in turn, to calibrate. */
const FOLDS = 4;

const options = { groups: signalGroups, epochs: 9, rate: 0.2, decay: 0.05, seed: 7 };

/** Trains the model of signals and concerns, and calibrates it on texts that were held out. */
export function trainJudgement(texts: readonly TrainingText[]): JudgementFile {
  const examples = texts.map(toExample);
  const scores = crossValidate(texts, examples);
  return {
    format: 'orchestration-service/judgement',
    version: 1,
    signals,
    calibration: calibrate(texts, scores),
    weights: storeModel(trainLinear(examples, options), MAX_BYTES, false),
  };
}

function toExample(text: TrainingText): Example {
  const read = readText(text.text);
  return {
    whole: vectorOf(read, read.whole),
    parts: read.parts.map((part) => vectorOf(read, part)),
    targets: targetsOf(text),
  };
}

/** The fold of a text: whole families of other trades are held out, and single texts to the shop. */
export function foldOf({ family, text }: TrainingText, folds = FOLDS): number {
  const key = family.includes('/') ? family : text;
  let sum = 7;
  for (let at = 0; at < key.length; at++) sum = (sum * 31 + key.charCodeAt(at)) % 1_000_003;
  return sum % folds;
}

/** The scores of each text by a model that was trained on the other folds. */
export function crossValidate(
  texts: readonly TrainingText[],
  examples: readonly Example[],
): readonly Float64Array[] {
  const scores: Float64Array[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const trained = examples.filter((_, at) => foldOf(texts[at] ?? fail()) !== fold);
    const weights = storeModel(trainLinear(trained, { ...options, epochs: 5 }), MAX_BYTES, false);
    const scorer = scorerOf(weights);
    texts.forEach((text, at) => {
      if (foldOf(text) === fold) scores[at] = scoreParts(readText(text.text), scorer).scores;
    });
  }
  return scores;
}

function scorerOf(weights: StoredModel) {
  return createScorer(weights) ?? fail();
}

function fail(): never {
  throw new Error('the weights do not fit each other');
}

function calibrate(
  texts: readonly TrainingText[],
  scores: readonly Float64Array[],
): JudgementFile['calibration'] {
  const groupOf = (language: string): CalibratedLanguage =>
    calibratedLanguages.find((one) => one === language) ?? 'other';
  const byLanguage = calibratedLanguages.map((language): readonly [string, readonly Calibration[]] => {
    const own = texts.flatMap((text, at) => (groupOf(text.language) === language ? [at] : []));
    const fitted = signals.map((signal, output): Calibration => {
      const [offset = 0, slope = 1] = fitLogistic(
        own.flatMap((at) => {
          const has = hasSignal(texts[at] ?? fail(), signal);
          if (has === undefined) return [];
          const target = has ? 1 : 0;
          return [{ inputs: [1, Number(scores[at]?.[output])], offset: 0, target, weight: 1 }];
        }),
        [0, 1],
        [-10, 0.2],
      );
      return [round(offset), round(slope)];
    });
    return [language, fitted];
  });
  return Object.fromEntries(byLanguage) as JudgementFile['calibration'];
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
