import { expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { testPorts } from '../../support/ports.ts';

const tool: Tool = {
  name: 'sample',
  description: 'sample',
  input: z.object({}),
  execute: () => ({ n: 'one' }),
};

test('what a tool returns is not checked against the output that it declares', async () => {
  const tools = createToolRegistry(testPorts().ports, defaultLimits);
  const refuses = { safeParse: () => expect.unreachable(), toJSONSchema: () => expect.unreachable() };
  tools.register({ ...tool, output: refuses });
  expect(await tools.execute({ toolName: 'sample', input: {} })).toMatchObject({ output: { n: 'one' } });
});

test.each([{}, null, 'text', { safeParse: () => ({}) }])(
  'an output that is no schema is refused: %j',
  (output) => {
    const tools = createToolRegistry(testPorts().ports, defaultLimits);
    expect(() => tools.register({ ...tool, output: output as never })).toThrow(
      'the tool "sample" has an output that is no schema: expected a zod schema',
    );
  },
);
