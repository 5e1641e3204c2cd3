import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createReader, MAX_CORRECTIONS } from '../../../../src/adapters/stages/rules/reader.ts';
import { tokenize } from '../../../../src/lib/text/tokenize.ts';

const reader = createReader({
  lexicon: {
    order: 'order, purchase',
    number: '0000',
    refund: 'refund, money back',
    late: 'late, not here yet',
    cancel: 'cancel, call off, =call me off',
    asks: 'want, please, can',
    negation: 'not, dont, never',
    refusal: 'not want, dont want',
    money: '$, euro',
  },
  silent: new Set(['asks', 'negation', 'refusal']),
  ordinaryWords: new Set(['i', 'it', 'my']),
  things: new Set(['order', 'number']),
  commands: new Set(['cancel']),
  refusable: new Set(['refund', 'cancel']),
});

const names = [...reader.concepts.keys()];

function clauses(text: string): string[] {
  return reader
    .read(tokenize(text).map((word) => reader.senseOf(word, true)))
    .map(
      ({ concepts, stance, turned }) =>
        `${concepts.map((concept) => names[concept]).join('+')} ${stance}${turned ? ' turned' : ''}`,
    );
}

describe('a message', () => {
  test.each([
    ['my order', ['order told']],
    ['two orders and purchases', ['order told', 'order told']],
    ['ordre 12345', ['order+number told']],
    ['order 123', ['order told']],
    ['give the money back', ['refund told']],
    ['calling off', ['cancel asked']],
    ['called off', ['cancel told']],
    ['they called off', ['cancel told']],
    ['call me off', ['cancel asked']],
    ['calling me off', []],
    ['cancel it', ['cancel asked']],
    ['you cancel it', ['cancel told']],
    ['cancel', ['cancel asked']],
    ['order?', ['order asked']],
    ['can you cancel', ['asks+cancel asked']],
    ['12 $ or 3 euros', ['money told', 'money told']],
    ['nothing known', []],
  ])('%j is read as %j', (text, expected) => {
    expect(clauses(text)).toEqual(expected);
  });

  test('refers back by a pronoun to the things of the clause before, and only where it names none', () => {
    expect(clauses('my order is late, can you cancel it')).toEqual([
      'order+late told',
      'asks+cancel+order asked',
    ]);
    expect(clauses('my order is late, can you cancel')).toEqual(['order+late told', 'asks+cancel asked']);
    expect(clauses('order 12345, cancel this order')).toEqual(['order+number told', 'cancel+order asked']);
  });

  test('turns on a but, and gives reasons aside', () => {
    expect(clauses('my order came but I want a refund')).toEqual(['order told', 'asks+refund asked turned']);
    expect(clauses('cancel because my order is late')).toEqual(['cancel asked', 'order+late aside']);
  });

  test('turns down what it refuses, until it goes on about something else', () => {
    expect(clauses("I don't want a refund")).toEqual(['refusal+turnedDown told']);
    expect(clauses('I do not want a refund can you cancel')).toEqual([
      'refusal+turnedDown+asks+cancel asked',
    ]);
    expect(clauses('I do not want a refund I cancel')).toEqual(['refusal+turnedDown+cancel told']);
    expect(clauses("I don't want my order")).toEqual(['refusal+order told']);
  });

  test(`has at most ${MAX_CORRECTIONS} misspelt words put right`, () => {
    const gibberish = (count: number): string => 'xqzvkj '.repeat(count);
    expect(clauses(`${gibberish(MAX_CORRECTIONS - 1)} refnud`)).toEqual(['refund told']);
    expect(clauses(`${gibberish(MAX_CORRECTIONS)} refnud`)).toEqual([]);
    expect(clauses(`${gibberish(MAX_CORRECTIONS)} refund`)).toEqual(['refund told']);
  });

  test('leaves misspelt words as they are where they are not looked into thoroughly', () => {
    expect(reader.senseOf('refnud', false)).toMatchObject({ misspelt: true, meant: undefined });
    expect(reader.senseOf('refund', false)).toEqual(reader.senseOf('refund', true));
  });

  test('holds only concepts of the lexicon, whatever its words', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'order',
        'refnud',
        'not',
        'want',
        'it',
        ',',
        'but',
        '__proto__',
        'constructor',
        '12345',
      ),
      fc.string({ maxLength: 8 }),
    );
    const known = new Set(
      'order number refund late cancel asks negation refusal money turnedDown'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        for (const clause of clauses(words.join(' '))) {
          const concepts = (clause.split(' ')[0] ?? '').split('+');
          expect(concepts.filter((concept) => !known.has(concept))).toEqual([]);
          expect(new Set(concepts).size).toBe(concepts.length);
        }
      }),
    );
  });
});
