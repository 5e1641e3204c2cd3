import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createClauseAnalyzer,
  MAX_CORRECTIONS,
} from '../../../../src/adapters/stages/rules/clause-analyzer.ts';
import { tokenize } from '../../../../src/lib/text/tokenize.ts';

const analyzer = createClauseAnalyzer({
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
  uncorrectable: new Set(['asks', 'negation', 'refusal']),
  ordinaryWords: new Set(['i', 'it', 'my']),
  referents: new Set(['order', 'number']),
  imperatives: new Set(['cancel']),
  refusable: new Set(['refund', 'cancel']),
});

const names = [...analyzer.concepts.keys()];

function clauses(text: string): string[] {
  return analyzer
    .analyze(tokenize(text).map((word) => analyzer.tokenOf(word, true)))
    .map(
      ({ concepts, kind, contrasts }) =>
        `${concepts.map((concept) => names[concept]).join('+')} ${kind}${contrasts ? ' contrasts' : ''}`,
    );
}

describe('a message', () => {
  test.each([
    ['my order', ['order statement']],
    ['two orders and purchases', ['order statement', 'order statement']],
    ['ordre 12345', ['order+number statement']],
    ['order 123', ['order statement']],
    ['give the money back', ['refund statement']],
    ['calling off', ['cancel request']],
    ['called off', ['cancel statement']],
    ['they called off', ['cancel statement']],
    ['call me off', ['cancel request']],
    ['calling me off', []],
    ['cancel it', ['cancel request']],
    ['you cancel it', ['cancel statement']],
    ['cancel', ['cancel request']],
    ['order?', ['order request']],
    ['can you cancel', ['asks+cancel request']],
    ['12 $ or 3 euros', ['money statement', 'money statement']],
    ['nothing known', []],
  ])('%j has the clauses %j', (text, expected) => {
    expect(clauses(text)).toEqual(expected);
  });

  test('resolves a pronoun to the clause before, unless the clause has a referent', () => {
    expect(clauses('my order is late, can you cancel it')).toEqual([
      'order+late statement',
      'asks+cancel+order request',
    ]);
    expect(clauses('my order is late, can you cancel')).toEqual([
      'order+late statement',
      'asks+cancel request',
    ]);
    expect(clauses('order 12345, cancel this order')).toEqual([
      'order+number statement',
      'cancel+order request',
    ]);
  });

  test('marks contrasts after a but, and reasons as background', () => {
    expect(clauses('my order came but I want a refund')).toEqual([
      'order statement',
      'asks+refund request contrasts',
    ]);
    expect(clauses('cancel because my order is late')).toEqual(['cancel request', 'order+late background']);
  });

  test('ignores what is refused, until the next topic', () => {
    expect(clauses("I don't want a refund")).toEqual(['refusal+turnedDown statement']);
    expect(clauses('I do not want a refund can you cancel')).toEqual([
      'refusal+turnedDown+asks+cancel request',
    ]);
    expect(clauses('I do not want a refund I cancel')).toEqual(['refusal+turnedDown+cancel statement']);
    expect(clauses("I don't want my order")).toEqual(['refusal+order statement']);
  });

  test(`has at most ${MAX_CORRECTIONS} misspelled words corrected`, () => {
    const gibberish = (count: number): string => 'xqzvkj '.repeat(count);
    expect(clauses(`${gibberish(MAX_CORRECTIONS - 1)} refnud`)).toEqual(['refund statement']);
    expect(clauses(`${gibberish(MAX_CORRECTIONS)} refnud`)).toEqual([]);
    expect(clauses(`${gibberish(MAX_CORRECTIONS)} refund`)).toEqual(['refund statement']);
  });

  test('leaves misspelled words without spelling correction', () => {
    expect(analyzer.tokenOf('refnud', false)).toMatchObject({ misspelled: true, corrections: undefined });
    expect(analyzer.tokenOf('refund', false)).toEqual(analyzer.tokenOf('refund', true));
  });

  test('has only concepts of the lexicon, for any words', () => {
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
