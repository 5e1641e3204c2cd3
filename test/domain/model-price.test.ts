import { describe, expect, test } from 'vitest';
import { costOf, type ModelEntry, type ModelPrice, priceOf } from '../../src/domain/model-price.ts';

const small: ModelPrice = { input: 0.15, cachedInput: 0.075, output: 0.6, currency: 'USD' };

const large: ModelPrice = { input: 2.5, cachedInput: undefined, output: 10, currency: undefined };

describe('the cost of tokens', () => {
  test.each([
    ['of input and output', { input: 611, cachedInput: 0, output: 58 }, small, 0.00012645],
    ['of a million each', { input: 1_000_000, cachedInput: 0, output: 1_000_000 }, small, 0.75],
    ['of cached input', { input: 1_000, cachedInput: 400, output: 0 }, small, 0.00012],
    [
      'of cached input without a price of its own',
      { input: 1_000, cachedInput: 400, output: 0 },
      large,
      0.0025,
    ],
    ['of nothing', { input: 0, cachedInput: 0, output: 0 }, small, 0],
    [
      'of a model that costs nothing',
      { input: 9, cachedInput: 3, output: 9 },
      { ...small, input: 0, cachedInput: 0, output: 0 },
      0,
    ],
  ])('is that %s', (_name, tokens, price, cost) => {
    expect(costOf(tokens, price)).toBe(cost);
  });

  test('has no digits of binary fractions', () => {
    expect(costOf({ input: 3, cachedInput: 0, output: 0 }, { ...small, input: 0.1 })).toBe(3e-7);
  });
});

describe('the price of a model', () => {
  const entry = (name: string, model: string, more: Partial<ModelEntry> = {}): [string, ModelEntry] => [
    name,
    {
      name,
      model,
      baseUrl: undefined,
      apiKeyVariable: undefined,
      price: small,
      fallback: undefined,
      ...more,
    },
  ];

  test('is that of the entry which has its name as the model, not as its own name', () => {
    const models = new Map([entry('gpt-4o', 'gpt-4o-mini'), entry('big', 'gpt-4o', { price: large })]);
    expect(priceOf(models, 'gpt-4o')).toBe(large);
    expect(priceOf(models, 'big')).toBeUndefined();
  });

  test('is of an entry that states one, and first of one without an address of its own', () => {
    const elsewhere = { baseUrl: 'https://models.example/v1', price: large };
    const models = [
      entry('a', 'm', { price: undefined }),
      entry('b', 'm', elsewhere),
      entry('c', 'm'),
    ] as const;
    expect(priceOf(new Map(models), 'm')).toBe(small);
    expect(priceOf(new Map(models.slice(0, 2)), 'm')).toBe(large);
    expect(priceOf(new Map(models.slice(0, 1)), 'm')).toBeUndefined();
  });

  test('is unknown where there are no entries', () => {
    expect(priceOf(new Map(), 'constructor')).toBeUndefined();
  });
});
