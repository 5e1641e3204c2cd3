import { describe, expect, test } from 'vitest';
import { namesMediaType, qualityOf } from '../../../src/adapters/http/parse-headers.ts';
import { runsOf } from '../../support/extent.ts';

/** Characters of a long text; with a time that grows faster than them, the test would not end. */
const LENGTH = runsOf(300_000, 1_000_000);

const problem = 'application/problem+json';

describe('an Accept header names a media type', () => {
  test.each([
    problem,
    'APPLICATION/Problem+JSON',
    `text/html, ${problem}`,
    `${problem};q=0.001`,
    `${problem} ; Q=1.000`,
    `${problem};charset=utf-8;q=0.5`,
    `${problem};q="0.5"`,
    `${problem};q=0, ${problem};q=1`,
    `,,, ${problem} ,,,`,
    `text/plain;title="a, b\\"", ${problem}`,
  ])('%s', (accept) => {
    expect(namesMediaType(accept, problem)).toBe(true);
  });

  test.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    `${problem}x`,
    `x${problem}`,
    `${problem};q=0`,
    `${problem};q=0.000`,
    `${problem};q=abc`,
    `${problem};q=-1`,
    `${problem};q=2`,
    `${problem};q=1e1`,
    `${problem};q=`,
    `${problem};q`,
    `text/plain;title="${problem}"`,
    `text/plain;title="a, ${problem}, b"`,
    `text/plain;title="unclosed, ${problem}`,
  ])('%s does not', (accept) => {
    expect(namesMediaType(accept, problem)).toBe(false);
  });
});

describe('the quality of a media type', () => {
  test.each([
    ['text/html', 1],
    ['text/*;q=0.5', 0.5],
    ['*/*;q=0.25', 0.25],
    ['*/*, text/*;q=0.5, text/html;q=0.1', 0.1],
    ['*/*, text/*;q=0', 0],
    ['text/html;q=0.1, text/html;level=1;q=0.9', 0.9],
    ['application/json', 0],
    ['*/*;q=abc', 0],
    ['', 0],
    [undefined, 0],
  ])('is that of the most specific range in %s', (accept, quality) => {
    expect(qualityOf(accept, 'text/html')).toBe(quality);
  });
});

test.each([',', ';', '"', '\\', '=', 'a/b,', 'a/b;q=0.5,', '"a",', '*/*;', ' '])(
  'a long header is parsed in linear time: %j',
  (piece) => {
    const accept = piece.repeat(LENGTH / piece.length);
    expect(namesMediaType(accept, problem)).toBe(false);
    expect(qualityOf(accept, problem)).toBeLessThanOrEqual(1);
  },
);
