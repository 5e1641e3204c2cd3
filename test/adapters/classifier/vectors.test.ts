import { describe, expect, test } from 'vitest';
import {
  combineClassifiers,
  createExampleClassifier,
  textsToEmbed,
} from '../../../src/adapters/classifier/examples.ts';
import {
  createIntentClassifier,
  encodeModelFile,
  loadTrainedClassifier,
} from '../../../src/adapters/classifier/intent-model.ts';
import { trainIntents } from '../../../src/adapters/classifier/training.ts';
import { fakeTextVector, fakeVectors } from '../../support/classifier/fake-vectors.ts';
import { makeTickets } from '../../support/classifier/made-up-tickets.ts';
import { playbookOf } from './playbooks.ts';

const tickets = makeTickets(30).map(({ message, intent }) => ({ text: message, intent }));
const intents = [...new Set(tickets.map(({ intent }) => intent))].sort();
const train = (vectors?: typeof fakeVectors) =>
  trainIntents(
    { intents, tickets, support: [], handedOver: new Set(), vectors },
    { seed: 0, folds: 4, targetError: 0.05, answerable: (_, confidence) => confidence },
  );

const byWords = train();
const { model, report } = train(fakeVectors);
const classifier = createIntentClassifier(model);

/** Texts none of whose words are in a ticket, by the intent of what they mean. */
const paraphrases = {
  lost_key: 'mislaid opener',
  bad_brake: 'stopper stopper wobbling',
  buy_bike: 'velocipede',
  invoice_copy: 'quittance forwarding',
} as const;

describe('a model with vectors', () => {
  test('knows by them what words do not know', () => {
    for (const [intent, text] of Object.entries(paraphrases)) {
      const [first] = classifier.rank(text, 1, fakeTextVector(text));
      expect(first?.intent).toBe(intent);
      expect(first?.confidence).toBeGreaterThan(0);
    }
  });

  test('goes by words alone where there is no vector, as one that was trained without', () => {
    for (const text of [...Object.values(paraphrases), 'I lost my key', 'is my bike ready']) {
      expect(classifier.rank(text)).toEqual(createIntentClassifier(byWords.model).rank(text));
    }
    expect(classifier.thresholds).toEqual(createIntentClassifier(byWords.model).thresholds);
    const { vectors: _, ...words } = model;
    expect(encodeModelFile(words)).toBe(encodeModelFile(byWords.model));
  });

  test('is measured by both, each with thresholds of its own', () => {
    expect(model.vectors).toMatchObject({ model: 'fake-embedding', dimensions: fakeVectors.dimensions });
    expect(model.vectors?.figures.accuracy).toBeGreaterThan(0.95);
    expect(model.vectors?.figures.calibrationError).toBeLessThan(0.2);
    expect([...(classifier.vectors?.thresholds.keys() ?? [])]).toEqual(intents);
    expect(report.outlookWithVectors).toHaveLength(3);
    expect(byWords.report.outlookWithVectors).toBeUndefined();
  });

  test('says nothing of a text that says nothing, whatever its vector', () => {
    for (const text of ['', '?', '12345678', 'can you help me']) {
      const vector = fakeTextVector('mislaid opener');
      expect(classifier.rank(text, 1, vector)[0]?.confidence).toBe(0);
    }
  });

  test('refuses a vector of another model, which the caller has to check', () => {
    const other = fakeTextVector('key', 'another');
    expect(() => classifier.rank('key', 1, other)).toThrow('the vector is not of fake-embedding');
  });

  test('is the same when it is trained again, and when it is read from its file', () => {
    const file = encodeModelFile(model);
    expect(encodeModelFile(train(fakeVectors).model)).toBe(file);
    const loaded = loadTrainedClassifier(Buffer.from(file)).classifier;
    expect(loaded.vectors).toEqual(classifier.vectors);
    for (const text of Object.values(paraphrases)) {
      const vector = fakeTextVector(text);
      expect(loaded.rank(text, 3, vector)).toEqual(classifier.rank(text, 3, vector));
    }
  });

  test.each([
    ['dimensions', { dimensions: 12 }],
    ['a center', { center: new Float32Array(3) }],
    ['thresholds', { thresholds: [0.5] }],
    ['weights', { weights: { ...model.weights, bias: [1] } }],
  ])('is refused with %s that do not fit', (_, part) => {
    const head = model.vectors;
    if (head === undefined) throw new Error('there is no head');
    const file = encodeModelFile({ ...model, vectors: { ...head, ...part } });
    expect(() => loadTrainedClassifier(Buffer.from(file))).toThrow(/do not fit its intents$/);
  });
});

const playbook = playbookOf([
  ...[
    { name: 'lost_key', description: 'A lost key.', examples: ['I lost my key', 'both keys are lost'] },
    { name: 'bad_brake', description: 'A brake.', examples: ['my brake squeaks', 'the brakes rub'] },
    { name: 'silent', description: 'Without examples.', examples: [] },
  ],
]);

describe('the examples of a playbook with vectors', () => {
  const own = createExampleClassifier(playbook, (_, confidence) => confidence, fakeVectors);

  test('tell by them what words do not know', () => {
    expect(own.rank('my opener vanished', 1, fakeTextVector('my opener vanished'))[0]?.intent).toBe(
      'lost_key',
    );
    expect(own.rank('stopper stopper', 1, fakeTextVector('stopper stopper'))[0]?.intent).toBe('bad_brake');
    expect(own.vectors).toMatchObject({ model: 'fake-embedding' });
  });

  test('keep what holds for examples: one that is repeated is sure', () => {
    const vector = fakeTextVector('I LOST my key!');
    expect(own.rank('I LOST my key!', 1, vector)).toMatchObject([{ intent: 'lost_key', confidence: 1 }]);
  });

  test('need the vectors of all texts that are learned from, and none where nothing is learned', () => {
    expect(textsToEmbed(playbook)).toEqual([
      ...['I lost my key', 'both keys are lost', 'my brake squeaks', 'the brakes rub'],
      ...['lost key. A lost key.', 'bad brake. A brake.'],
    ]);
    expect(textsToEmbed(playbookOf([]))).toEqual([]);
  });

  test('use them beside the built-in classifier, which has none', () => {
    const builtIn = {
      thresholds: new Map([['refund', 0.5]]),
      rank: () => [{ intent: 'refund', confidence: 1 }],
    };
    const combined = combineClassifiers(own, builtIn, ['refund']);
    expect(combined.vectors?.thresholds.get('refund')).toBe(0.5);
    expect(combined.rank('opener', 1, fakeTextVector('opener'))).not.toEqual(combined.rank('opener', 1));
  });
});
