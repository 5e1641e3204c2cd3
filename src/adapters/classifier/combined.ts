import type { IntentClassifier, RankedIntent } from '../../domain/playbook/intent-classifier.ts';

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
