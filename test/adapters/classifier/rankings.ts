import { expect } from 'vitest';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';

/** Checks what every ranking must be, and returns it. */
export function checkedRank(classifier: IntentClassifier, names: readonly string[], text: string) {
  const ranked = classifier.rank(text);
  const confidences = ranked.map(({ confidence }) => confidence);
  expect(ranked.map(({ intent }) => intent).sort()).toEqual([...names].sort());
  expect(confidences.every((one) => one >= 0 && one <= 1)).toBe(true);
  expect(confidences).toEqual([...confidences].sort((one, other) => other - one));
  expect(confidences.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1 + 1e-9);
  return ranked;
}
