import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rawErrorText, safeErrorText } from '../../src/domain/error-text.ts';
import { ToolError } from '../../src/domain/tool-error.ts';
import { truncate } from '../../src/lib/text/truncate.ts';

const SECRET = 'password=hunter2';

describe('the shown text of a failure', () => {
  test('is the message of an error that is meant to be shown', () => {
    expect(safeErrorText(new ToolError('order A1 does not exist'), 'failed')).toBe('order A1 does not exist');
    expect(safeErrorText({ expose: true, message: 'out of stock' }, 'failed')).toBe('out of stock');
  });

  test('is cut at 500 characters', () => {
    const text = safeErrorText(new ToolError('x'.repeat(10_000)), 'failed');
    expect(text).toHaveLength(500);
    expect(text.endsWith('…')).toBe(true);
  });

  test.each([
    ['an ordinary error', new Error(SECRET)],
    ['a string', SECRET],
    ['null', null],
    ['undefined', undefined],
    ['a symbol', Symbol(SECRET)],
    ['a BigInt', 10n],
    ['a function', () => SECRET],
    ['an error whose expose is merely truthy', Object.assign(new Error(SECRET), { expose: 'yes' })],
    ['an error meant to be shown without a message', new ToolError('')],
    ['an error meant to be shown whose message is not a text', { expose: true, message: { text: SECRET } }],
  ])('is the fallback for %s', (_, error) => {
    expect(safeErrorText(error, 'failed')).toBe('failed');
  });
});

describe('the logged text of a failure', () => {
  test('holds the stack and that of the cause', () => {
    const text = rawErrorText(new Error('outer', { cause: new Error('inner') }));
    expect(text).toContain('outer');
    expect(text).toContain('error-text.test.ts');
    expect(text).toContain('caused by: Error: inner');
  });

  test.each([
    ['a string', 'plain', 'plain'],
    ['null', null, 'null'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an object with a message only', { message: 'm' }, 'm'],
    ['an object without a message', {}, '[object Object]'],
  ])('is there for %s', (_, error, expected) => {
    expect(rawErrorText(error)).toBe(expected);
  });

  test('is bounded', () => {
    expect(rawErrorText('x'.repeat(1_000_000))).toHaveLength(8_000);
  });
});

describe('a truncated text', () => {
  test('never ends in half a character and never exceeds its length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.integer({ min: 2, max: 40 }),
        (text, most) => {
          const short = truncate(text, most);
          expect(short.length).toBeLessThanOrEqual(Math.max(most, 0));
          expect(short.isWellFormed()).toBe(true);
          if (text.length <= most) expect(short).toBe(text);
        },
      ),
    );
  });
});
