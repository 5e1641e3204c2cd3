import { concerns } from '../../../domain/message/message.ts';
import type { Corrections, Scorer } from '../../../lib/learning/stored-model.ts';
import {
  type Passage,
  type ReadText,
  type SparseVector,
  vectorOf,
} from '../../../lib/learning/text-reader.ts';
import { readText } from '../../shared/reading/read-text.ts';
import { builtInJudgement } from './judgement.ts';
import { partSignals } from './signals.ts';

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
