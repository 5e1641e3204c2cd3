import { expect, test } from 'vitest';
import { z } from 'zod';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { ToolContext } from '../../../src/ports/tool.ts';
import { testPorts } from '../../support/ports.ts';

function setUp() {
  const { ports, clock } = testPorts();
  const orchestrator = createOrchestrator(ports);
  const contexts: ToolContext[] = [];
  orchestrator.tools.register({
    name: 'probe',
    description: 'a tool under test',
    input: z.object({ n: z.number() }),
    execute(_input, context) {
      contexts.push(context);
      return { ok: true };
    },
  });
  return { clock, contexts, orchestrator };
}

test('a tool that is tried gets its input and key, and no message', async () => {
  const { orchestrator, contexts } = setUp();
  const request = { toolName: 'probe', input: { n: 1 }, idempotencyKey: 'key-1' };
  expect(await orchestrator.tools.call(request)).toMatchObject({ status: 'success', output: { ok: true } });
  expect(contexts).toMatchObject([
    { idempotencyKey: 'key-1', customerId: null, source: null, traceId: null, message: null },
  ]);
});

test('input that the schema refuses is an outcome', async () => {
  const { orchestrator } = setUp();
  const outcome = await orchestrator.tools.call({ toolName: 'probe', input: { n: 'one' } });
  expect(outcome).toMatchObject({ status: 'error', attempts: 0, output: null });
  expect(outcome.error).toMatch(/^invalid input: n: /);
});

test('an unknown tool is not found', async () => {
  const { orchestrator } = setUp();
  const pending = orchestrator.tools.call({ toolName: 'nothing', input: {} });
  await expect(pending).rejects.toMatchObject({ code: 'not_found', message: 'tool "nothing" not found' });
});

test('a call is interrupted by a shutdown', async () => {
  const { orchestrator, clock } = setUp();
  orchestrator.tools.register({
    name: 'slow',
    description: 'never ends',
    input: z.object({}),
    execute: () => new Promise(() => {}),
  });
  const pending = orchestrator.tools.call({ toolName: 'slow', input: {} });
  const closed = orchestrator.close(100);
  await clock.advance(100);
  expect(await pending).toMatchObject({ status: 'error', error: 'interrupted' });
  await closed;
});
