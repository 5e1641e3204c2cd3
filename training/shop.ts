import type { IntentModel } from '../src/adapters/classifier/intent-model.ts';
import { trainIntents } from '../src/adapters/classifier/training.ts';
import { intents } from '../src/domain/message/message.ts';
import { hasIntent, type TrainingText } from './texts.ts';

/**
 * The coefficients of the confidence in the intents of the shop, for texts of other authors than the training texts
 * have: fitted on messages of public sources (docs/judgement.md).
 */
const confidence = [0.2, 0.9, -1] as const;

/** The threshold of an answer: with it, about six in a hundred messages of other authors are answered wrongly. */
const THRESHOLD = 0.45;

/** Trains the model of the intents of the built-in playbook. */
export function trainShop(texts: readonly TrainingText[]): IntentModel {
  const tickets = texts
    .filter(hasIntent)
    .flatMap(({ text, intents: own }) => own.slice(0, 2).map((intent) => ({ text, intent })));
  const { model } = trainIntents(
    { intents, tickets, support: [], handedOver: new Set() },
    { seed: 1, folds: 3, epochs: 8, targetError: 0.05, answerable: (_, confidence) => confidence },
  );
  return {
    ...model,
    confidence,
    figures: {
      ...model.figures,
      perIntent: model.figures.perIntent.map((own) => ({ ...own, threshold: THRESHOLD })),
    },
  };
}
