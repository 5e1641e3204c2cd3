import { describe, expect, test } from 'vitest';
import { createPhraseIndex } from '../../src/lib/text/word-patterns.ts';

const find = createPhraseIndex(
  new Map([
    ['broken', ['does not work', 'broken']],
    ['late', ['not here yet', 'too late']],
  ]),
);

describe('the phrases of an index', () => {
  test.each([
    ['It does not work', 'broken'],
    ['IT DOES, well… it is broken', 'broken'],
    ['the parcel is not here yet', 'late'],
    ['It came too late and is broken', 'late'],
    ['it doesnt', undefined],
    ['not here', undefined],
    ['', undefined],
  ])('of %j: the first is %s', (text, name) => {
    expect(find(text)).toBe(name);
  });

  test('are found in any inflection', () => {
    const wished = createPhraseIndex(new Map([['refund', ['refund me']]]));
    expect(wished('you refunded me')).toBe('refund');
    expect(wished('refund you')).toBeUndefined();
  });

  test('that are empty are never found', () => {
    expect(createPhraseIndex(new Map([['none', ['', ' - ']]]))('anything - at all')).toBeUndefined();
  });
});
