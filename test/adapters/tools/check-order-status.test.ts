import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkOrderStatus } from '../../../src/adapters/tools/check-order-status.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import { call } from './call.ts';

const statuses = ['processing', 'packed', 'shipped', 'in_transit', 'out_for_delivery', 'delivered'];

describe('check_order_status', () => {
  test('tells id, status, carrier and days of an order, the same every time', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9][\w-]{0,30}$/), (id) => {
        fc.pre(!id.toLowerCase().startsWith('missing'));
        const output = call(checkOrderStatus, { order_id: id });
        expect(Object.keys(output)).toEqual(['order_id', 'status', 'carrier', 'eta_days']);
        expect(output['order_id']).toBe(id);
        expect(statuses).toContain(output['status']);
        expect(['DHL', 'UPS', 'FedEx', 'DPD']).toContain(output['carrier']);
        expect(output['eta_days']).toSatisfy(
          (days) => Number.isInteger(days) && Number(days) >= 0 && Number(days) <= 7,
        );
        if (output['status'] === 'delivered') expect(output['eta_days']).toBe(0);
        expect(call(checkOrderStatus, { order_id: id })).toEqual(output);
      }),
    );
  });

  test('gives neighbouring ids every status there is', () => {
    const seen = new Set(
      Array.from(
        { length: 100 },
        (_, number) => call(checkOrderStatus, { order_id: `A-${number}` })['status'],
      ),
    );
    expect([...seen].sort()).toEqual([...statuses].sort());
  });

  test.each(['missing', 'missing-42', 'MISSING-1', '  missing-7'])('does not find %j, for good', (id) => {
    const error = catchError(() => call(checkOrderStatus, { order_id: id }));
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({
      notFound: true,
      permanent: true,
      expose: true,
      message: `order "${id.trim()}" not found`,
    });
  });

  test.each([{}, { order_id: '' }, { order_id: '  ' }, { order_id: 12 }, { order_id: 'x'.repeat(65) }])(
    'refuses %j',
    (input) => {
      expect(checkOrderStatus.input.safeParse(input).success).toBe(false);
    },
  );
});

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
