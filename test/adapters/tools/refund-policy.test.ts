import { describe, expect, test } from 'vitest';
import { refundPolicy } from '../../../src/adapters/tools/refund-policy.ts';
import { call } from './call.ts';

describe('refund_policy', () => {
  test('tells the general policy where nothing is asked in particular', () => {
    expect(call(refundPolicy, {})).toEqual({
      policy: expect.stringContaining('within 30 days'),
      window_days: 30,
      refund_method: 'original_payment_method',
    });
  });

  test.each([
    ['change_of_mind', 30],
    ['damaged', 60],
    ['wrong_item', 60],
    ['not_received', 14],
  ])('tells what holds for %s', (reason, days) => {
    const output = call(refundPolicy, { reason });
    expect(Object.keys(output)).toEqual(['policy', 'window_days', 'refund_method']);
    expect(output).toMatchObject({ window_days: days, policy: expect.stringContaining(String(days)) });
  });

  test('refuses a reason that it does not know', () => {
    expect(refundPolicy.input.safeParse({ reason: 'boredom' }).success).toBe(false);
  });
});
