import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom, type LinearWeights, trainLinear } from '../../../src/lib/learning/learner.ts';
import {
  type Corrections,
  createScorer,
  readCorrections,
  type StoredModel,
  storeCorrections,
  storeModel,
} from '../../../src/lib/learning/stored-model.ts';
import { BUCKETS, createTextReader, type ReadText, vectorOf } from '../../../src/lib/learning/text-reader.ts';
import { makeTickets } from '../../support/classifier/made-up-tickets.ts';

const read = createTextReader();
const tickets = makeTickets(30);
const intents = [...new Set(tickets.map(({ intent }) => intent))];
const texts = tickets.map(({ message }) => read(message));
const weights = trainLinear(
  tickets.map(({ intent }, at) => {
    const text = texts[at] ?? read('');
    const targets = [intents.map((one) => (one === intent ? 1 : 0))];
    return { whole: vectorOf(text, text.whole), parts: [], targets };
  }),
  { groups: [{ kind: 'whole', size: intents.length }], epochs: 5, rate: 0.5, decay: 0, seed: 3 },
);
const rows = weights.buckets.length;

/** More than all rows take, and what they take with 4 bits. */
const ROOM = 1e7;
const FOUR_BITS = Math.ceil((rows * (intents.length / 2 + 1) * 4) / 3) + 8;

function scorerOf(model: StoredModel, corrections: Corrections = new Map()) {
  const scorer = createScorer(model);
  if (scorer === undefined) throw new Error('the model is damaged');
  return scorer.withCorrections(corrections);
}

const scoresBy = (model: StoredModel, text: ReadText, passage = text.whole): Float64Array => {
  const scores = new Float64Array(model.bias.length);
  scorerOf(model).score(text, passage, scores);
  return scores;
};

/** The scores by the weights themselves. */
function exactScores(own: LinearWeights, text: ReadText, passage = text.whole): readonly number[] {
  const { buckets, values } = vectorOf(text, passage);
  const rowOf = new Map([...own.buckets].map((bucket, row) => [bucket, row]));
  return Array.from(own.bias, (bias, output) => {
    let sum = bias;
    buckets.forEach((bucket, at) => {
      const row = rowOf.get(bucket);
      if (row !== undefined) sum += Number(values[at]) * Number(own.rows[row * own.outputs + output]);
    });
    return sum;
  });
}

/** The largest difference of the scores of all texts, as a share of the largest score. */
function largestError(model: StoredModel): number {
  let error = 0;
  let largest = 0;
  for (const text of texts) {
    const exact = exactScores(weights, text);
    scoresBy(model, text).forEach((score, at) => {
      error = Math.max(error, Math.abs(score - Number(exact[at])));
      largest = Math.max(largest, Math.abs(score));
    });
  }
  return error / largest;
}

