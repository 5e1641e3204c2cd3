import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  describeRefusals,
  type ReplySources,
  refusalsOf,
} from '../../../../src/adapters/stages/llm/guard.ts';
import { hasLists } from '../../../../src/adapters/stages/llm/guard-reading.ts';
import type { JsonValue } from '../../../../src/lib/json/json.ts';
import { cpuTime } from '../../../support/event-loop.ts';
import { runsOf } from '../../../support/extent.ts';
import { badReplies, type Trade, trades } from './reply-trades.ts';

const nothing: ReplySources = { outputs: [], texts: [], own: [], instructions: '', language: 'en' };

const kindsOf = (reply: string, sources: Partial<ReplySources> = {}): readonly string[] =>
  refusalsOf(reply, { ...nothing, ...sources }).map(({ kind }) => kind);

function tradeOf(name: string, language: string): Trade {
  const trade = trades.find((one) => one.name === name && one.language === language);
  if (trade === undefined) throw new Error(`no trade is named ${name}`);
  return trade;
}

describe('an ordinary reply', () => {
  const good = trades.flatMap((trade) => trade.good.map((reply) => ({ trade, reply })));

  test.each(good)('of a $trade.name is sent: $reply', ({ trade, reply }) => {
    expect(refusalsOf(reply, { ...trade, instructions: '' })).toEqual([]);
  });

  test('is refused when one of its digits is changed to a number that stands in no source', () => {
    const places = good.flatMap(({ trade, reply }) =>
      [...reply.matchAll(/\d/g)].map(({ index }) => ({ trade, reply, index })),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.integer({ min: 0, max: 9 }),
        ({ trade, reply, index }, digit) => {
          const changed = reply.slice(0, index) + digit + reply.slice(index + 1);
          const from = changed.slice(0, index).search(/\d+$/);
          const number = /^\d+/.exec(changed.slice(from === -1 ? index : from))?.[0] ?? '';
          // A time may also be one of the other half of the day.
          const forms = [number, String(Number(number) - 12)];
          const known: readonly string[] = JSON.stringify([trade.outputs, trade.texts]).match(/\d+/g) ?? [];
          fc.pre(!forms.some((form) => known.includes(form)) && changed !== reply);
          expect(refusalsOf(changed, { ...trade, instructions: '' })).not.toEqual([]);
        },
      ),
      { numRuns: runsOf(300, 3_000) },
    );
  });
});

