import { readFileSync } from 'node:fs';
import { sigmoid } from '../../../lib/learning/learner.ts';
import {
  type Corrections,
  createScorer,
  type Scorer,
  type StoredModel,
} from '../../../lib/learning/stored-model.ts';
import type { Passage, ReadText } from '../../../lib/learning/text-reader.ts';
import { MODELS } from '../../shared/reading/model-files.ts';
import {
  type CalibratedLanguage,
  calibratedLanguages,
  partSignals,
  type Signal,
  signals,
} from './signals.ts';

/** The offset and slope by which the scores of a signal become probabilities. */
export type Calibration = readonly [number, number];

/** The file `models/judgement.json`, which `npm run train:built-in` makes. */
export interface JudgementFile {
  readonly format: 'orchestration-service/judgement';
  readonly version: 1;
  readonly signals: readonly Signal[];
  /** By language, in the order of the signals. */
  readonly calibration: Readonly<Record<CalibratedLanguage, readonly Calibration[]>>;
  readonly weights: StoredModel;
}

/** The probability of each signal of a text. */
export type Signals = Readonly<Record<Signal, number>>;

/** The judgement of a text by the built-in model. */
export interface Judgement {
  readonly signals: Signals;
  /**
   * The words that say most for a signal: at most four, the strongest first. Empty where no word says anything for
   * it.
   */
  evidenceFor(signal: Signal): readonly string[];
}

/** Judges texts. The time is linear in the length of a text. */
export type Judge = (text: ReadText, language: string) => Judgement;

/** The built-in model as it is used. */
interface JudgementModel extends Pick<JudgementFile, 'calibration'> {
  readonly scorer: Scorer;
}

let loaded: JudgementModel | undefined;

/** The built-in model. It is read on first need, so that it does not delay the start. */
export function builtInJudgement(): JudgementModel {
  loaded ??= loadJudgement();
  return loaded;
}

function loadJudgement(): JudgementModel {
  const file: JudgementFile = JSON.parse(readFileSync(new URL('judgement.json', MODELS), 'utf8'));
  if (file.signals.join() !== signals.join()) throw new Error('models/judgement.json has other signals');
  const scorer = createScorer(file.weights);
  if (scorer === undefined) throw new Error('models/judgement.json is damaged');
  return { scorer, calibration: file.calibration };
}

/** Creates the judge. `corrections` come from harmless texts of a company. */
export function createJudge(corrections?: Corrections): Judge {
  let own: Scorer | undefined;
  return (text, language) => {
    const { scorer, calibration } = builtInJudgement();
    own ??=
      corrections === undefined || corrections.size === 0 ? scorer : scorer.withCorrections(corrections);
    return judge(text, calibration[languageGroup(language)], own);
  };
}

/** No signal at all: an object that has all members from the start takes less memory (benchmark `budgets`). */
const none = Object.fromEntries(signals.map((signal) => [signal, 0])) as Signals;

function judge(text: ReadText, numbers: readonly Calibration[], scorer: Scorer): Judgement {
  const { scores, passages } = scoreParts(text, scorer);
  const found: Record<Signal, number> = { ...none };
  signals.forEach((signal, at) => {
    const [offset, slope] = numbers[at] ?? [0, 1];
    found[signal] = text.words.length === 0 ? 0 : sigmoid(offset + slope * Number(scores[at]));
  });
  return {
    signals: found,
    evidenceFor(signal) {
      const at = signals.indexOf(signal);
      return scorer.explain(text, passages[at] ?? text.whole, at);
    },
  };
}

/** The scores of a text and, for signals that a part can give, of its parts; and the passage of each score. */
export function scoreParts(text: ReadText, scorer: Scorer) {
  const scores = new Float64Array(signals.length);
  scorer.score(text, text.whole, scores);
  const passages: Passage[] = [];
  const own = new Float64Array(partSignals.length);
  for (const part of text.parts) {
    scorer.score(text, part, own);
    for (let at = 0; at < own.length; at++) {
      if (Number(own[at]) <= Number(scores[at])) continue;
      scores[at] = Number(own[at]);
      passages[at] = part;
    }
  }
  return { scores, passages };
}

function languageGroup(language: string): CalibratedLanguage {
  return calibratedLanguages.find((one) => one === language) ?? (language === 'und' ? 'en' : 'other');
}
