import { readFileSync } from 'node:fs';
import { concerns } from '../../../domain/message/message.ts';
import { type OutputGroup, sigmoid } from '../../../lib/learning/learner.ts';
import {
  type Corrections,
  createScorer,
  type Scorer,
  type StoredModel,
} from '../../../lib/learning/stored-model.ts';
import {
  type Passage,
  type ReadText,
  type SparseVector,
  vectorOf,
} from '../../../lib/learning/text-reader.ts';
import { MODELS } from '../../shared/reading/model-files.ts';
import { readText } from '../../shared/reading/read-text.ts';

/** The signals of a sentence or of a text: the best of them counts. */
export const partSignals = [
  ...concerns,
  /** Any concern at all. */
  'concern',
  /** Asks for a person. */
  'human',
  /** Says that an earlier answer, promise or repair did not help. */
  'unresolved',
] as const;

/** The signals of a text as a whole. */
export const wholeSignals = [
  /** Is unhappy and tells a story, or is sarcastic. */
  'upset',
  /** Is nothing that a customer wants of the company. */
  'off_topic',
  'thanks',
  'greeting',
  /** Praise or a suggestion, and nothing that is wanted. */
  'feedback',
  'spam',
  /** A person has to decide, for whatever reason. */
  'person',
  /** Is written to a company of another trade than a shop. */
  'other_trade',
  /** Was sent by a machine: an absence notice, a receipt, a report about a mail. */
  'automatic',
] as const;

/** One of {@link partSignals} or {@link wholeSignals}. */
export type Signal = (typeof partSignals)[number] | (typeof wholeSignals)[number];

/** All signals in the order of the model's outputs. */
export const signals: readonly Signal[] = [...partSignals, ...wholeSignals];

/** The groups of the model's outputs. */
export const signalGroups: readonly OutputGroup[] = [
  { kind: 'part', size: partSignals.length },
  { kind: 'whole', size: wholeSignals.length },
];

/** The languages that the model was calibrated for by themselves; all others count as one. */
export const calibratedLanguages = ['en', 'de', 'other'] as const;

/** One of {@link calibratedLanguages}. */
export type CalibratedLanguage = (typeof calibratedLanguages)[number];

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
function builtInJudgement(): JudgementModel {
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

// Harmless texts

/** The outputs that harmless texts correct: each concern, and any concern at all. */
const corrected = partSignals.flatMap((signal, at) => {
  return signal === 'concern' || concerns.some((concern) => concern === signal) ? [at] : [];
});

/** Harmless texts are to stay below this probability of a concern, as it is in English or German. */
const CALM = 0.1;

/**
 * The share by which features that speak for a concern, and those of short words, are corrected beside the others:
 * they stand in other texts too.
 */
const SPARED = 0.1;

/** Words of at most so many letters (`I`, `was`) say nothing about a company. */
const SHORT_WORD = 3;

/** The most passes over the texts: correcting one may make another one louder. */
const ROUNDS = 10;

/** A score that is higher than a calm one by this counts as calm. */
const TOLERANCE = 0.001;

/** A whole text or a part of it, with its scores before anything is learned. */
interface LoudPassage {
  readonly vector: SparseVector;
  readonly scores: Float64Array;
  /** The buckets of its short words. */
  readonly shortWords: ReadonlySet<number>;
}

/**
 * Learns what is ordinary in a company from its harmless texts: the least change of weights by which they raise no
 * concern. Only features of these texts change, each by little, so that other texts keep clear concerns. `known` are
 * corrections that were learned before.
 */
export function learnHarmless(texts: readonly string[], known: Corrections = new Map()): Corrections {
  const { scorer, calibration } = builtInJudgement();
  const calmScores = corrected.map((at) => {
    const own = [calibration.en, calibration.de].map((numbers) => {
      const [offset, slope] = numbers[at] ?? [0, 1];
      return (Math.log(CALM / (1 - CALM)) - offset) / slope;
    });
    return Math.min(...own);
  });
  const learned = new Map<number, Float32Array>();
  let open: readonly LoudPassage[] = findLoud(
    texts,
    known.size === 0 ? scorer : scorer.withCorrections(known),
    calmScores,
  );
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    open = open.filter((passage) => calm(passage, calmScores, learned));
  }
  const sum = new Map(known);
  for (const [bucket, own] of learned) {
    sum.set(
      bucket,
      own.map((value, at) => value + (known.get(bucket)?.[at] ?? 0)),
    );
  }
  return sum;
}

function findLoud(
  texts: readonly string[],
  scorer: Scorer,
  calmScores: readonly number[],
): readonly LoudPassage[] {
  return texts.flatMap((given) => {
    const text = readText(given);
    if (text.words.length === 0) return [];
    return [text.whole, ...text.parts].flatMap((passage) => {
      const scores = new Float64Array(partSignals.length);
      scorer.score(text, passage, scores);
      const isLoud = corrected.some((output, at) => Number(scores[output]) > Number(calmScores[at]));
      return isLoud
        ? [{ vector: vectorOf(text, passage), scores, shortWords: bucketsOfShortWords(text, passage) }]
        : [];
    });
  });
}

function bucketsOfShortWords({ words }: ReadText, { start, end }: Passage): ReadonlySet<number> {
  const short = words.slice(start, end).filter(({ token }) => token.length <= SHORT_WORD);
  return new Set(short.flatMap(({ buckets }) => [...buckets]));
}

/**
 * Corrects a passage by the least change that makes its scores calm; false where they were. It is the
 * passive-aggressive update of Crammer and others (2006), with smaller shares for what says little about the company.
 */
function calm(
  { vector: { buckets, values }, scores, shortWords }: LoudPassage,
  calmScores: readonly number[],
  learned: Map<number, Float32Array>,
): boolean {
  const { scorer } = builtInJudgement();
  let isLoud = false;
  corrected.forEach((output, place) => {
    const excess =
      Number(scores[output]) + scoreOf({ buckets, values }, output, learned) - Number(calmScores[place]);
    if (excess <= TOLERANCE) return;
    isLoud = true;
    const shares = Float64Array.from(buckets, (bucket, at) => {
      return (
        Number(values[at]) * (scorer.weightOf(bucket, output) > 0 || shortWords.has(bucket) ? SPARED : 1)
      );
    });
    const length = shares.reduce((sum, one, at) => sum + one * Number(values[at]), 0);
    buckets.forEach((bucket, at) => {
      const own = learned.get(bucket) ?? new Float32Array(scorer.outputs);
      own[output] = Number(own[output]) - (excess * Number(shares[at])) / length;
      learned.set(bucket, own);
    });
  });
  return isLoud;
}

function scoreOf(vector: SparseVector, output: number, learned: Corrections): number {
  let score = 0;
  vector.buckets.forEach((bucket, at) => {
    score += Number(vector.values[at]) * Number(learned.get(bucket)?.[output] ?? 0);
  });
  return score;
}
