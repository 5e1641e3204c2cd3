import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineClassifiers } from '../../../../src/adapters/classifier/combined.ts';
import { createExampleClassifier } from '../../../../src/adapters/classifier/examples/classifier.ts';
import type { IntentClassifier } from '../../../../src/domain/playbook/intent-classifier.ts';
import { runsOf } from '../../../support/extent.ts';
import { playbooks } from './playbooks.ts';

const { library } = playbooks;

/** Checks what every ranking must be, and returns it. */
function checkedRank(classifier: IntentClassifier, names: readonly string[], text: string) {
  const ranked = classifier.rank(text);
  const confidences = ranked.map(({ confidence }) => confidence);
  expect(ranked.map(({ intent }) => intent).sort()).toEqual([...names].sort());
  expect(confidences.every((one) => one >= 0 && one <= 1)).toBe(true);
  expect(confidences).toEqual([...confidences].sort((one, other) => other - one));
  expect(confidences.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1);
  return ranked;
}

const words = Object.values(playbooks)
  .flat()
  .flatMap(({ examples }) => examples.flatMap((text) => text.split(' ')))
  .concat('nicht', 'not', '.', '? ', '\n', '🦷', 'שלום', '本');

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((some) => some.join(' ')),
);

describe('the ranking by examples', () => {
  test.each(Object.entries(playbooks))(
    'holds each intent of the %s once, sorted, with a sum of at most 1',
    (_, intents) => {
      const names = intents.map(({ name }) => name);
      const classifier = createExampleClassifier(intents);
      fc.assert(
        fc.property(anyText, (text) => {
          const ranked = checkedRank(classifier, names, text);
          expect(createExampleClassifier(intents).rank(text)).toEqual(ranked);
        }),
        { numRuns: runsOf(60, 200) },
      );
    },
  );

  test('is made from any examples', () => {
    const anyIntents = fc.uniqueArray(
      fc.record({
        name: fc.string({ minLength: 1, maxLength: 10 }),
        description: anyText,
        examples: fc.array(anyText, { maxLength: 5 }),
      }),
      { selector: ({ name }) => name, maxLength: 6 },
    );
    fc.assert(
      fc.property(anyIntents, anyText, (intents, text) => {
        const names = intents.map(({ name }) => name);
        checkedRank(createExampleClassifier(intents), names, text);
        for (const { examples } of intents) {
          for (const example of examples) checkedRank(createExampleClassifier(intents), names, example);
        }
      }),
      { numRuns: runsOf(40, 100) },
    );
  });

  test.each([
    ['an empty text', ''],
    ['blanks', ' \n\t '],
    ['emoji', '🚲🔑👩‍👩‍👧‍👦'],
    ['right-to-left text', 'אבד לי הכרטיס של הספרייה'],
    ['half a surrogate pair', 'card \ud83d'],
    ['names of object members', 'constructor __proto__ toString'],
    ['64 KB of one letter', 'x'.repeat(65_536)],
    ['64 KB of words', 'lost my library card '.repeat(3_121)],
    ['64 KB of different words', Array.from({ length: 9_000 }, (_, at) => `w${at}q`).join(' ')],
    ['64 KB of Han characters', '图书馆'.repeat(21_845)],
    ['64 KB of sentences', 'No. '.repeat(16_384)],
    ['64 KB that normalization makes longer', '\ufdfa'.repeat(65_536)],
    ['64 KB of accents', `a${'\u0301'.repeat(65_535)}`],
  ])('holds for %s', (_, text) => {
    const names = library.map(({ name }) => name);
    checkedRank(createExampleClassifier(library), names, text);
  });

  test('does not depend on what was ranked before', () => {
    const used = createExampleClassifier(library);
    for (let at = 0; at < 30_000; at++) used.rank(`word${at} renews`);
    for (const text of ['renew a book', 'lost the card']) {
      expect(used.rank(text)).toEqual(createExampleClassifier(library).rank(text));
    }
  });
});

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
    const combined = combineClassifiers(createExampleClassifier(library), fixed({ refund: 0.9 }), ['refund']);
    expect(combined.rank('I lost my library card')[0]?.intent).toBe('lost_card');
    expect(combined.rank('give me back what I paid')[0]?.intent).toBe('refund');
  });
});
