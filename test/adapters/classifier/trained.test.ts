import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkFits } from '../../../src/adapters/classifier/fits.ts';
import { encodeModelFile } from '../../../src/adapters/classifier/model-file.ts';
import { cleanTickets } from '../../../src/adapters/classifier/tickets/clean.ts';
import { loadTrainedClassifier } from '../../../src/adapters/classifier/trained.ts';
import { type TrainOptions, trainClassifier } from '../../../src/adapters/classifier/training/train.ts';
import { createRuleRanking } from '../../../src/adapters/stages/rule-ranking.ts';
import { type MadeUpTicket, makeTickets } from '../../support/classifier/made-up-tickets.ts';

const rankByRules = createRuleRanking();

function trainOn(tickets: readonly MadeUpTicket[], options: Partial<TrainOptions> = {}) {
  const numbered = tickets.map((ticket, at) => ({ ...ticket, line: at + 2 }));
  return trainClassifier(cleanTickets(numbered), {
    seed: 0,
    folds: undefined,
    rankByRules,
    onProgress: () => undefined,
    ...options,
  });
}

const training = trainOn(makeTickets(40));
const file = encodeModelFile(training.model);
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

describe('training', () => {
  test('gives the same bytes for the same tickets and seed, and others for another seed', () => {
    expect(encodeModelFile(trainOn(makeTickets(40)).model)).toBe(file);
    expect(encodeModelFile(trainOn(makeTickets(40), { seed: 1 }).model)).not.toBe(file);
  });

  test('measures the model on texts that it was not trained on', () => {
    const { figures } = training.model;
    expect(figures.accuracy).toBeGreaterThan(0.9);
    expect(figures.macroF1).toBeGreaterThan(0.9);
    expect(figures.calibrationError).toBeLessThan(0.2);
    expect(figures.perIntent.map(({ examples }) => examples)).toEqual([40, 40, 40, 40, 40, 40]);
  });

  test('finds nothing in labels of chance, and says so', () => {
    const tickets = makeTickets(40);
    const shuffled = tickets.map(({ message }, at) => ({
      message,
      intent: tickets[(at * 7) % tickets.length]?.intent ?? '',
    }));
    const { model, report } = trainOn(shuffled);
    expect(model.figures.accuracy).toBeLessThan(0.4);
    expect(report.thresholds.some(({ basis }) => basis === 'not_reached')).toBe(true);
    expect(report.confusions[0]?.count).toBeGreaterThan(1);
    expect(report.curve.accuracyWithMore).toBeGreaterThanOrEqual(report.curve.accuracyNow);
  });

  test('suggests thresholds within their bounds, and the one of all intents where there are few tickets', () => {
    const tickets = makeTickets(40).filter(({ intent }, at) => intent !== 'lost_key' || at % 8 === 0);
    const { model, report } = trainOn(tickets);
    for (const { threshold } of model.figures.perIntent) {
      expect(threshold).toBeGreaterThanOrEqual(0.3);
      expect(threshold).toBeLessThanOrEqual(0.95);
    }
    expect(report.thresholds[model.intents.indexOf('lost_key')]?.basis).toBe('few');
  });

  test('tells its progress up to the end', () => {
    const shares: number[] = [];
    trainOn(makeTickets(10), { onProgress: (share) => shares.push(share), folds: 3 });
    expect(shares.at(-1)).toBeGreaterThan(0.95);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });

  test('works with two intents of two messages', () => {
    const { model, report } = trainOn([
      { message: 'where is my parcel', intent: 'shipping' },
      { message: 'the parcel is late', intent: 'shipping' },
      { message: 'money back', intent: 'refund' },
      { message: 'refund me', intent: 'refund' },
    ]);
    expect(report.scopeMeasured).toBe(false);
    const { classifier: small } = loadTrainedClassifier(Buffer.from(encodeModelFile(model)), rankByRules);
    expect(small.rank('where is the parcel')[0]?.intent).toBe('shipping');
  });
});

