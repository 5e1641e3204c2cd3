import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/adapters/tools/define-tool.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { call } from './call.ts';

describe('the example tools', () => {
  test('are the three of the service, all of them only reading', () => {
    expect(exampleTools.map((tool) => tool.name)).toEqual([
      'refund_policy',
      'check_order_status',
      'search_help_center',
    ]);
    expect(exampleTools.every((tool) => (tool.effect ?? 'read') === 'read')).toBe(true);
  });

  test.each(exampleTools)('$name describes itself and its input', (tool) => {
    expect(tool.description.length).toBeGreaterThan(20);
    const schema = tool.input.toJSONSchema({ io: 'input' });
    expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) });
    expect(() => JSON.stringify(schema)).not.toThrow();
  });
});

test.each([
  ['refund_policy', {}],
  ['refund_policy', { reason: 'damaged' }],
  ['check_order_status', { order_id: 'A-1234' }],
  ['search_help_center', { query: 'refund' }],
  ['search_help_center', { query: 'xyzzy' }],
])('%s declares what it returns: %j', async (name, input) => {
  const tool = exampleTools.find((one) => one.name === name);
  if (tool?.output === undefined) throw new Error('it declares no output');
  expect(tool.output.safeParse(await call(tool, input)).success).toBe(true);
});

describe('a defined tool', () => {
  const double = defineTool({
    name: 'double',
    description: 'Doubles a number.',
    input: z.object({ value: z.number().default(2) }),
    effect: 'idempotent',
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ value: number }>();
      return { doubled: input.value * 2 };
    },
  });

  test('runs on the input that its schema makes', () => {
    expect(call(double, {})).toEqual({ doubled: 4 });
    expect(call(double, { value: 5 })).toEqual({ doubled: 10 });
    expect(() => call(double, { value: 'x' })).toThrow('refused');
  });

  test('keeps the effect that it names', () => {
    expect(double.effect).toBe('idempotent');
  });
});
