import { expect, test } from 'vitest';
import { parsePrefer } from '../../../src/adapters/http/parse-headers.ts';

test.each([
  ['respond-async', true, undefined],
  ['Respond-Async', true, undefined],
  ['respond-async;foo=bar', true, undefined],
  ['respond-async=""', true, undefined],
  ['wait=10', false, 10],
  ['WAIT = 10', false, 10],
  ['wait="10"; x', false, 10],
  ['wait=0', false, 0],
  ['wait=007', false, 7],
  ['respond-async, wait=5', true, 5],
  ['wait=5, handling=lenient, respond-async', true, 5],
  ['wait=5, wait=9', false, 5],
  ['wait=99999999999', false, 2_147_483],
  [`wait=${'9'.repeat(5_000)}`, false, 2_147_483],
])('%s is understood', (header, respondAsync, waitSeconds) => {
  expect(parsePrefer(header)).toEqual({ respondAsync, waitSeconds });
});

test.each([
  undefined,
  '',
  ',,;=',
  'return=minimal',
  'respond-async=false',
  'respond_async',
  'x="respond-async, wait=1"',
  'wait',
  'wait=',
  'wait=-1',
  'wait=1.5',
  'wait=1e3',
  'wait=ten',
  'wait=ten, wait=10',
  'handling=strict;wait=1',
])('%s has no preference that is understood', (header) => {
  expect(parsePrefer(header)).toEqual({ respondAsync: false, waitSeconds: undefined });
});

test.each([',', '=', '"', ';', 'wait,', 'x=y,'])(
  'a header of a million characters is parsed in linear time: %j',
  (piece) => {
    expect(parsePrefer(piece.repeat(1_000_000 / piece.length)).respondAsync).toBe(false);
  },
);