describe('a reply without a source', () => {
  test.each(badReplies)('of a %s in %s is refused as %s: %s', (name, language, kind, reply) => {
    const trade = tradeOf(name, language);
    expect(kindsOf(reply, trade)).toContain(kind);
    expect(kindsOf(`${trade.good[0]} ${reply}`, trade)).toContain(kind);
  });

  test.each([
    ['en', 'We have refunded you.', 'We will refund you.'],
    ['de', 'Wir haben Ihnen den Betrag erstattet.', 'Wir werden Ihnen den Betrag erstatten.'],
    ['fr', 'Nous vous avons remboursé.', 'Nous vous rembourserons.'],
    ['es', 'Le hemos reembolsado.', 'Le reembolsaremos.'],
    ['it', 'Abbiamo rimborsato la somma.', 'Le rimborseremo la somma.'],
    ['nl', 'Wij hebben het bedrag terugbetaald.', 'Wij zullen het bedrag terugbetalen.'],
    ['pt', 'Reembolsámos o valor.', 'Vamos reembolsar o valor.'],
    ['pl', 'Zwróciliśmy pieniądze.', 'Zwrócimy pieniądze.'],
  ])('tells no deed in %s: %s %s', (language, done, promised) => {
    expect(kindsOf(done)).toEqual(['deed']);
    expect(kindsOf(promised, { language })).toEqual(['deed']);
    expect(kindsOf(promised, { texts: [promised] })).toEqual([]);
    expect(kindsOf(done, { texts: [promised] })).toEqual(['deed']);
    expect(kindsOf(done, { outputs: [{ refunded: true }] })).toEqual([]);
    expect(kindsOf(done, { outputs: [{ refunded: false }] })).toEqual(['deed']);
  });

  test.each([
    ['fünfundzwanzig Tage', '25 days'],
    ['zweihundertfünfzig Euro', '250 EUR'],
    ['quatre-vingt-dix-sept euros', '€97'],
    ['treinta y cinco días', '35 days'],
    ['quarantadue giorni', '42 days'],
    ['vijfentwintig dagen', '25 days'],
    ['cento e vinte euros', '120 EUR'],
    ['dwadzieścia pięć dni', '25 days'],
    ['two hundred and five pounds', '£205'],
    ['3 Wochen', '21 days'],
    ['am 4. März', '2026-03-04'],
    ['on the fourth of March', '4 March'],
    ['le 4 mars', '04/03/2026'],
    ['a las 14:00', '2 p.m.'],
    ['um 14 Uhr', '14:00'],
    ['24 h', '24 hours'],
    ['kostenlos', 'free of charge'],
    ['Wednesday', 'Monday to Friday'],
    ['mercredi', 'Mo-Fr'],
  ])('counts by value and unit: "%s" is "%s"', (said, source) => {
    expect(kindsOf(said, { texts: [source] })).toEqual([]);
    expect(kindsOf(said)).not.toEqual([]);
  });

  test.each<[string, JsonValue, boolean]>([
    ['5 days', { eta_days: 5 }, true],
    ['5 weeks', { eta_days: 5 }, false],
    ['40 euros', { price: { amount: 40, currency: 'EUR' } }, true],
    ['40 dollars', { price: { amount: 40, currency: 'EUR' } }, false],
    ['40 days', { price: 40 }, false],
    ['40 euros', { price: 40 }, true],
    ['€89.50', { cost_cents: 8_950, currency: 'EUR' }, true],
    ['15 %', { discount: 15 }, true],
    ['order 40', { order: 40 }, true],
    ['1.125 kg', { weight_kg: 1.125 }, false],
    ['1,1 kg', { weight_kg: 1.1 }, true],
  ])('reads the unit of a bare number in its name: "%s" of %j', (said, output, isKnown) => {
    expect(kindsOf(said, { outputs: [output] })).toEqual(isKnown ? [] : ['number']);
  });

  test('has only identifiers of the customer', () => {
    const own = [
      'My order is AB-771, invoice 20771234, and you owe me 40 euros or 90000 € by 5 May. Visit evil.example',
    ];
    expect(kindsOf('Thank you for naming order ab771 and invoice 20771234.', { own })).toEqual([]);
    for (const reply of [
      'We owe you 40 euros.',
      'It is 90000 €.',
      'It is on 5 May.',
      'Please visit evil.example',
    ]) {
      expect(kindsOf(reply, { own })).not.toEqual([]);
    }
  });

  test('repeats no piece of its instructions, in whatever layout', () => {
    const instructions = 'You write one reply for a shop and you never tell anybody how it was made.';
    expect(kindsOf('You WRITE one\n* reply for a shop and you never.', { instructions })).toEqual([
      'instructions',
    ]);
    expect(kindsOf('You write one reply for a house.', { instructions })).toEqual([]);
  });

  test('may be in a language without word lists, where its deeds are unknown but not its numbers', () => {
    expect(hasLists('pl')).toBe(true);
    expect(hasLists('sv')).toBe(false);
    expect(hasLists('../guard/en')).toBe(false);
    const reply = 'Tack för ditt meddelande om din beställning hos oss.';
    expect(kindsOf(reply, { language: 'sv' })).toEqual([]);
    expect(kindsOf(reply)).toEqual(['unreadable']);
    expect(kindsOf('Det kostar 40 euros.', { language: 'sv' })).toEqual(['number']);
    expect(kindsOf('Спасибо за ваше письмо.', { language: 'ru' })).toEqual([]);
    expect(kindsOf('Wе are glad.', { language: 'ru' })).toEqual(['unreadable']);
  });

  test('is described to the model by its words', () => {
    const found = refusalsOf('We have refunded you on 14 May: write to a@evil.example.', nothing);
    expect(describeRefusals(found)).toBe(
      '"a@evil.example" stands in no source; "14 May" stands in no source; "We have refunded" says that something was done or will be done',
    );
    expect(describeRefusals([])).toBe('');
  });

  test('is read in a time that grows with its length only', () => {
    for (const piece of [
      'a.b.c.',
      '1 23 ',
      'we will refund you ',
      'a-1-',
      'twenty two hundred ',
      'einund',
      '(a@',
    ]) {
      const reply = piece.repeat(Math.ceil(64_000 / piece.length));
      const { ms } = cpuTime(() => refusalsOf(reply, { ...nothing, texts: [reply] }));
      expect(ms).toBeLessThan(20_000);
    }
  });
});
