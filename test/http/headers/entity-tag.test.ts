import { describe, expect, test } from 'vitest';
import { createTags, matchesTag } from '../../../src/adapters/http/record-headers.ts';

describe('the tag of a record', () => {
  const tagOf = createTags('1.2.3');

  test('is strong, and the same for the same record and version', () => {
    expect(tagOf('some-id')).toMatch(/^"[\w-]{8}\.some-id"$/);
    expect(createTags('1.2.3')('some-id')).toBe(tagOf('some-id'));
  });

  test('differs by record, revision and version of the service', () => {
    const others = [tagOf('other'), tagOf('some-id', '2'), createTags('1.2.4')('some-id')];
    expect(new Set([tagOf('some-id'), ...others]).size).toBe(4);
  });

  test('has only characters of a tag, whatever the id', () => {
    expect(tagOf('a "b"\r\nü, *')).toMatch(/^"[\x21\x23-\x7e]+"$/);
  });
});

describe('If-None-Match', () => {
  test.each([
    '"a"',
    'W/"a"',
    '*',
    ' * ',
    '"b", "a"',
    '"b","a","c"',
    'W/"b" ,\tW/"a"',
    '"x,y", "a"',
    '"\\", "a"',
    ', "a" ,',
    '"", "a"',
  ])('%s has the tag', (header) => {
    expect(matchesTag(header, '"a"')).toBe(true);
  });

  test.each(['', 'a', '"b"', '"A"', '"a', 'a"', 'w/"a"', '"b"a"c"', 'x"a"', '"a"x', '*, "b"', '"*"', '" a"'])(
    '%s does not have it',
    (header) => {
      expect(matchesTag(header, '"a"')).toBe(false);
    },
  );

  test.each(['"b",', 'W/"b", ', ',', '"', ' ', ',"', ' ,', '"b" ', '*', 'W/'])(
    'of a million characters is read in linear time: %j',
    (piece) => {
      expect(matchesTag(piece.repeat(1_000_000 / piece.length), '"a"')).toBe(false);
    },
  );
});
