import { describe, expect, test } from 'vitest';
import { inflectionsOf } from '../../../../src/adapters/stages/rules/inflections.ts';
import { createSpellingCorrector } from '../../../../src/adapters/stages/rules/spelling.ts';

describe('the inflections of a word', () => {
  test.each([
    ['cancel', ['cancel', 'cancels', 'canceled', 'canceling', 'cancelled', 'cancelling']],
    ['change', ['change', 'changes', 'changed', 'changing']],
    ['ship', ['ship', 'ships', 'shipped', 'shipping']],
    ['policy', ['policy', 'policies', 'policied']],
    ['delivery', ['delivery', 'deliveries']],
    ['pay', ['pay', 'pays', 'paying']],
    ['match', ['match', 'matches', 'matched', 'matching']],
    ['on', ['on']],
  ])('%s include %j', (word, forms) => {
    expect(inflectionsOf(word)).toEqual(expect.arrayContaining(forms));
  });

  test('do not double a final vowel, w, x or y', () => {
    expect(inflectionsOf('pay')).not.toContain('payying');
    expect(inflectionsOf('fix')).not.toContain('fixxed');
  });
});

describe('the spelling corrector', () => {
  const spelling = createSpellingCorrector({
    known: new Set(['refund', 'order', 'track', 'open', 'account', 'help', 'cancel', 'where']),
    targets: new Set(['refund', 'order', 'track', 'open', 'account', 'help', 'cancel']),
    ordinary: new Set(['i', 'me', 'my', 'truck', 'a']),
  });

  test.each([
    ['refund', ['refund']],
    ['refnud', ['refund']],
    ['refuund', ['refund']],
    ['refuuuuund', ['refund']],
    ['refnd', ['refund']],
    ['rdfund', ['refund']],
    ['erfund', ['refund']],
    ['cacount', ['account']],
    ['ordr', ['order']],
    ['poen', ['open']],
    ['trcak', ['track']],
    ['helpme', ['help', 'me']],
    ['cancelmy', ['cancel', 'my']],
    ['truck', ['truck']],
    ['where', ['where']],
  ])('corrects %s to %j', (word, meant) => {
    expect(spelling.correct(word)).toEqual(meant);
  });

  test.each(['wherre', 'befund', 'opex', 'xqzvkj', 'rfnd', 'ode', 'refund'.repeat(5), 'a', ''])(
    'does not correct %j',
    (word) => {
      if (word === 'a') expect(spelling.correct(word)).toEqual(['a']);
      else expect(spelling.correct(word)).toEqual([]);
    },
  );

  test('knows correct words', () => {
    expect(spelling.isKnown('refund')).toBe(true);
    expect(spelling.isKnown('truck')).toBe(true);
    expect(spelling.isKnown('refnud')).toBe(false);
    expect(spelling.isKnown('constructor')).toBe(false);
  });
});
