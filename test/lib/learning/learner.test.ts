import { describe, expect, test } from 'vitest';
import {
  createRandom,
  type Example,
  type LinearWeights,
  type OutputGroup,
  sharesOf,
  shuffle,
  sigmoid,
  type TrainingOptions,
  trainLinear,
} from '../../../src/lib/learning/learner.ts';
import type { SparseVector } from '../../../src/lib/learning/text-reader.ts';

/** A vector with these buckets, each with the same value. */
function vector(...buckets: readonly number[]): SparseVector {
  const value = 1 / Math.sqrt(Math.max(1, buckets.length));
  return { buckets: Uint32Array.from(buckets), values: Float32Array.from(buckets, () => value) };
}

const options = (groups: readonly OutputGroup[], more: Partial<TrainingOptions> = {}): TrainingOptions => ({
  groups,
  epochs: 20,
  rate: 0.3,
  decay: 0.01,
  seed: 3,
  ...more,
});

function example(
  whole: SparseVector,
  targets: Example['targets'],
  parts: readonly SparseVector[] = [],
): Example {
  return { whole, parts, targets };
}

/** The scores for a vector with these buckets. */
function scores({ outputs, buckets, rows, bias }: LinearWeights, ...given: readonly number[]): number[] {
  const { values } = vector(...given);
  return Array.from(bias, (start, output) =>
    given.reduce((sum, bucket, at) => {
      const row = buckets.indexOf(bucket);
      return row < 0 ? sum : sum + Number(values[at]) * Number(rows[row * outputs + output]);
    }, start),
  );
}

const choice = [{ kind: 'choice', size: 3 }] as const;
// Bucket 1 stands for the first output, 2 for the second, 3 for the third; 9 is in all of them.
const choices = Array.from({ length: 60 }, (_, at) => {
  const right = at % 3;
  return example(vector(right + 1, 9, 100 + at), [[0, 1, 2].map((output) => (output === right ? 1 : 0))]);
});

const bytesOf = ({ rows, bias }: LinearWeights): Buffer =>
  Buffer.concat([Buffer.from(rows.buffer), Buffer.from(bias.buffer)]);

describe('a choice', () => {
  test('is learned', () => {
    const weights = trainLinear(choices, options(choice));
    for (const right of [0, 1, 2]) {
      const shares = [...sharesOf(Float64Array.from(scores(weights, right + 1, 9)))];
      expect(shares.indexOf(Math.max(...shares))).toBe(right);
      expect(shares[right]).toBeGreaterThan(0.7);
    }
  });

  test('is undecided for what was never seen', () => {
    const shares = sharesOf(Float64Array.from(scores(trainLinear(choices, options(choice)), 5_000)));
    for (const share of shares) expect(share).toBeCloseTo(1 / 3, 1);
  });

  test('may have two halves', () => {
    const both = Array.from({ length: 30 }, () => example(vector(1), [[0.5, 0.5, 0]]));
    const shares = sharesOf(Float64Array.from(scores(trainLinear(both, options(choice)), 1)));
    expect(shares[0]).toBeCloseTo(0.5, 1);
    expect(shares[1]).toBeCloseTo(0.5, 1);
  });

  test('has the same bits for the same seed, and others for another one', () => {
    const [first, again, other] = [3, 3, 4].map((seed) =>
      bytesOf(trainLinear(choices, options(choice, { seed }))),
    );
    expect(first?.equals(again ?? Buffer.alloc(0))).toBe(true);
    expect(first?.equals(other ?? Buffer.alloc(0))).toBe(false);
  });
});

describe('a group about the whole', () => {
  const groups = [{ kind: 'whole', size: 2 }] as const;

  test('learns each output on its own', () => {
    const examples = Array.from({ length: 80 }, (_, at) => {
      const [one, two] = [at % 2, Math.floor(at / 2) % 2];
      const buckets = [...(one === 1 ? [1] : []), ...(two === 1 ? [2] : []), 9];
      return example(vector(...buckets), [[one, two]]);
    });
    const weights = trainLinear(examples, options(groups));
    const signs = (...buckets: readonly number[]) => scores(weights, ...buckets).map((score) => score > 0);
    expect(signs(9)).toEqual([false, false]);
    expect(signs(1, 9)).toEqual([true, false]);
    expect(signs(2, 9)).toEqual([false, true]);
    expect(signs(1, 2, 9)).toEqual([true, true]);
  });

  test('learns nothing from parts', () => {
    const parts = [vector(2), vector(3)];
    const weights = trainLinear([example(vector(1), [[1, 0]], parts)], options(groups));
    expect(scores(weights, 1)).toEqual(
      scores(trainLinear([example(vector(1), [[1, 0]])], options(groups)), 1),
    );
    expect([...weights.rows.slice(2)]).toEqual([0, 0, 0, 0]);
  });
});

