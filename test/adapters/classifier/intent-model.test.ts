import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkFits,
  confidencesOf,
  decodeModelFile,
  encodeModelFile,
  loadTrainedClassifier,
} from '../../../src/adapters/classifier/intent-model.ts';
import { trainIntents } from '../../../src/adapters/classifier/training.ts';
import { storeCorrections } from '../../../src/lib/learning/stored-model.ts';
import { makeTickets } from '../../support/classifier/made-up-tickets.ts';
import { hostilePieces, repeated } from '../../support/hostile-texts.ts';
import { checkedRank } from './rankings.ts';

const tickets = makeTickets(40);
const { model } = trainIntents(
  {
    intents: [...new Set(tickets.map(({ intent }) => intent))].sort(),
    tickets: tickets.map(({ message, intent }) => ({ text: message, intent })),
    support: [],
    handedOver: new Set(),
  },
  { seed: 0, folds: 3, targetError: 0.05, answerable: (_, confidence) => confidence },
);
const file = encodeModelFile(model);
const { classifier, intents } = loadTrainedClassifier(Buffer.from(file));
const bestOf = (text: string) => classifier.rank(text)[0];

/** The file with other content, and the hash of that if wanted. */
function changed(change: (content: Record<string, unknown>) => void, rehash: boolean): Buffer {
  const { hash: old, ...rest } = JSON.parse(file);
  change(rest);
  return Buffer.from(
    JSON.stringify({ ...rest, hash: rehash ? `sha256:${hash('sha256', JSON.stringify(rest))}` : old }),
  );
}

describe('a trained classifier', () => {
  test('ranks all intents for texts that it was not trained on, the likeliest first', () => {
    const known = new Set(tickets.map(({ message }) => message));
    const others = makeTickets(60, 7).filter(({ message }) => !known.has(message));
    const right = others.filter(({ message, intent }) => bestOf(message)?.intent === intent);
    expect(right.length).toBeGreaterThan(0.9 * others.length);
    checkedRank(classifier, intents, 'is my bike ready?');
  });

  test('tells the words that say most for the likeliest intent', () => {
    const [first, ...others] = classifier.rank('please send me a copy of the invoice');
    expect(first?.intent).toBe('invoice_copy');
    expect(first?.evidence).toContain('invoice');
    expect(others.every(({ evidence }) => evidence === undefined)).toBe(true);
  });

  test('is less sure of words that it has never seen', () => {
    const sure = Number(bestOf('please send me a copy of the invoice')?.confidence);
    const partly = Number(bestOf('please gib flurm a wexil of the invoice')?.confidence);
    expect(partly).toBeLessThan(sure);
    expect(bestOf('quod erat demonstrandum')?.confidence).toBe(0);
  });

  test.each(['', ' ', '?!… 😀', '12 345', '\ud800'])(
    'has no confidence in a text without words: %j',
    (text) => {
      expect(classifier.rank(text).map(({ confidence }) => confidence)).toEqual(intents.map(() => 0));
    },
  );

  test.each([
    ...hostilePieces.map((piece) => repeated(piece, 65_536)),
    '自転車の修理はいつ終わりますか',
    'is my bike ready? '.repeat(3_600),
    Array.from({ length: 12_000 }, (_, at) => at.toString(36)).join(' '),
  ])('ranks any text: %.40j', (text) => {
    checkedRank(classifier, intents, text);
  });

  test('ranks a text the same, whatever it ranked before', () => {
    const fresh = loadTrainedClassifier(Buffer.from(file)).classifier;
    expect(fresh.rank('I lost my bike')).toEqual(classifier.rank('I lost my bike'));
  });
});

describe('the confidences of intents', () => {
  const score = fc.double({ min: -60, max: 60, noNaN: true });
  const anyScores = fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 1, maxLength: 12 });
  const anyModel = fc.tuple(score, fc.double({ min: 0.2, max: 10, noNaN: true }), score);
  const share = fc.double({ min: 0, max: 1, noNaN: true });

  test('are from 0 to 1, add up to at most 1, and keep the order of the scores', () => {
    fc.assert(
      fc.property(anyScores, share, anyModel, (scores, unknown, own) => {
        const confidences = [
          ...confidencesOf({ scores: Float64Array.from(scores), unknown, isEmpty: false }, own),
        ];
        expect(confidences.every((one) => one >= 0 && one <= 1)).toBe(true);
        expect(confidences.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1 + 1e-9);
        const best = Math.max(...confidences);
        expect(confidences[scores.indexOf(Math.max(...scores))]).toBe(best);
        confidences.forEach((one, at) => {
          confidences.forEach((other, place) => {
            if (Number(scores[at]) > Number(scores[place])) expect(one).toBeGreaterThanOrEqual(other);
          });
        });
      }),
    );
  });

  test('fall with the words that the model lacks, to nothing', () => {
    const scores = Float64Array.of(4, 1, 0);
    const best = (unknown: number): number =>
      Number(confidencesOf({ scores, unknown, isEmpty: unknown === 1 }, [0, 1, -2])[0]);
    const falling = [0, 0.3, 0.6, 0.9, 1].map(best);
    expect(falling).toEqual(falling.toSorted((a, b) => b - a));
    expect(falling.at(-1)).toBe(0);
  });
});

