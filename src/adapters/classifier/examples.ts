import type { IntentClassifier, RankedIntent, TextVectors } from '../../domain/playbook/intent-classifier.ts';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import { numberOfMeaning } from '../../lib/learning/lexicon.ts';
import { withoutDigits } from '../../lib/learning/text-reader.ts';
import { isPunctuation, tokenize } from '../../lib/text/tokenize.ts';
import { spacedName } from '../../lib/text/words.ts';
import { readText } from '../shared/reading/read-text.ts';
import { createIntentClassifier, hasContent } from './intent-model.ts';
import { type IntentText, trainIntents } from './training.ts';

/** The error target of a playbook without tickets. */
const TARGET_ERROR = 0.05;

/** The texts of a playbook about its intents beside their examples: names, descriptions, and its articles. */
export function supportOf({
  intents,
  articleTexts,
}: Pick<Playbook, 'intents' | 'articleTexts'>): readonly IntentText[] {
  return [...intents.values()].flatMap(({ name, description }) => {
    const label = `${spacedName(name)}. ${description}`;
    return [label, ...(articleTexts.get(name) ?? [])].map((text) => ({ text, intent: name }));
  });
}

/** The examples of a playbook. */
export function examplesOf({ intents }: Pick<Playbook, 'intents'>): readonly IntentText[] {
  return [...intents.values()].flatMap(({ name, examples }) =>
    examples.map((text) => ({ text, intent: name })),
  );
}

/** The texts of a playbook whose vectors {@link createExampleClassifier} learns from: none where it learns nothing. */
export function textsToEmbed(playbook: Pick<Playbook, 'intents' | 'articleTexts'>): readonly string[] {
  const intents = new Set(intentsWithExamples(playbook));
  if (intents.size < 2) return [];
  return [...examplesOf(playbook), ...supportOf(playbook)]
    .filter(({ intent }) => intents.has(intent))
    .map(({ text }) => text);
}

/** The names of the intents that a classifier of a playbook tells apart: those with examples. */
function intentsWithExamples({ intents }: Pick<Playbook, 'intents'>): readonly string[] {
  return [...intents.values()].filter(({ examples }) => examples.length > 0).map(({ name }) => name);
}

/**
 * Creates a classifier from what a playbook says of its intents. Its thresholds are found by leaving some of the
 * examples out in turn. `answerable` is that of the built-in judgement; `vectors` has those of {@link textsToEmbed},
 * where there is an embedding model.
 */
export function createExampleClassifier(
  playbook: Pick<Playbook, 'intents' | 'articleTexts'>,
  answerable: (text: string, confidence: number) => number,
  vectors?: TextVectors,
): IntentClassifier {
  const intents = intentsWithExamples(playbook);
  const known = new Set(intents);
  const [only] = intents;
  if (only === undefined) return { thresholds: new Map(), rank: () => [] };
  if (intents.length === 1) return withExact(rankAlone(only, playbook), playbook);
  const { model } = trainIntents(
    {
      intents,
      tickets: examplesOf(playbook),
      support: supportOf(playbook).filter(({ intent }) => known.has(intent)),
      vectors,
      handedOver: new Set(
        [...playbook.intents.values()].filter(({ handover }) => handover).map(({ name }) => name),
      ),
    },
    { seed: 0, targetError: TARGET_ERROR, answerable, isFew: true },
  );
  return withExact(withNegations(createIntentClassifier(model), playbook), playbook);
}

/** The confidence in an intent that a text may only deny. */
const DENIED = 0.4;

const negation = numberOfMeaning('negation');

function isNegated(text: string): boolean {
  return readText(text).words.some(({ meanings }) => meanings.some((own) => own.includes(negation)));
}

/**
 * Few examples do not teach what a negation changes: a negated text of an intent without a negated example (`I did not
 * lose my card`) is no sure one.
 */
function withNegations(
  { rank, thresholds, vectors }: IntentClassifier,
  { intents }: Pick<Playbook, 'intents'>,
): IntentClassifier {
  const negated = new Set(
    [...intents.values()].filter(({ examples }) => examples.some(isNegated)).map(({ name }) => name),
  );
  return {
    thresholds,
    vectors,
    rank(text, most, vector) {
      const ranked = rank(text, most, vector);
      const [first] = ranked;
      if (first === undefined || negated.has(first.intent) || !isNegated(text)) return ranked;
      return ranked.map((one) => {
        const confidence = Math.min(DENIED, one.confidence);
        return { intent: one.intent, confidence, evidence: one.evidence };
      });
    },
  };
}

