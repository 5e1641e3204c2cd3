import { describe, expect, test } from 'vitest';
import { formsOf } from '../../../../src/adapters/stages/rules/forms.ts';
import { createSpeller } from '../../../../src/adapters/stages/rules/spelling.ts';

describe('the forms of a word', () => {
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
    expect(formsOf(word)).toEqual(expect.arrayContaining(forms));
  });

  test('of words that end in a vowel, w, x or y do not double it', () => {
    expect(formsOf('pay')).not.toContain('payying');
    expect(formsOf('fix')).not.toContain('fixxed');
  });
});

describe('the speller', () => {
  const speller = createSpeller({
    known: new Set(['refund', 'order', 'track', 'open', 'account', 'help', 'cancel', 'where']),
    telling: new Set(['refund', 'order', 'track', 'open', 'account', 'help', 'cancel']),
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
  ])('takes %s for %j', (word, meant) => {
    expect(speller.correct(word)).toEqual(meant);
  });

  test.each(['wherre', 'befund', 'opex', 'xqzvkj', 'rfnd', 'ode', 'refund'.repeat(5), 'a', ''])(
    'leaves %j alone',
    (word) => {
      if (word === 'a') expect(speller.correct(word)).toEqual(['a']);
      else expect(speller.correct(word)).toEqual([]);
    },
  );

  test('knows what is right', () => {
    expect(speller.isRight('refund')).toBe(true);
    expect(speller.isRight('truck')).toBe(true);
    expect(speller.isRight('refnud')).toBe(false);
    expect(speller.isRight('constructor')).toBe(false);
  });
});
