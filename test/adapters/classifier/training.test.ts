import { describe, expect, test } from 'vitest';
import { createIntentClassifier, encodeModelFile } from '../../../src/adapters/classifier/intent-model.ts';
import {
  type IntentText,
  type TrainOptions,
  trainIntents,
} from '../../../src/adapters/classifier/training.ts';
import { makeTickets } from '../../support/classifier/made-up-tickets.ts';

const made = (perIntent: number, seed?: number): readonly IntentText[] =>
  makeTickets(perIntent, seed).map(({ message, intent }) => ({ text: message, intent }));

function trainOn(
  tickets: readonly IntentText[],
  options: Partial<TrainOptions> = {},
  { support = [], handedOver = [] }: { support?: readonly IntentText[]; handedOver?: readonly string[] } = {},
) {
  const intents = [...new Set(tickets.map(({ intent }) => intent))].sort();
  return trainIntents(
    { intents, tickets, support, handedOver: new Set(handedOver) },
    { seed: 0, folds: 4, targetError: 0.05, answerable: (_, confidence) => confidence, ...options },
  );
}

const tickets = made(40);
const training = trainOn(tickets);

describe('training', () => {
  test('gives the same bytes for the same tickets and seed, and others for another seed', () => {
    const file = encodeModelFile(training.model);
    expect(encodeModelFile(trainOn(made(40)).model)).toBe(file);
    expect(encodeModelFile(trainOn(made(40), { seed: 1 }).model)).not.toBe(file);
  });

  test('measures the model on texts that it was not trained on', () => {
    const { figures, training: record, intents } = training.model;
    expect(figures.accuracy).toBeGreaterThan(0.9);
    expect(figures.macroF1).toBeGreaterThan(0.9);
    expect(figures.calibrationError).toBeLessThan(0.2);
    expect(figures.perIntent.map(({ examples }) => examples)).toEqual([40, 40, 40, 40, 40, 40]);
    expect(figures.perIntent.map(({ intent }) => intent)).toEqual(intents);
    expect(record).toMatchObject({ examples: 240, folds: 4, seed: 0, targetError: 0.05 });
  });

  test('finds nothing in labels of chance, and then answers next to nothing', () => {
    const shuffled = tickets.map(({ text }, at) => ({
      text,
      intent: tickets[(at * 7) % tickets.length]?.intent ?? '',
    }));
    const { model, report } = trainOn(shuffled, { withCurve: true });
    expect(model.figures.accuracy).toBeLessThan(0.4);
    for (const { targetError, answered, wrong } of report.outlook) {
      expect(wrong).toBeLessThanOrEqual(targetError);
      expect(answered).toBeLessThan(0.2);
    }
    expect(report.confusions[0]?.count).toBeGreaterThan(1);
    expect(report.curve.accuracyWithMore).toBeGreaterThanOrEqual(report.curve.accuracyNow);
  });

  test('tells what other error targets would answer, and keeps them', () => {
    const { outlook } = training.report;
    expect(outlook.map(({ targetError }) => targetError)).toEqual([0.02, 0.05, 0.1]);
    expect(outlook.map(({ answered }) => answered)).toEqual(
      outlook.map(({ answered }) => answered).toSorted((a, b) => a - b),
    );
    for (const { targetError, wrong } of outlook) expect(wrong).toBeLessThanOrEqual(targetError);
    expect(outlook[1]?.answered).toBeGreaterThan(0.5);
  });

  test('finds thresholds on the scale on which messages are decided', () => {
    // Everything is doubtful: the confidence is halved, so that half of it is enough for an answer.
    const { model } = trainOn(tickets, { answerable: (_, confidence) => confidence / 2 });
    for (const { threshold } of model.figures.perIntent) expect(threshold).toBeLessThanOrEqual(0.5);
  });

  test('counts no mistake for an intent that a person answers', () => {
    const confused = tickets.map(({ text, intent }, at) => ({
      text,
      intent: intent === 'opening_hours' && at % 3 === 0 ? 'buy_bike' : intent,
    }));
    const thresholdOf = (handedOver: readonly string[]): number =>
      Number(
        trainOn(confused, { targetError: 0.02 }, { handedOver }).model.figures.perIntent.find(
          ({ intent }) => intent === 'lost_key',
        )?.threshold,
      );
    expect(thresholdOf(['buy_bike', 'opening_hours'])).toBeLessThan(thresholdOf([]));
  });

  test('learns from what a playbook says too, and tests on tickets only', () => {
    const few = made(4);
    const support = [
      { text: 'Reclamations about squeaky discs', intent: 'bad_brake' },
      { text: 'Opening times of the workshop', intent: 'opening_hours' },
      { text: 'none of the intents', intent: 'unknown' },
    ];
    const { model } = trainOn(few, {}, { support });
    expect(model.training.examples).toBe(24);
    const [first] = createIntentClassifier(model).rank('reclamations about squeaky discs');
    expect(first?.intent).toBe('bad_brake');
    const [without] = createIntentClassifier(trainOn(few).model).rank('reclamations about squeaky discs');
    expect(without?.confidence).toBeLessThan(Number(first?.confidence));
  });

  test('tells its progress up to the end', () => {
    const shares: number[] = [];
    trainOn(made(10), { onProgress: (share) => shares.push(share), folds: 3, withCurve: true });
    expect(shares.at(-1)).toBeGreaterThan(0.9);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
  });

  test('takes as many folds as suit the number of tickets where none are stated', () => {
    expect(trainOn(made(4), { folds: undefined }).model.training.folds).toBe(10);
    expect(trainOn(made(1), { folds: undefined }).model.training.folds).toBe(6);
  });

  test('works with two intents of two messages, and texts without words', () => {
    const { model } = trainOn(
      [
        { text: 'where is my parcel', intent: 'shipping' },
        { text: 'the parcel is late', intent: 'shipping' },
        { text: 'money back', intent: 'refund' },
        { text: 'refund me', intent: 'refund' },
        { text: '😀', intent: 'refund' },
      ],
      { folds: undefined },
    );
    expect(createIntentClassifier(model).rank('where is the parcel')[0]?.intent).toBe('shipping');
  });
});
