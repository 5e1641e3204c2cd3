import { type Intent, intents, type RecordedIntent } from '../message/message.ts';
import { sum } from './shares.ts';

/** How well one intent is recognized. */
export interface IntentScore {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  /** Tickets that expected this intent. */
  readonly support: number;
}

/** Scores the intents that were expected or predicted, by how often each was predicted for each expected one. */
export function scoreIntents(
  counts: ReadonlyMap<Intent, ReadonlyMap<RecordedIntent, number>>,
): (readonly [Intent, IntentScore])[] {
  const scores: (readonly [Intent, IntentScore])[] = [];
  for (const intent of inOrder(counts)) {
    const support = sum([...(counts.get(intent)?.values() ?? [])]);
    const predicted = sum([...counts.values()].map((row) => row.get(intent) ?? 0));
    if (support === 0 && predicted === 0) continue;
    const hits = counts.get(intent)?.get(intent) ?? 0;
    const precision = predicted === 0 ? 0 : hits / predicted;
    const recall = support === 0 ? 0 : hits / support;
    // The harmonic mean of precision and recall, from the counts: it is rounded once and never divides by zero.
    const f1 = (2 * hits) / (support + predicted);
    scores.push([intent, { precision, recall, f1, support }]);
  }
  return scores;
}

/**
 * The intents that were expected or predicted: those of the built-in playbook in its order, then the others by name.
 */
function inOrder(counts: ReadonlyMap<Intent, ReadonlyMap<RecordedIntent, number>>): readonly Intent[] {
  const seen = new Set([...counts].flatMap(([expected, row]) => [expected, ...row.keys()]));
  const builtIn: ReadonlySet<string> = new Set(intents);
  const others = [...seen].filter((intent) => !builtIn.has(intent) && intent !== 'unknown').sort();
  return [...intents, ...others];
}
