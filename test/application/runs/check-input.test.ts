import { describe, expect, test } from 'vitest';
import { jsonSchemas } from '../../../src/adapters/languages/languages.ts';
import { createInputCheck } from '../../../src/application/runs/run-input.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';

const inputSchema: JsonObject = {
  type: 'object',
  properties: { order_id: { type: 'string' }, 'a/b': { type: 'array', items: { type: 'integer' } } },
  required: ['order_id'],
};

/** A check that counts how often a schema is compiled. */
function setUp() {
  let compiled = 0;
  const checkInput = createInputCheck({
    compile(schema, budget) {
      compiled++;
      return jsonSchemas.compile(schema, budget);
    },
  });
  return { checkInput, count: () => compiled };
}

const version = (id: string, number = 1) => ({ id, version: number, createdAt: '2026-01-01T00:00:00Z' });

describe('the input of a run', () => {
  test('fits any definition without a schema', () => {
    const { checkInput, count } = setUp();
    expect(checkInput({ ...version('w'), inputSchema: undefined }, { any: 'thing' })).toEqual([]);
    expect(count()).toBe(0);
  });

  test('is told the places that do not fit', () => {
    const { checkInput } = setUp();
    const definition = { ...version('w'), inputSchema };
    expect(checkInput(definition, { order_id: 'A-1', 'a/b': [1] })).toEqual([]);
    expect(checkInput(definition, { 'a/b': ['x'] })).toEqual([
      { path: ['input', 'order_id'], detail: expect.any(String) },
      { path: ['input', 'a/b', '0'], detail: expect.stringMatching(/^must be an integer/) },
    ]);
  });

  test('is checked by a schema that is compiled once for a version, for the versions used last', () => {
    const { checkInput, count } = setUp();
    const check = (id: string, number?: number) =>
      checkInput({ ...version(id, number), inputSchema }, { order_id: 'A-1' });
    for (let run = 0; run < 5; run++) check('w');
    expect(count()).toBe(1);
    check('w', 2);
    expect(count()).toBe(2);
    for (let other = 0; other < 99; other++) check(`other-${other}`);
    check('w', 2);
    expect(count()).toBe(101);
    check('w');
    expect(count()).toBe(102);
  });
});