describe('a group about a part', () => {
  const groups = [{ kind: 'part', size: 1 }] as const;

  test('learns from the part that gives the signal best', () => {
    const quiet = Array.from({ length: 40 }, (_, at) =>
      example(vector(10, 11, 12 + (at % 5)), [[0]], [vector(10), vector(11, 12 + (at % 5))]),
    );
    const loud = Array.from({ length: 40 }, (_, at) =>
      example(vector(10, 1, 12 + (at % 5)), [[1]], [vector(10, 12 + (at % 5)), vector(1)]),
    );
    const weights = trainLinear([...quiet, ...loud], options(groups));
    expect(scores(weights, 1)[0]).toBeGreaterThan(0);
    expect(scores(weights, 10)[0]).toBeLessThan(0);
  });

  test('unlearns the part that is wrongly taken for the signal', () => {
    const weights = trainLinear([example(vector(1, 2), [[0]], [vector(3)])], options(groups));
    expect(Number(scores(weights, 1)[0]) - Number(weights.bias[0])).toBeLessThan(0);
    expect(Number(scores(weights, 3)[0]) - Number(weights.bias[0])).toBeLessThan(0);
  });
});

describe('several groups', () => {
  const groups = [
    { kind: 'part', size: 1 },
    { kind: 'whole', size: 1 },
    { kind: 'choice', size: 2 },
  ] as const;

  test('are next to each other, and learned where the targets say something', () => {
    const examples = Array.from({ length: 40 }, (_, at) => {
      const right = at % 2;
      return example(vector(1 + right), [[right], [1 - right], right === 1 ? [0, 1] : [1, 0]]);
    });
    const weights = trainLinear(examples, options(groups));
    expect(weights.outputs).toBe(4);
    const [part, whole, first, second] = scores(weights, 2);
    expect(part).toBeGreaterThan(0);
    expect(whole).toBeLessThan(0);
    expect(Number(second)).toBeGreaterThan(Number(first));
    const silent = trainLinear([example(vector(1), [undefined, [undefined], [1, 0]])], options(groups));
    expect(scores(silent, 1).slice(0, 2)).toEqual([0, 0]);
  });
});

describe('training', () => {
  const groups = [{ kind: 'choice', size: 2 }] as const;
  const right = Array.from({ length: 20 }, () => example(vector(1), [[1, 0]]));

  test('has a row for each bucket that occurs, ascending, and counts the examples that have it', () => {
    const { buckets, occurrences } = trainLinear(
      [
        example(vector(7, 7, 3), [[1, 0]], [vector(7), vector(5)]),
        example(vector(3), [[0, 1]]),
        example(vector(), [[0, 1]]),
      ],
      options(groups),
    );
    expect([...buckets]).toEqual([3, 5, 7]);
    expect([...occurrences]).toEqual([2, 1, 1]);
  });

  test('has finite weights for empty texts, and without examples', () => {
    const empty = [example(vector(), [[1, 0]], [vector()]), example(vector(), [[0, 1]])];
    for (const examples of [empty, []]) {
      const { rows, bias } = trainLinear(examples, options(groups));
      expect([...rows, ...bias].every(Number.isFinite)).toBe(true);
    }
  });

  test('shrinks the weights by the decay', () => {
    const weight = (decay: number): number =>
      Math.abs(Number(trainLinear(right, options(groups, { decay })).rows[0]));
    expect(weight(0.5)).toBeLessThan(weight(0.1));
    expect(weight(0.1)).toBeLessThan(weight(0));
  });

  test('tells each epoch', () => {
    let epochs = 0;
    trainLinear(right, options(groups, { epochs: 4, onEpoch: () => epochs++ }));
    expect(epochs).toBe(4);
  });
});

describe('probabilities', () => {
  test('of a score are from 0 to 1', () => {
    expect([-1_000, 0, 1_000].map(sigmoid)).toEqual([0, 0.5, 1]);
  });

  test('of a choice sum to 1, whatever the scores are', () => {
    for (const given of [[0, 0], [1_000, -1_000, 3], [-5_000, -5_001], [7]]) {
      const shares = [...sharesOf(Float64Array.from(given))];
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
      expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    }
  });
});

test('an order of chance has all items, the same for the same seed', () => {
  const shuffled = (seed: number): readonly number[] => {
    const order = Array.from({ length: 100 }, (_, at) => at);
    shuffle(order, createRandom(seed));
    return order;
  };
  expect(shuffled(1)).toEqual(shuffled(1));
  expect(shuffled(1)).not.toEqual(shuffled(2));
  expect(shuffled(1).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at));
});
