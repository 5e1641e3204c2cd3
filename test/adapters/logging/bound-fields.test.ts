import { describe, expect, test } from 'vitest';
import { keepLines } from './lines.ts';

describe('fields bound to work', () => {
  test('are in every line of it, awaited work included, and in no other', async () => {
    const { logger, lines } = keepLines();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        logger.bind({ request_id: `r${index}` }, async () => {
          await new Promise((resolve) => setImmediate(resolve));
          await logger.bind({ trace_id: `t${index}` }, async () => {
            await Promise.resolve();
            logger.info('inner', { index });
          });
          logger.info('outer', { index });
        }),
      ),
    );
    logger.info('outside');
    const written = lines();
    expect(written).toHaveLength(101);
    for (const line of written) {
      const { msg, index } = line;
      expect(line['request_id']).toBe(msg === 'outside' ? undefined : `r${index}`);
      expect(line['trace_id']).toBe(msg === 'inner' ? `t${index}` : undefined);
    }
  });

  test("are overridden by a line's own fields, and not modified", () => {
    const { logger, raw, lines } = keepLines({ base: { service: 'a' } });
    const fields = { trace_id: 'outer' };
    logger.bind(fields, () => logger.info('line', { trace_id: 'own' }));
    expect(lines()[0]).toMatchObject({ service: 'a', trace_id: 'own' });
    expect(raw[0]?.match(/trace_id/g)).toHaveLength(1);
    expect(fields).toEqual({ trace_id: 'outer' });
  });

  test('return what the work returns, and throw what it throws', () => {
    const { logger } = keepLines();
    expect(logger.bind({}, () => 7)).toBe(7);
    expect(() =>
      logger.bind({}, () => {
        throw new RangeError('x');
      }),
    ).toThrow(RangeError);
  });
});
