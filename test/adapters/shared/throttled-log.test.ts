import { describe, expect, test } from 'vitest';
import { createThrottledLog } from '../../../src/adapters/shared/throttled-log.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { recordLogs } from '../../support/fakes.ts';

describe('a throttled log', () => {
  test('logs once a minute, with how often the event happened since', async () => {
    const clock = createFakeClock();
    const logger = recordLogs();
    const warn = createThrottledLog(logger, clock, 'it failed');
    for (const reason of ['first', 'second', 'third']) warn({ reason });
    await clock.advance(59_999);
    warn({ reason: 'fourth' });
    await clock.advance(1);
    warn({ reason: 'fifth' });
    expect(logger.lines).toEqual([
      { level: 'warn', message: 'it failed', reason: 'first', times: 1 },
      { level: 'warn', message: 'it failed', reason: 'fifth', times: 4 },
    ]);
  });

  test('counts each key on its own', async () => {
    const clock = createFakeClock();
    const logger = recordLogs();
    const warn = createThrottledLog(logger, clock, 'it failed');
    for (const key of ['a', 'b', 'a']) warn({ key }, key);
    await clock.advance(60_000);
    for (const key of ['a', 'b']) warn({ key }, key);
    expect(logger.lines.map(({ key, times }) => [key, times])).toEqual([
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['b', 1],
    ]);
  });
});