describe('a stored model', () => {
  test.each([
    [8, ROOM, 0.01],
    [4, FOUR_BITS, 0.15],
  ] as const)('with %i bits gives the scores of the weights within rounding', (bits, maxBytes, most) => {
    const model = storeModel(weights, maxBytes, false);
    expect(model.bits).toBe(bits);
    expect(largestError(model)).toBeLessThan(most);
  });

  test('drops the rows that matter least where there is no room, and stays below the limit', () => {
    const whole = storeModel(weights, FOUR_BITS, false);
    for (const share of [0.8, 0.5, 0.1]) {
      const maxBytes = Math.floor(FOUR_BITS * share);
      const model = storeModel(weights, maxBytes, false);
      expect(model.rows.length + model.scaleSteps.length).toBeLessThan(maxBytes + 16);
      expect(model.rows.length).toBeLessThan(whole.rows.length);
      const right = texts.filter((text, at) => {
        const scores = scoresBy(model, text);
        return intents[scores.indexOf(Math.max(...scores))] === tickets[at]?.intent;
      });
      expect(right.length / texts.length).toBeGreaterThan(0.8);
    }
  });

  test('keeps the differences between the outputs of a choice', () => {
    const shifted = { ...weights, rows: weights.rows.map((weight) => weight + 3) };
    const [own, other] = [weights, shifted].map((one) => storeModel(one, ROOM, true));
    if (own === undefined || other === undefined) throw new Error('there are no models');
    for (const text of texts.slice(0, 20)) {
      const [a, b] = [own, other].map((model) => scoresBy(model, text));
      a?.forEach((score, at) => {
        expect(score - Number(a[0])).toBeCloseTo(Number(b?.[at]) - Number(b?.[0]), 1);
      });
    }
  });

  test('is the same for the same weights', () => {
    expect(storeModel(weights, ROOM, false)).toEqual(storeModel(weights, ROOM, false));
  });

  test('holds any weights, within half a step of the row', () => {
    const anyWeights = fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 12 }), fc.integer())
      .map(([outputs, count, seed]): LinearWeights => {
        const random = createRandom(seed);
        const buckets = new Set(Array.from({ length: count }, () => Math.floor(random() * BUCKETS)));
        return {
          outputs,
          buckets: Uint32Array.from(buckets).sort(),
          occurrences: new Uint32Array(buckets.size).fill(1),
          rows: Float32Array.from(
            { length: buckets.size * outputs },
            () => (random() - 0.5) * 10 ** (random() * 4),
          ),
          bias: Float32Array.from({ length: outputs }, () => random()),
        };
      });
    fc.assert(
      fc.property(anyWeights, fc.constantFrom([8, ROOM], [4, 0]), (own, [bits, room]) => {
        const width = Math.ceil(own.outputs / 2) + 1;
        const maxBytes = room === 0 ? Math.ceil((own.buckets.length * width * 4) / 3) : Number(room);
        const model = storeModel(own, maxBytes, false);
        const kept = readCorrections(model);
        expect([...(kept?.keys() ?? [])]).toEqual([...own.buckets]);
        const largest = model.bits === 8 ? 127 : 7;
        if (own.outputs > 1 && own.buckets.length > 0) expect(model.bits).toBe(bits);
        own.buckets.forEach((bucket, row) => {
          const exact = own.rows.subarray(row * own.outputs, (row + 1) * own.outputs);
          const step = Math.max(...exact.map(Math.abs)) / largest;
          kept?.get(bucket)?.forEach((weight, at) => {
            // A step may be an eighth of a power of two larger than it would have to be.
            expect(Math.abs(weight - Number(exact[at]))).toBeLessThanOrEqual(step * 0.56);
          });
        });
      }),
    );
  });
});

describe('a scorer', () => {
  const model = storeModel(weights, ROOM, false);
  const scorer = scorerOf(model);

  test('gives each part the score that it has alone', () => {
    const [text, alone] = ['I lost my bike. When do you open?', 'When do you open?'].map(read);
    const part = text?.parts[1];
    if (text === undefined || alone === undefined || part === undefined) throw new Error('there is no part');
    const [inText, own] = [scoresBy(model, text, part), scoresBy(model, alone)];
    inText.forEach((score, at) => {
      expect(score).toBeCloseTo(Number(own[at]), 5);
    });
  });

  test('gives only the first scores where fewer are asked for', () => {
    for (const text of texts.slice(0, 10)) {
      const few = new Float64Array(2);
      scorer.score(text, text.whole, few);
      expect(few).toEqual(scoresBy(model, text).slice(0, 2));
    }
  });

  test('gives the biases for a text without words', () => {
    expect([...scoresBy(model, read(''))]).toEqual(model.bias);
  });

  test('scores a text the same, whatever it scored before', () => {
    const used = scorerOf(model);
    const scores = new Float64Array(model.bias.length);
    for (let at = 0; at < 40_000; at++) {
      const text = read(`word${at.toString(36)} bike`);
      used.score(text, text.whole, scores);
    }
    for (const text of texts.slice(0, 10)) {
      used.score(text, text.whole, scores);
      expect(scores).toEqual(scoresBy(model, text));
    }
  });

  test('knows the words of its texts, and no others', () => {
    const knows = (text: string) => read(text).words.map((word) => scorer.knows(word));
    expect(knows('keys invoice')).toEqual([true, true]);
    expect(knows('xqzvkj flurm')).toEqual([false, false]);
  });

  test('explains an output by at most four words that speak for it', () => {
    const text = read('please send me a copy of the invoice, and the squeaking squeaks');
    const words = scorer.explain(text, text.whole, intents.indexOf('invoice_copy'));
    expect(words.length).toBeLessThanOrEqual(4);
    expect(words).toContain('invoice');
    expect(words).not.toContain('squeaks');
    const nothing = read('xqzvkj');
    expect(scorer.explain(nothing, nothing.whole, 0)).toEqual([]);
  });
});

