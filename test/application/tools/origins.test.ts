import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { Tool, ToolOrigin } from '../../../src/ports/tool.ts';
import { testPorts } from '../../support/ports.ts';

function setUp() {
  const { ports, clock } = testPorts();
  return { clock, registry: createToolRegistry(ports, defaultLimits) };
}

function tool(name: string, description: string, execute: Tool['execute'] = () => ({})): Tool {
  return { name, description, input: z.object({}), execute };
}

const wins: readonly (readonly [ToolOrigin, ToolOrigin])[] = [
  ['extension', 'example'],
  ['extension', 'playbook'],
  ['code', 'example'],
  ['code', 'playbook'],
  ['playbook', 'example'],
];

describe('of two tools with one name', () => {
  test.each(wins)('that of %s wins over that of %s, in either order', (winner, loser) => {
    for (const order of [
      [winner, loser],
      [loser, winner],
    ]) {
      const { registry } = setUp();
      registry.register(tool('first', ''), 'code');
      for (const origin of order) registry.register(tool('same', origin ?? ''), origin);
      registry.register(tool('last', ''), 'code');
      const listed = registry.listRegistered().map(({ tool: { name, description }, origin }) => ({
        name,
        description,
        origin,
      }));
      expect(listed).toEqual([
        { name: 'first', description: '', origin: 'code' },
        { name: 'same', description: winner, origin: winner },
        { name: 'last', description: '', origin: 'code' },
      ]);
      expect(registry.list().map(({ name }) => name)).toEqual(['first', 'same', 'last']);
    }
  });

  test.each([
    ['example', 'example'],
    ['playbook', 'playbook'],
    ['extension', 'extension'],
    ['code', 'code'],
    ['extension', 'code'],
    ['code', undefined],
  ] as const)('those of %s and %s are an error, and the first stays', (first, second) => {
    const { registry } = setUp();
    registry.register(tool('same', 'one'), first);
    expect(() => registry.register(tool('same', 'two'), second)).toThrow(
      'the tool "same" is already registered',
    );
    expect(registry.list()).toMatchObject([{ description: 'one' }]);
  });

  test('the one that wins is called', async () => {
    const { registry } = setUp();
    registry.register(
      tool('same', '', () => ({ by: 'example' })),
      'example',
    );
    registry.register(
      tool('same', '', () => ({ by: 'extension' })),
      'extension',
    );
    registry.register(
      tool('same', '', () => ({ by: 'playbook' })),
      'playbook',
    );
    expect((await registry.execute({ toolName: 'same', input: {} })).output).toEqual({ by: 'extension' });
  });
});

describe('a tool that gives way', () => {
  test('is checked all the same', () => {
    const { registry } = setUp();
    registry.register(tool('same', ''), 'code');
    const incomplete = { name: 'same', description: '' } as unknown as Tool;
    expect(() => registry.register(incomplete, 'playbook')).toThrow('has no execute function');
  });
});

describe('the origin of a tool', () => {
  test('is code when it is not named, and must be known', () => {
    const { registry } = setUp();
    registry.register(tool('own', ''));
    expect(registry.listRegistered()).toMatchObject([{ origin: 'code' }]);
    expect(() => registry.register(tool('other', ''), 'nowhere' as ToolOrigin)).toThrow(
      'the tool "other" has an unknown origin',
    );
  });
});

describe('the statistics of a tool', () => {
  test('count its calls by how they ended, and average their durations', async () => {
    const { registry, clock } = setUp();
    const ends: Readonly<Record<string, () => object>> = {
      good: () => ({}),
      bad: () => {
        throw new ToolError('closed', { permanent: true });
      },
      none: () => {
        throw new ToolError('no such order', { notFound: true });
      },
    };
    registry.register({
      ...tool('probe', ''),
      input: z.object({ end: z.string(), ms: z.number() }),
      execute: (input) =>
        new Promise((resolve, reject) => {
          const { end, ms } = input as { end: string; ms: number };
          clock.after(ms, () => {
            try {
              resolve(ends[end]?.() as never);
            } catch (error) {
              reject(error);
            }
          });
        }),
    });
    expect(registry.listRegistered()[0]?.stats).toEqual({
      success: 0,
      error: 0,
      notFound: 0,
      meanDurationMs: null,
    });
    const calls: readonly (readonly [string, number])[] = [
      ['good', 10],
      ['good', 20],
      ['bad', 30],
      ['none', 40],
    ];
    for (const [end, ms] of calls) {
      const pending = registry.execute({ toolName: 'probe', input: { end, ms } });
      await clock.advance(ms);
      await pending;
    }
    expect(registry.listRegistered()[0]?.stats).toEqual({
      success: 2,
      error: 1,
      notFound: 1,
      meanDurationMs: 25,
    });
  });
});