describe('a model file', () => {
  test('is the model that was written, and carries its intents, thresholds, figures and hash', () => {
    const read = decodeModelFile(Buffer.from(file), 'own.json');
    expect(encodeModelFile(read.model)).toBe(file);
    expect(read.model).toMatchObject({ intents, confidence: model.confidence, weights: model.weights });
    const loaded = loadTrainedClassifier(Buffer.from(file));
    expect(loaded.hash).toBe(JSON.parse(file).hash);
    expect(loaded.figures.accuracy).toBeCloseTo(model.figures.accuracy, 3);
    expect([...loaded.classifier.thresholds]).toEqual(
      model.figures.perIntent.map(({ intent, threshold }) => [intent, threshold]),
    );
    expect(loaded.classifier.harmless).toBeUndefined();
  });

  test('has what was learned as harmless beside it', () => {
    const harmless = storeCorrections(new Map([[7, Float32Array.of(0, -0.5)]]), 2, 1_000);
    const loaded = loadTrainedClassifier(Buffer.from(encodeModelFile({ ...model, harmless })));
    expect(loaded.classifier.harmless?.get(7)?.[1]).toBeCloseTo(-0.5, 2);
  });

  test.each([
    ['is not JSON', Buffer.from(file.slice(0, 2_000)), 'is no JSON object, or incomplete'],
    ['is something else', Buffer.from('{"a": 1}'), 'is no classifier model'],
    [
      'has an older version',
      changed((content) => {
        content['version'] = 1;
      }, true),
      'has the format version 1, and this program reads version 2; train it again',
    ],
    [
      'was changed',
      changed((content) => {
        content['intents'] = [];
      }, false),
      'was changed or damaged: its hash is not that of its content',
    ],
    [
      'lacks a part',
      changed((content) => {
        content['confidence'] = [0, 1];
      }, true),
      'has no valid confidence',
    ],
    [
      'has a threshold that is no share',
      changed((content) => {
        content['intents'] = [
          { ...Object(content['intents'])[0], threshold: 2 },
          Object(content['intents'])[1],
        ];
      }, true),
      'has no valid intents.0.threshold',
    ],
    [
      'has too few weights',
      changed((content) => {
        const weights = Object(content['weights']);
        content['weights'] = { ...weights, rows: weights.rows.slice(0, 400) };
      }, true),
      'has weights that are incomplete or do not fit its intents',
    ],
    [
      'has the weights of other intents',
      changed((content) => {
        content['intents'] = Object(content['intents']).slice(1);
      }, true),
      'has weights that are incomplete or do not fit its intents',
    ],
    [
      'has an intent twice',
      changed((content) => {
        const [first, , ...others] = Object(content['intents']);
        content['intents'] = [first, first, ...others];
      }, true),
      'has weights that are incomplete or do not fit its intents',
    ],
    [
      'has damaged corrections',
      changed((content) => {
        content['harmless'] = { ...Object(content['weights']), rows: '' };
      }, true),
      'has weights that are incomplete or do not fit its intents',
    ],
    ['is too large', Buffer.alloc(8 * 1024 * 1024 + 1, ' '), 'is larger than 8 MiB'],
  ])('that %s is refused', (_what, bytes, reason) => {
    expect(() => loadTrainedClassifier(bytes)).toThrow(`the model: ${reason}`);
  });

  test('that does not exist is named', () => {
    expect(() => loadTrainedClassifier('no/such/model.json')).toThrow(
      'no/such/model.json: there is no such file',
    );
  });
});

describe('a model and a playbook', () => {
  const own = { intents: ['refund', 'shipping'] };

  test('fit when the playbook has its intents and the model those of the playbook, apart from three', () => {
    expect(() => checkFits(own, ['shipping', 'refund'])).not.toThrow();
    expect(() => checkFits(own, ['shipping', 'refund', 'human_agent', 'spam', 'feedback'])).not.toThrow();
  });

  test('do not fit otherwise, and both lists are told', () => {
    expect(() => checkFits(own, ['refund', 'billing', 'spam'], 'model.json')).toThrow(
      'model.json: does not fit the playbook: the playbook does not have its intents shipping; it was not trained on the intents billing of the playbook',
    );
  });
});