describe('corrections', () => {
  const text = read('I lost the key');
  const { buckets } = vectorOf(text, text.whole);
  const corrections = new Map(
    [...new Set(buckets)].map((bucket) => [
      bucket,
      Float32Array.from(intents, (_, at) => (at === 0 ? -2 : 0)),
    ]),
  );

  test('change the outputs that they name, of the texts that have their features', () => {
    const model = storeModel(weights, ROOM, false);
    const scores = new Float64Array(intents.length);
    scorerOf(model, corrections).score(text, text.whole, scores);
    const before = scoresBy(model, text);
    expect(scores[0]).toBeLessThan(Number(before[0]) - 1);
    scores.slice(1).forEach((score, at) => {
      expect(score).toBeCloseTo(Number(before[at + 1]), 6);
    });
    const other = read('zzz');
    scorerOf(model, corrections).score(other, other.whole, scores);
    expect([...scores]).toEqual([...scoresBy(model, other)]);
  });

  test('are nearly the same after they were stored', () => {
    const stored = storeCorrections(corrections, intents.length, 200_000);
    const again = readCorrections(stored);
    expect(again?.size).toBe(corrections.size);
    for (const [bucket, own] of corrections) {
      own.forEach((value, at) => {
        expect(Number(again?.get(bucket)?.[at])).toBeCloseTo(value, 1);
      });
    }
  });

  test('of nothing are nothing', () => {
    expect(readCorrections(storeCorrections(new Map(), 3, 1_000))).toEqual(new Map());
  });
});

describe('a damaged model', () => {
  const base64 = (...bytes: readonly number[]): string => Buffer.from(bytes).toString('base64');
  const bitsOf = (...buckets: readonly number[]): string => {
    const bits = new Array<number>(BUCKETS / 8).fill(0);
    for (const bucket of buckets) bits[bucket >> 3] = Number(bits[bucket >> 3]) | (1 << (bucket & 7));
    return base64(...bits);
  };

  test.each([
    ['too few weights', { rows: base64(1, 2) }],
    ['too many weights', { rows: base64(...new Array<number>(999).fill(0)) }],
    ['no scales', { scaleSteps: '' }],
    ['too many scales', { scaleSteps: base64(...new Array<number>(9).fill(1)) }],
    ['no buckets', { buckets: '' }],
    ['fewer buckets', { buckets: bitsOf(3, 70) }],
    ['more buckets', { buckets: bitsOf(3, 70, 9_000, 9_001) }],
    ['buckets that there are not', { buckets: base64(...new Array<number>(BUCKETS / 8 + 1).fill(0)) }],
    ['other outputs', { bias: [0, 0, 0, 0, 0] }],
  ])('with %s is undefined', (_what, change) => {
    for (const maxBytes of [ROOM, 24]) {
      const own: LinearWeights = {
        outputs: 4,
        buckets: Uint32Array.of(3, 70, 9_000),
        occurrences: Uint32Array.of(1, 1, 1),
        rows: Float32Array.from({ length: 12 }, (_, at) => Math.sin(at)),
        bias: new Float32Array(4),
      };
      const model = storeModel(own, maxBytes, false);
      expect(createScorer(model)).toBeDefined();
      expect(createScorer({ ...model, ...change })).toBeUndefined();
      expect(readCorrections({ ...model, ...change })).toBeUndefined();
    }
  });

  test('of any bytes is undefined, or scores with finite numbers', () => {
    const bytes = fc.uint8Array({ maxLength: 12 }).map((own) => Buffer.from(own).toString('base64'));
    fc.assert(
      fc.property(bytes, bytes, bytes, fc.constantFrom(4, 8), (buckets, scaleSteps, packed, bits) => {
        const model = { bits, largestScale: 1, bias: [0, 1], buckets, scaleSteps, rows: packed } as const;
        const scorer = createScorer(model);
        const scores = new Float64Array(2);
        const text = texts[0] ?? read('a text');
        scorer?.score(text, text.whole, scores);
        expect(scores.every(Number.isFinite)).toBe(true);
      }),
    );
  });
});
