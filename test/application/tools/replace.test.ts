import { expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry, type PlaybookTools } from '../../../src/application/tools/registry.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Tool, ToolOrigin } from '../../../src/ports/tool.ts';
import { testPorts } from '../../support/ports.ts';

const tool = (
  name: string,
  execute: () => JsonObject | Promise<JsonObject> = () => ({ from: name }),
): Tool => ({
  name,
  description: name,
  input: z.object({}),
  execute,
});

/** The tools of a playbook, and how often they were closed. */
function playbookTools(tools: readonly Tool[], origin: ToolOrigin = 'playbook') {
  const closed = { times: 0 };
  const given: PlaybookTools = {
    tools: tools.map((one) => ({ tool: one, origin })),
    close: () => {
      closed.times += 1;
    },
  };
  return { given, closed };
}

const setUp = () => createToolRegistry(testPorts().ports, defaultLimits);
const nothing = () => undefined;

test('tools of a playbook take the place of the examples and of the last playbook, and those of code stay', () => {
  const registry = setUp();
  registry.register(tool('example'), 'example');
  registry.register(tool('old'), 'playbook');
  registry.register(tool('own'));
  registry.register(tool('extension'), 'extension');
  registry.replace(playbookTools([tool('new'), tool('own')]).given, nothing);
  const listed = registry.listRegistered().map(({ tool: { name }, origin }) => `${name} of ${origin}`);
  expect(listed).toEqual(['new of playbook', 'own of code', 'extension of extension']);
  expect(registry.has('old')).toBe(false);
});

test('the calls of a tool are counted on where the next playbook has it too', async () => {
  const registry = setUp();
  registry.replace(playbookTools([tool('kept'), tool('gone')]).given, nothing);
  await registry.execute({ toolName: 'kept', input: {} });
  registry.replace(playbookTools([tool('kept'), tool('new')]).given, nothing);
  await registry.execute({ toolName: 'kept', input: {} });
  const counts = registry.listRegistered().map(({ tool: { name }, stats }) => [name, stats.success]);
  expect(counts).toEqual([
    ['kept', 2],
    ['new', 0],
  ]);
});

test('nothing is replaced by tools of which one is refused, or where the preparation throws', () => {
  const registry = setUp();
  const { given, closed } = playbookTools([tool('old')]);
  registry.replace(given, nothing);
  expect(() => registry.replace(playbookTools([tool('a'), tool('a')]).given, nothing)).toThrow(
    'is already registered',
  );
  expect(() =>
    registry.replace(playbookTools([tool('b')]).given, () => {
      throw new Error('not prepared');
    }),
  ).toThrow('not prepared');
  expect(registry.list().map(({ name }) => name)).toEqual(['old']);
  expect(closed.times).toBe(0);
});

test('the preparation sees the new tools, which are not in use yet', () => {
  const registry = setUp();
  registry.register(tool('own'));
  registry.replace(playbookTools([tool('new')]).given, (tools) => {
    expect(tools.list().map(({ name }) => name)).toEqual(['new', 'own']);
    expect(registry.has('new')).toBe(false);
  });
});

test('work that holds the tools calls those that it began with, which are closed after it', async () => {
  const registry = setUp();
  const before = playbookTools([tool('lookup', () => ({ from: 'before' }))]);
  registry.replace(before.given, nothing);
  const { promise: isReplaced, resolve } = Promise.withResolvers<void>();
  const work = registry.hold(async (tools) => {
    await isReplaced;
    expect(before.closed.times).toBe(0);
    return [
      await tools.execute({ toolName: 'lookup', input: {} }),
      await registry.execute({ toolName: 'lookup', input: {} }),
    ];
  });
  const after = playbookTools([tool('lookup', () => ({ from: 'after' }))]);
  registry.replace(after.given, nothing);
  resolve();
  expect(await work).toMatchObject([{ output: { from: 'before' } }, { output: { from: 'after' } }]);
  expect([before.closed.times, after.closed.times]).toEqual([1, 0]);
});

test('a call that nobody holds keeps its tool open until it has ended', async () => {
  const registry = setUp();
  const { promise: output, resolve } = Promise.withResolvers<JsonObject>();
  const { given, closed } = playbookTools([tool('slow', () => output)]);
  registry.replace(given, nothing);
  const call = registry.execute({ toolName: 'slow', input: {} });
  registry.replace(playbookTools([]).given, nothing);
  expect(closed.times).toBe(0);
  resolve({ is: 'done' });
  expect(await call).toMatchObject({ status: 'success', output: { is: 'done' } });
  expect(closed.times).toBe(1);
});

test('tools that nothing uses are closed at once, and only once, whoever still has them', async () => {
  const registry = setUp();
  const [first, second] = [playbookTools([tool('lookup')]), playbookTools([])];
  registry.replace(first.given, nothing);
  const kept = await registry.hold(async (tools) => tools);
  registry.replace(second.given, nothing);
  expect(first.closed.times).toBe(1);
  await kept.execute({ toolName: 'lookup', input: {} });
  expect([first, second].map(({ closed }) => closed.times)).toEqual([1, 0]);
});
