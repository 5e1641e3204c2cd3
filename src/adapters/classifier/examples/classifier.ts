import type { IntentClassifier, RankedIntent } from '../../../domain/playbook/intent-classifier.ts';
import { sentenceSpans } from '../../../lib/text/sentences.ts';
import { toProbabilities } from './calibration.ts';
import { type ComparedWord, compareWord, gatherEvidence } from './evidence.ts';
import { type ExampleIndex, type ExampleIntent, indexExamples } from './example-index.ts';
import { MAX_LENGTH, type ReadText, readText, readWord } from './text.ts';

/** The confidence for a text that is an example but for case, accents, punctuation and digits. */
const EXACT = 0.97;

/** The highest confidence for a text that says `not` where the most similar example does not. */
const NEGATED = 0.5;

/** The probabilities of all intents add up to at most this. */
const MAX_TOTAL = 0.99;

/** The number of cached words times that of intents. */
const MAX_CACHED = 100_000;

/** Further sentences are read only as parts of the whole text. */
const MAX_SENTENCES = 12;

/**
 * Creates a classifier for intents that have examples, 1 to 50 each, and no training data. It works in any language; the
 * name and the description count as one more example. The examples are read on first use.
 *
 * It compares the text, and each of its sentences, with the examples: words that the text shares with them raise the
 * confidence, and a text whose words do not stand in the examples is none of the intents. A text with wishes of two
 * intents gets about half of the confidence for each. Only the first 8,000 characters count. It has no thresholds.
 */
export function createExampleClassifier(intents: readonly ExampleIntent[]): IntentClassifier {
  let comparison: Comparison | undefined;
  return {
    thresholds: new Map(),
    rank(text) {
      comparison ??= createComparison(indexExamples(intents));
      return comparison(text.slice(0, MAX_LENGTH));
    },
  };
}

type Comparison = (text: string) => readonly RankedIntent[];

function createComparison(index: ExampleIndex): Comparison {
  const lookUp = cacheWords(index);
  return (text) => {
    const whole = readText(text, lookUp);
    if (index.intentsByKey.has(whole.key)) return toRanking(index, probabilitiesOf(index, whole));
    const spans = sentenceSpans(text).slice(0, MAX_SENTENCES);
    const sentences = spans.length > 1 ? spans.map(({ start, end }) => text.slice(start, end)) : [];
    const parts = [whole, ...sentences.map((sentence) => readText(sentence, lookUp))];
    const probabilities = parts.map((part) => probabilitiesOf(index, part));
    const best = index.intents.map((_, intent) =>
      Math.max(...probabilities.map((part) => part[intent] ?? 0)),
    );
    return toRanking(index, best);
  };
}

/** Caches compared words, for the words of messages repeat. A full cache starts anew. */
function cacheWords(index: ExampleIndex): (word: string) => ComparedWord {
  const maxWords = Math.max(256, Math.floor(MAX_CACHED / Math.max(1, index.intents.length)));
  const cache = new Map<string, ComparedWord>();
  return (word) => {
    let compared = cache.get(word);
    if (compared === undefined) {
      compared = compareWord(index, readWord(word));
      if (cache.size >= maxWords) cache.clear();
      cache.set(word, compared);
    }
    return compared;
  };
}

/** The probability of each intent for a part of a text. */
function probabilitiesOf(index: ExampleIndex, text: ReadText<ComparedWord>): readonly number[] {
  if (text.words.length === 0) return index.intents.map(() => 0);
  const evidence = gatherEvidence(index, text);
  const exact = index.intentsByKey.get(text.key);
  return toProbabilities(evidence).map((one, intent) => {
    if (exact !== undefined) return exact.includes(intent) ? EXACT / exact.length : one * (1 - EXACT);
    return evidence[intent]?.isOnlyTextNegated ? Math.min(one, NEGATED) : one;
  });
}

function toRanking(index: ExampleIndex, probabilities: readonly number[]): readonly RankedIntent[] {
  const total = probabilities.reduce((sum, one) => sum + one, 0);
  const scale = total > MAX_TOTAL ? MAX_TOTAL / total : 1;
  const ranked = index.intents.map((intent, at) => ({
    intent,
    confidence: (probabilities[at] ?? 0) * scale,
  }));
  return ranked.sort((one, other) => other.confidence - one.confidence);
}
