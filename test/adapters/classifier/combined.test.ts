import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineClassifiers } from '../../../src/adapters/classifier/examples.ts';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import { runsOf } from '../../support/extent.ts';
import { classifierOf, playbooks } from './playbooks.ts';
import { checkedRank } from './rankings.ts';

describe('two classifiers combined', () => {
  const builtInNames = ['refund', 'billing', 'account', 'complaint'];
  const ownNames = ['repair', 'key', 'billing'];
  const fixed = (confidences: Readonly<Record<string, number>>): IntentClassifier => ({
    thresholds: new Map(Object.keys(confidences).map((name) => [name, 0.7])),
    rank: () =>
      Object.entries(confidences)
        .map(([intent, confidence]) => ({ intent, confidence }))
        .sort((one, other) => other.confidence - one.confidence),
  });
  const distribution = (names: readonly string[]) =>
    fc
      .array(fc.double({ min: 0, max: 1, noNaN: true }), {
        minLength: names.length + 1,
        maxLength: names.length + 1,
      })
      .map((parts) => {
        const total = parts.reduce((sum, one) => sum + one, 0) || 1;
        return Object.fromEntries(names.map((name, at) => [name, (parts[at] ?? 0) / total]));
      });

  test('rank each intent of the playbook once, sorted, with a sum of at most 1', () => {
    const chosen = fc.subarray(builtInNames);
    fc.assert(
      fc.property(distribution(ownNames), distribution(builtInNames), chosen, (own, builtIn, names) => {
        const combined = combineClassifiers(fixed(own), fixed(builtIn), names);
        const ranked = checkedRank(combined, [...new Set([...ownNames, ...names])], '');
        for (const { intent, confidence } of ranked) {
          // Own evidence is kept, and the built-in classifier never gains.
          const least = own[intent] ?? 0;
          expect(confidence).toBeGreaterThanOrEqual(least - 1e-6);
          expect(confidence).toBeLessThanOrEqual(least + (builtIn[intent] ?? 0) + 1e-6);
        }
      }),
      { numRuns: runsOf(150, 500) },
    );
  });

  test('leave the built-in one what the examples leave over', () => {
    const combined = combineClassifiers(
      fixed({ repair: 0.6, key: 0.2 }),
      fixed({ refund: 0.5, complaint: 0.5 }),
      ['refund'],
    );
    const ranked = combined.rank('').map(({ intent, confidence }) => [intent, Number(confidence.toFixed(6))]);
    expect(ranked).toEqual([
      ['repair', 0.6],
      ['key', 0.2],
      ['refund', 0.1],
    ]);
  });

  test('have the thresholds of the playbook’s intents, those of the examples first', () => {
    const own = { ...fixed({ billing: 0.5 }), thresholds: new Map([['billing', 0.4]]) };
    const { thresholds } = combineClassifiers(own, fixed({ refund: 1, billing: 0, spam: 0 }), [
      'refund',
      'billing',
    ]);
    expect([...thresholds].sort()).toEqual([
      ['billing', 0.4],
      ['refund', 0.7],
    ]);
  });

  test('work with real examples', () => {
    const combined = combineClassifiers(classifierOf(playbooks.library), fixed({ refund: 0.9 }), ['refund']);
    expect(combined.rank('I lost my library card')[0]?.intent).toBe('lost_card');
    expect(combined.rank('quod erat demonstrandum')[0]?.intent).toBe('refund');
  });
});