function keyOf(text: string): string {
  return tokenize(text)
    .filter((token) => !isPunctuation(token))
    .map(withoutDigits)
    .join(' ');
}

/** A message that is an example of one intent, apart from case and punctuation, has that intent. */
function withExact(
  { rank, thresholds, vectors }: IntentClassifier,
  playbook: Pick<Playbook, 'intents'>,
): IntentClassifier {
  const intentsByKey = Map.groupBy(examplesOf(playbook), ({ text }) => keyOf(text));
  return {
    thresholds,
    vectors,
    rank(text, most, vector) {
      const ranked = rank(text, most, vector);
      const own = new Set(intentsByKey.get(keyOf(text))?.map(({ intent }) => intent));
      const [intent] = own;
      if (intent === undefined || own.size > 1) return ranked;
      const others = ranked
        .filter((one) => one.intent !== intent)
        .map((one) => ({ intent: one.intent, confidence: 0 }));
      const evidence = ranked.find((one) => one.intent === intent)?.evidence;
      return [{ intent, confidence: 1, evidence }, ...others];
    },
  };
}

/**
 * The only intent of a playbook: as sure as the words of a text that say something stand in what the playbook says.
 */
function rankAlone(intent: string, playbook: Pick<Playbook, 'intents' | 'articleTexts'>): IntentClassifier {
  const said = [...examplesOf(playbook), ...supportOf(playbook)].filter((one) => one.intent === intent);
  const known = new Set(said.flatMap(({ text }) => readText(text).words.map(({ hash }) => hash)));
  return {
    thresholds: new Map(),
    rank(text) {
      const words = readText(text).words.filter(hasContent);
      const found = words.filter(({ hash }) => known.has(hash)).length;
      return [{ intent, confidence: words.length === 0 ? 0 : found / words.length }];
    },
  };
}

// Combined classifiers

/**
 * Combines a classifier of the examples of a playbook with the built-in one. `builtInNames` are the intents of the
 * playbook that the built-in classifier knows; what it gives to others counts as none of the intents.
 *
 * The rule: the example classifier is believed in the measure of the probability that it gives to its intents together,
 * and the built-in one has the rest. So an intent has `own + (1 - sum of own) * builtIn`, and the sum stays at most 1.
 * Each intent that either classifier knows stands once in the ranking, the likeliest first. Where both have a threshold
 * for an intent, that of `own` counts. Vectors are for `own` alone.
 */
export function combineClassifiers(
  own: IntentClassifier,
  builtIn: IntentClassifier,
  builtInNames: Iterable<string>,
): IntentClassifier {
  const names = new Set(builtInNames);
  const known = [...builtIn.thresholds].filter(([name]) => names.has(name));
  return {
    thresholds: new Map([...known, ...own.thresholds]),
    vectors: own.vectors && {
      ...own.vectors,
      thresholds: new Map([...known, ...own.vectors.thresholds]),
    },
    rank(text, most, vector) {
      const ranked = own.rank(text, undefined, vector);
      const confidences = new Map(ranked.map(({ intent, confidence }) => [intent, confidence]));
      const rest = Math.max(0, 1 - totalOf(ranked));
      for (const { intent, confidence } of builtIn.rank(text)) {
        if (!names.has(intent)) continue;
        confidences.set(intent, (confidences.get(intent) ?? 0) + rest * confidence);
      }
      return toRanking(confidences, most);
    },
  };
}

function totalOf(ranked: readonly RankedIntent[]): number {
  return ranked.reduce((sum, { confidence }) => sum + confidence, 0);
}

/** The likeliest first. Rounding must not raise the sum above 1. */
function toRanking(
  confidences: ReadonlyMap<string, number>,
  most: number | undefined,
): readonly RankedIntent[] {
  const ranked = [...confidences].map(([intent, confidence]) => ({ intent, confidence }));
  const scale = 1 / Math.max(1, totalOf(ranked) + 1e-9);
  return ranked
    .map(({ intent, confidence }) => ({ intent, confidence: confidence * scale }))
    .sort((one, other) => other.confidence - one.confidence)
    .slice(0, most);
}
