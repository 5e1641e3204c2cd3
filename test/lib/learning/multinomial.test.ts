import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  calibrationError,
  fitLogistic,
  fitTemperature,
  type WeightedExample,
} from '../../../src/lib/learning/calibration.ts';
import { encodeTexts } from '../../../src/lib/learning/encoded-texts.ts';
import { scoreText, toShares, trainMultinomial } from '../../../src/lib/learning/multinomial.ts';
import { ngramsOfWord, readNgrams } from '../../../src/lib/learning/ngrams.ts';
import {
  packWeights,
  type QuantizedRows,
  quantizeRows,
  scaleOf,
  unpackWeights,
} from '../../../src/lib/learning/quantize-rows.ts';
import { createRandom } from '../../../src/lib/learning/train.ts';
import { makeTickets } from '../../support/classifier/made-up-tickets.ts';

describe('the words of a text', () => {
  test.each([
    ['Where is MY Order?', ['where', 'is', 'my', 'order', '?']],
    ['Schöne Grüße, Ñandú', ['schone', 'gruße', 'nandu']],
    ['call 0151 2345678 soooon', ['call', '0000', '000000', 'soon']],
    ['自転車', ['自', '転', '車']],
    ['', []],
  ])('of %j do not tell case, accents and digits', (text, words) => {
    expect(readNgrams(text).words).toEqual(words);
  });

  test('are there once, and their pairs each time', () => {
    const { words, pairs } = readNgrams('no no no');
    expect(words).toEqual(['no']);
    expect(pairs).toHaveLength(4);
  });

  test('share letters with their misspellings', () => {
    const right = new Set(ngramsOfWord('delivery').buckets);
    const shared = ngramsOfWord('delivry').buckets.filter((bucket) => right.has(bucket));
    expect(shared.length).toBeGreaterThan(8);
  });

  test('can be read of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const word of readNgrams(text).words) expect(word.length).toBeLessThanOrEqual(24);
      }),
    );
  });
});

const tickets = makeTickets(30);
const intents = [...new Set(tickets.map(({ intent }) => intent))];
const texts = encodeTexts(
  tickets.map(({ message }) => ({ text: message, extras: [] })),
  1,
);
const labels = Int32Array.from(tickets, ({ intent }) => intents.indexOf(intent));
const members = tickets.map((_, at) => at);
const weights = trainMultinomial(texts, labels, members, { classes: intents.length, epochs: 5, seed: 3 });

describe('multinomial logistic regression', () => {
  test('learns its examples, the same way each time', () => {
    const scores = new Float64Array(intents.length);
    for (const member of members) {
      scoreText(weights, texts, member, scores);
      expect(scores.indexOf(Math.max(...scores))).toBe(labels[member]);
    }
    const again = trainMultinomial(texts, labels, members, { classes: intents.length, epochs: 5, seed: 3 });
    expect(again.rows).toEqual(weights.rows);
  });

  test('has vectors of length 1', () => {
    for (const member of members) {
      const [start, end] = [texts.starts[member], texts.starts[member + 1]];
      const square = texts.values.slice(start, end).reduce((sum, value) => sum + value * value, 0);
      expect(square).toBeCloseTo(1, 5);
    }
  });
});

/** The weights that quantized rows stand for; rows that were left out are 0. */
function restore({ classes, kept, largestScale, scaleSteps, weights: small }: QuantizedRows, rows: number) {
  const restored = new Float64Array(rows * classes);
  kept.forEach((row, at) => {
    for (let one = 0; one < classes; one++) {
      const weight = Number(small[at * classes + one]);
      restored[row * classes + one] = weight * scaleOf(largestScale, Number(scaleSteps[at]));
    }
  });
  return restored;
}

