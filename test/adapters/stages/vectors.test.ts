import { describe, expect, test } from 'vitest';
import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import type { EmbedMessage } from '../../../src/ports/embedder.ts';
import { messageOf } from './stage-inputs.ts';

const space = { model: 'm', dimensions: 2 };
const vector = { model: 'm', values: Float32Array.of(1, 0) };

/** Knows refunds by the word, and cancellations by the word or a vector. */
const classifier: IntentClassifier = {
  thresholds: new Map([
    ['refund', 0.61],
    ['cancellation', 0.62],
  ]),
  vectors: { ...space, thresholds: new Map([['cancellation', 0.93]]) },
  rank(text, _, own) {
    const wish = own !== undefined || /cancel/.test(text) ? 'cancellation' : 'refund';
    return [{ intent: wish, confidence: own === undefined ? 0.8 : 0.95 }];
  },
};

function rigWith(found: typeof vector | undefined, own: IntentClassifier = classifier) {
  const asked: unknown[] = [];
  const embed: EmbedMessage = async (text, use, { model, dimensions }) => {
    asked.push({ text, use, model, dimensions });
    return found;
  };
  const assessor = createAssessorFor({ classifier: own, embed });
  const stages = createStagesOf(assessor, 0.45);
  const classify = async (text: string) => {
    const message = messageOf(text);
    const decision = await stages.classify(message, { signal: new AbortController().signal });
    return { decision, threshold: assessor.leastConfidence(message, decision.value.intent) };
  };
  return { asked, classify };
}

describe('the classifier stage with vectors', () => {
  test('asks for the vector of the prepared text once, and goes by it', async () => {
    const { asked, classify } = rigWith(vector);
    const { decision, threshold } = await classify('I no longer want the lamp that I bought');
    expect(asked).toEqual([{ text: 'I no longer want the lamp that I bought', use: 'classifier', ...space }]);
    expect(decision).toMatchObject({
      value: { intent: 'cancellation', confidence: 0.95 },
      source: 'deterministic',
      data: { vector: true },
    });
    expect(threshold).toBe(0.93);
  });

  test('goes by words, with their threshold, where there is none', async () => {
    const { classify } = rigWith(undefined);
    const { decision, threshold } = await classify('I no longer want the lamp that I bought');
    expect(decision).toMatchObject({ value: { intent: 'refund', confidence: 0.8 }, data: { vector: false } });
    expect(threshold).toBe(0.61);
  });

  test('goes by the thresholds of words for wishes that were found in parts', async () => {
    const { classify } = rigWith(vector);
    const { decision, threshold } = await classify(
      'Please cancel the order of the lamp. I also want my money for the chair back.',
    );
    expect(decision.value).toMatchObject({
      intent: 'cancellation',
      otherIntents: ['refund'],
      confidence: 0.8,
    });
    expect(threshold).toBe(0.62);
  });

  test('asks for nothing where the classifier goes by words alone', async () => {
    const { vectors: _, ...words } = classifier;
    const { asked, classify } = rigWith(vector, words);
    const { decision } = await classify('I no longer want the lamp');
    expect(asked).toEqual([]);
    expect(decision.data).not.toHaveProperty('vector');
  });
});