describe('a trained classifier', () => {
  test('ranks all intents for texts that it was not trained on, the likeliest first', () => {
    const known = new Set(makeTickets(40).map(({ message }) => message));
    const others = makeTickets(60, 7).filter(({ message }) => !known.has(message));
    const right = others.filter(({ message, intent }) => bestOf(message)?.intent === intent);
    expect(right.length).toBeGreaterThan(0.9 * others.length);
    const ranked = classifier.rank('is my bike ready?');
    expect(ranked.map(({ intent }) => intent).sort()).toEqual([...intents]);
    expect(ranked).toEqual([...ranked].sort((a, b) => b.confidence - a.confidence));
    expect(ranked.reduce((sum, { confidence }) => sum + confidence, 0)).toBeLessThanOrEqual(1);
  });

  test('is less sure of words that it has never seen', () => {
    const sure = Number(bestOf('please send me a copy of the invoice')?.confidence);
    const partly = Number(bestOf('please gib flurm a wexil of the invoice')?.confidence);
    expect(partly).toBeLessThan(sure);
    expect(bestOf('quod erat demonstrandum')?.confidence).toBe(0);
  });

  test.each([
    ['an empty text', ''],
    ['marks alone', '?!… 😀'],
    ['half of a surrogate pair', '\uD800 bike \uDC00'],
    ['another script', '自転車の修理はいつ終わりますか'],
    ['a very long text', 'is my bike ready? '.repeat(3_600)],
    ['a very long word', 'x'.repeat(65_536)],
    ['many different words', Array.from({ length: 12_000 }, (_, at) => at.toString(36)).join(' ')],
    ['letters that become many', '\uFDFA'.repeat(20_000)],
  ])('ranks %s', (_what, text) => {
    const ranked = classifier.rank(text);
    expect(ranked).toHaveLength(6);
    for (const { confidence } of ranked) {
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  });

  test('ranks a text the same, whatever it ranked before', () => {
    const fresh = loadTrainedClassifier(Buffer.from(file)).classifier;
    expect(fresh.rank('I lost my bike')).toEqual(classifier.rank('I lost my bike'));
  });

  test('carries its intents, thresholds, figures and hash', () => {
    const loaded = loadTrainedClassifier(Buffer.from(file));
    expect(loaded.hash).toBe(JSON.parse(file).hash);
    expect(loaded.figures.accuracy).toBeCloseTo(training.model.figures.accuracy, 3);
    expect([...loaded.classifier.thresholds.keys()]).toEqual(loaded.intents);
  });

  test('of built-in intents uses what the rules find, and needs them', () => {
    const names = { repair_status: 'order_status', lost_key: 'account', bad_brake: 'technical_issue' };
    const tickets = makeTickets(10).flatMap(({ message, intent }) => {
      const name = Object.entries(names).find(([own]) => own === intent)?.[1];
      return name === undefined ? [] : [{ message, intent: name }];
    });
    const { model } = trainOn(tickets);
    expect(model.usesRules).toBe(true);
    const bytes = Buffer.from(encodeModelFile(model));
    expect(() => loadTrainedClassifier(bytes)).toThrow('needs what the built-in rules find');
    const asked: string[] = [];
    loadTrainedClassifier(bytes, (text) => {
      asked.push(text);
      return rankByRules(text);
    }).classifier.rank('where is it');
    expect(asked).toEqual(['where is it']);
  });
});

describe('a model file', () => {
  test.each([
    ['is not JSON', Buffer.from(file.slice(0, 2_000)), 'is no JSON object, or incomplete'],
    ['is something else', Buffer.from('{"a": 1}'), 'is no classifier model'],
    [
      'has another version',
      changed((content) => {
        content['version'] = 2;
      }, true),
      'has the format version 2, and this program reads version 1; train it again',
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
        content['confidence'] = {};
      }, true),
      'has no valid confidence.temperature',
    ],
    [
      'has too few weights',
      changed((content) => {
        const weights = Object(content['weights']);
        content['weights'] = { ...weights, rows: weights.rows.slice(0, 400) };
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
