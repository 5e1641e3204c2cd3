import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLogLevel } from '../../../src/adapters/logging/logger.ts';
import { logLevels } from '../../../src/ports/logger.ts';
import { keepLines } from './lines.ts';

/** Characters that a terminal or a reader of lines could treat as more than text. */
const controlCharacters = /[\p{Cc}\u2028\u2029]/u;

function expectOneLine(raw: string): Record<string, unknown> {
  expect(raw.endsWith('}\n')).toBe(true);
  expect(raw.slice(0, -1)).not.toMatch(controlCharacters);
  return JSON.parse(raw);
}

describe('a log line', () => {
  test('has a level, a time and a message beside its fields', () => {
    const { logger, lines } = keepLines({ base: { service: 'orders' } });
    logger.warn('slow', { attempt: 2, ok: false, nothing: null, absent: undefined });
    const [line] = lines();
    expect(line).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'orders',
      attempt: 2,
      ok: false,
      nothing: null,
      msg: 'slow',
    });
  });

  test('is one JSON object whatever its texts contain', () => {
    const units = fc.constantFrom(
      '\r',
      '\n',
      '\u001b[31m',
      '\u2028',
      '\u2029',
      '\u0085',
      '\u009b',
      '\ud800',
      '\udc00',
    );
    const nasty = fc.string({
      unit: fc.oneof(units, fc.string({ unit: 'binary' }), fc.constantFrom('"', '\\', '{')),
    });
    fc.assert(
      fc.property(nasty, nasty, nasty, (message, key, value) => {
        const { logger, raw } = keepLines();
        logger.bind({ [key]: value }, () => logger.info(message, { [`own ${key}`]: { [key]: [value] } }));
        expect(raw).toHaveLength(1);
        const line = expectOneLine(raw[0] ?? '');
        expect(line['msg']).toBe(message);
        expect(line[`own ${key}`]).toEqual(JSON.parse(JSON.stringify({ [key]: [value] })));
      }),
    );
  });

  test('is written for any JavaScript value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }), (value) => {
        const { logger, raw } = keepLines();
        logger.error('odd', { value });
        expect(raw).toHaveLength(1);
        expectOneLine(raw[0] ?? '');
      }),
    );
  });

  test('is written for values that JSON cannot represent', () => {
    const { logger, raw } = keepLines();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const values: unknown[] = [
      circular,
      Symbol('x'),
      10n,
      Number.NaN,
      () => {},
      new Map([[1, 2]]),
      Buffer.alloc(1_000_000),
    ];
    for (const value of values) logger.error('odd', { err: value, value });
    expect(raw).toHaveLength(values.length);
    for (const line of raw) expect(expectOneLine(line)['msg']).toBe('odd');
  });

  test('is written without a field whose toJSON throws', () => {
    const { logger, lines } = keepLines();
    const toJSON = (): never => {
      throw new Error('no');
    };
    logger.error('odd', { before: 1, broken: { toJSON } });
    logger.bind({ trace_id: 't', broken: { toJSON } }, () => logger.error('odd'));
    expect(lines()).toMatchObject([
      { before: 1, unreadable: true, msg: 'odd' },
      { trace_id: 't', unreadable: true, msg: 'odd' },
    ]);
  });

  test('is bounded in size', () => {
    const { logger, raw } = keepLines();
    const wide = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, 'x'.repeat(90)]),
    );
    const deep = JSON.parse(`${'{"a":['.repeat(2_000)}${']}'.repeat(2_000)}`);
    logger.info('m'.repeat(1_000_000), {
      text: 'x'.repeat(1_000_000),
      wide,
      deep,
      list: new Array(50_000).fill(wide),
    });
    logger.info(
      'many',
      Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, 'x'])),
    );
    logger.error('failed', { err: new Error('e'.repeat(1_000_000)) });
    for (const line of raw) {
      expectOneLine(line);
      expect(line.length).toBeLessThan(64_000);
    }
  });

  test('shows six levels of nesting', () => {
    const { logger, lines } = keepLines();
    logger.info('deep', { a: [{ b: [{ c: [{ d: [1] }] }] }] });
    expect(lines()[0]?.['a']).toEqual([{ b: [{ c: [{ d: '[too deep]' }] }] }]);
  });

  test('shows an error with its stack and its cause', () => {
    const { logger, lines } = keepLines();
    logger.error('failed', { err: new TypeError('outer', { cause: new Error('inner') }) });
    expect(lines()[0]?.['err']).toEqual({
      type: 'TypeError',
      message: 'outer',
      stack: expect.stringMatching(/TypeError: outer\n +at .*caused by: Error: inner\n +at /s),
    });
  });

  test('keeps its own level, time and message when fields have these names', () => {
    const { logger, lines } = keepLines();
    logger.info('true', { level: 'error', time: 'never', msg: 'false', __proto__: null });
    expect(lines()[0]).toMatchObject({
      level: 'info',
      msg: 'true',
      level_: 'error',
      time_: 'never',
      msg_: 'false',
    });
  });

  test('masks known secrets in texts, names and errors, and stays JSON', () => {
    const secrets = ['hunter2-hunter2', 'with"quote\\', '","level":"', 'short'];
    const { logger, raw, lines } = keepLines({ secrets });
    for (const secret of secrets.slice(0, 3)) {
      logger.warn(`key ${secret}`, {
        url: `redis://:${secret}@host`,
        err: new Error(secret),
        [secret]: [secret],
      });
    }
    logger.info('a short text');
    expect(lines()).toHaveLength(4);
    const written = raw.join('');
    expect(written).not.toContain('hunter2');
    expect(written).not.toContain('quote');
    expect(lines()[0]).toMatchObject({
      level: 'warn',
      msg: 'key [secret]',
      url: 'redis://:[secret]@host',
      '[secret]': ['[secret]'],
    });
    for (const line of lines().slice(0, 3)) expect(line['msg']).toBe('key [secret]');
    expect(lines()[3]?.['msg']).toBe('a short text');
  });

  test('masks secrets that it is told later, beside those from before', () => {
    const { logger, lines } = keepLines({ secrets: ['first-secret'] });
    logger.info('second-secret');
    logger.mask(['second-secret', 'first-secret']);
    logger.info('first-secret and second-secret');
    expect(lines().map(({ msg }) => msg)).toEqual(['second-secret', '[secret] and [secret]']);
  });
});

describe('the level of a logger', () => {
  test.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['trace', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['fatal', []],
    ['silent', []],
  ] as const)('%s writes lines of %j', (level, expected) => {
    const { logger, lines } = keepLines({ level });
    const each = ['debug', 'info', 'warn', 'error'] as const;
    for (const name of each) logger[name]('line');
    expect(lines().map((line) => line['level'])).toEqual(expected);
    expect(each.filter((name) => logger.isEnabled(name))).toEqual(expected);
  });

  test('is parsed in any case, by either of its names', () => {
    expect(logLevels.map((name) => parseLogLevel(name.toUpperCase()))).toEqual([
      'trace',
      'debug',
      'info',
      'warn',
      'warn',
      'error',
      'fatal',
      'fatal',
      'silent',
    ]);
    for (const text of ['', 'verbose', 'toString', '__proto__', '30'])
      expect(parseLogLevel(text)).toBeUndefined();
  });
});

test('a destination that throws does not break the caller', () => {
  const write = (): never => {
    throw new Error('broken');
  };
  const { logger } = keepLines({ destination: { write, flush: async () => {} } });
  expect(() => logger.info('line')).not.toThrow();
});
