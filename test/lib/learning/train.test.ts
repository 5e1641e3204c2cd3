import { describe, expect, test } from 'vitest';
import {
  type Example,
  type OutputGroup,
  type SparseVector,
  scoreVector,
  sigmoid,
  softmax,
  type TrainingOptions,
  trainLinear,
} from '../../../src/lib/learning/train.ts';

/** A vector with these buckets, each with the same value. */
function vector(...buckets: readonly number[]): SparseVector {
  const value = 1 / Math.sqrt(Math.max(1, buckets.length));
  return { buckets: Uint32Array.from(buckets), values: Float32Array.from(buckets, () => value) };
}

const options = (groups: readonly OutputGroup[], more: Partial<TrainingOptions> = {}): TrainingOptions => ({
  ...{ groups, epochs: 20, rate: 0.3, decay: 0.01, seed: 3 },
  ...more,
});

function example(
  whole: SparseVector,
  targets: Example['targets'],
  parts: readonly SparseVector[] = [],
): Example {
  return { whole, parts, targets };
}

/** The scores for a vector, as numbers. */
function scores(weights: ReturnType<typeof trainLinear>, ...buckets: readonly number[]): number[] {
  return [...scoreVector(weights, vector(...buckets))];
}

describe('a choice', () => {
  const groups = [{ kind: 'choice', size: 3 }] as const;
  // Bucket 1 stands for the first output, 2 for the second, 3 for the third; 9 is in all of them.
  const examples = Array.from({ length: 60 }, (_, at) => {
    const right = at % 3;
    return example(vector(right + 1, 9, 100 + at), [[0, 1, 2].map((output) => (output === right ? 1 : 0))]);
  });

  test('is learned', () => {
    const weights = trainLinear(examples, options(groups));
    for (const right of [0, 1, 2]) {
      const shares = [...softmax(Float32Array.from(scores(weights, right + 1, 9)))];
      expect(shares.indexOf(Math.max(...shares))).toBe(right);
      expect(shares[right]).toBeGreaterThan(0.7);
    }
  });

  test('is undecided for what was never seen', () => {
    const shares = [...softmax(scoreVector(trainLinear(examples, options(groups)), vector(5_000)))];
    for (const share of shares) expect(share).toBeCloseTo(1 / 3, 1);
  });

  test('may have two halves', () => {
    const both = Array.from({ length: 30 }, () => example(vector(1), [[0.5, 0.5, 0]]));
    const shares = [...softmax(Float32Array.from(scores(trainLinear(both, options(groups)), 1)))];
    expect(shares[0]).toBeCloseTo(0.5, 1);
    expect(shares[1]).toBeCloseTo(0.5, 1);
  });

  test('has the same bits for the same seed, and others for another one', () => {
    const train = (seed: number) => trainLinear(examples, options(groups, { seed }));
    const [first, again, other] = [train(3), train(3), train(4)];
    expect(Buffer.from(first.rows.buffer).equals(Buffer.from(again.rows.buffer))).toBe(true);
    expect(first.bias).toEqual(again.bias);
    expect(Buffer.from(first.rows.buffer).equals(Buffer.from(other.rows.buffer))).toBe(false);
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

  test('ignores the parts', () => {
    const without = [example(vector(1), [[1, 0]])];
    const withParts = [example(vector(1), [[1, 0]], [vector(2), vector(3)])];
    expect(trainLinear(withParts, options(groups))).toEqual(trainLinear(without, options(groups)));
  });
});

describe('a group about a part', () => {
  const groups = [{ kind: 'part', size: 1 }] as const;

  test('learns the part that gives the signal', () => {
    const quiet = Array.from({ length: 40 }, (_, at) =>
      example(vector(10, 11, 12 + (at % 5)), [[0]], [vector(10), vector(11, 12 + (at % 5))]),
    );
    const loud = Array.from({ length: 40 }, (_, at) =>
      example(vector(10, 1, 12 + (at % 5)), [[1]], [vector(10, 12 + (at % 5)), vector(1)]),
    );
    const weights = trainLinear([...quiet, ...loud], options(groups));
    const [signal, other] = [scores(weights, 1)[0], scores(weights, 10)[0]];
    expect(signal).toBeGreaterThan(0);
    expect(other).toBeLessThan(0);
  });

  test('unlearns the part that is wrongly taken for the signal', () => {
    const weights = trainLinear([example(vector(1, 2), [[0]], [vector(3)])], options(groups));
    expect(weights.rows[1]).toBeLessThan(0);
    expect(weights.rows[3]).toBeLessThan(0);
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
    const silent = trainLinear([example(vector(1), [undefined, undefined, [1, 0]])], options(groups));
    expect(scores(silent, 1).slice(0, 2)).toEqual([0, 0]);
  });
});

describe('training', () => {
  const groups = [{ kind: 'choice', size: 2 }] as const;

  test('has no NaN for empty texts, and none without examples', () => {
    const empty = [example(vector(), [[1, 0]], [vector()]), example(vector(), [[0, 1]])];
    for (const examples of [empty, []]) {
      const { rows, bias } = trainLinear(examples, options(groups));
      expect(rows.every(Number.isFinite)).toBe(true);
      expect(bias.every(Number.isFinite)).toBe(true);
    }
    expect([...scoreVector(trainLinear(empty, options(groups)), vector())].every(Number.isFinite)).toBe(true);
  });

  test('shrinks the weights by the decay', () => {
    const examples = Array.from({ length: 20 }, (_, at) =>
      example(vector(1), [at % 2 === 0 ? [1, 0] : [1, 0]]),
    );
    const weight = (decay: number) => trainLinear(examples, options(groups, { decay })).rows[2];
    expect(Math.abs(Number(weight(0.5)))).toBeLessThan(Math.abs(Number(weight(0))));
  });

  test('learns two texts in the same bucket together: a collision only blurs', () => {
    const examples = Array.from({ length: 40 }, (_, at) => {
      const right = at % 2;
      return example(vector(7, 20 + right), [right === 1 ? [0, 1] : [1, 0]]);
    });
    const weights = trainLinear(examples, options(groups));
    const [first, second] = scores(weights, 7, 21);
    expect(Number(second)).toBeGreaterThan(Number(first));
  });
});

describe('probabilities', () => {
  test('of a score are from 0 to 1', () => {
    expect([-1_000, 0, 1_000].map(sigmoid)).toEqual([0, 0.5, 1]);
  });

  test('of a choice sum to 1, whatever the scores are', () => {
    for (const given of [[0, 0], [1_000, -1_000, 3], [-5_000, -5_001], [7]]) {
      const shares = [...softmax(Float32Array.from(given))];
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
      expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    }
  });
});