describe('quantized rows', () => {
  const rows = texts.buckets.length;
  const classes = intents.length;

  test.each([
    [8, 0.02],
    [4, 0.2],
  ] as const)('of %i bits give nearly the same probabilities', (bits, most) => {
    const maxBytes = bits === 8 ? 10 * rows * classes : rows * (classes / 2 + 3);
    const quantized = quantizeRows(weights, texts.occurrences, maxBytes);
    expect(quantized).toMatchObject({ bits, kept: { length: rows } });
    const restored = { ...weights, rows: Float32Array.from(restore(quantized, rows)) };
    const [one, other] = [new Float64Array(classes), new Float64Array(classes)];
    for (const member of members) {
      scoreText(weights, texts, member, one);
      scoreText(restored, texts, member, other);
      toShares(one);
      toShares(other);
      one.forEach((share, at) => {
        expect(Math.abs(share - Number(other[at]))).toBeLessThan(most);
      });
    }
  });

  test('keep the rows that matter where there is no room for all', () => {
    const maxBytes = 200 * (classes / 2 + 3);
    const { kept } = quantizeRows(weights, texts.occurrences, maxBytes);
    expect(kept).toHaveLength(200);
    expect([...kept]).toEqual([...kept].sort((a, b) => a - b));
  });

  test.each([4, 8] as const)('of %i bits are what they were after packing', (bits) => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 0, max: 5 }), (width, count) => {
        const random = createRandom(width * 10 + count);
        const small = Int8Array.from({ length: width * count }, () => Math.floor(random() * 15) - 7);
        const packed = packWeights({
          classes: width,
          bits,
          kept: new Uint32Array(count),
          largestScale: 1,
          scaleSteps: new Uint8Array(count),
          weights: small,
        });
        expect(unpackWeights(packed, bits, width, count)).toEqual(small);
      }),
    );
  });
});

describe('calibration', () => {
  test('finds the temperature at which probabilities say how often they are right', () => {
    // Scores of 2 and 0 mean 0.88 and 0.12; where 3 of 4 are right, they should be ln 3 and 0.
    const scores = Float32Array.from({ length: 800 }, (_, at) => (at % 2 === 0 ? 2 : 0));
    const right = Int32Array.from({ length: 400 }, (_, at) => (at % 4 === 0 ? 1 : 0));
    expect(fitTemperature({ classes: 2, scores, labels: right })).toBeCloseTo(2 / Math.log(3), 2);
  });

  test('is bounded where all is right', () => {
    const scores = Float32Array.from([1, 0, 1, 0]);
    const temperature = fitTemperature({ classes: 2, scores, labels: Int32Array.from([0, 0]) });
    expect(temperature).toBeGreaterThan(0.2);
    expect(fitTemperature({ classes: 2, scores: new Float32Array(), labels: new Int32Array() })).toBe(1);
  });

  test('of a logistic regression finds the share of each group, and moves nothing without examples', () => {
    const examples = Array.from({ length: 4_000 }, (_, at): WeightedExample => {
      const high = at % 2;
      return { inputs: [1, high], offset: 0, target: at % 10 < (high === 1 ? 8 : 2) ? 1 : 0, weight: 1 };
    });
    const [constant = 0, slope = 0] = fitLogistic(examples, [0, 0], [-10, -10]);
    const shareOf = (score: number): number => 1 / (1 + Math.exp(-score));
    expect(shareOf(constant)).toBeCloseTo(0.2, 1);
    expect(shareOf(constant + slope)).toBeCloseTo(0.8, 1);
    expect(fitLogistic([], [1, 2], [-10, 0])).toEqual([1, 2]);
    expect(fitLogistic(examples, [0, 0], [-10, 3])[1]).toBeGreaterThanOrEqual(3);
  });

  test('stays finite where inputs are large and all targets are the same', () => {
    const examples = Array.from({ length: 50 }, (): WeightedExample => {
      return { inputs: [1, 6, 90], offset: 0, target: 1, weight: 1 };
    });
    for (const value of fitLogistic(examples, [1, 0.7, 0.2], [-10, 0, 0])) {
      expect(Math.abs(value)).toBeLessThan(10);
    }
  });

  test('tells how far confidence and accuracy differ', () => {
    const predictions = Array.from({ length: 10 }, (_, at) => ({ confidence: 0.95, right: at < 7 }));
    expect(calibrationError(predictions)).toBeCloseTo(0.25);
    expect(calibrationError([])).toBe(0);
  });
});
