import { z } from 'zod';
import { type Classification, intents } from '../../../domain/message/message.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { AskModel } from './decide.ts';
import { truncateMessage } from './prompt-data.ts';
import { classifierPrompt } from './prompts.ts';

/** The bounds are refinements, which the JSON Schema omits: strict providers do not accept them. */
const schema = z.strictObject({
  intent: z.enum(intents),
  confidence: z.number().refine((confidence) => confidence >= 0 && confidence <= 1),
});

/** The classifier stage with the model. */
export function createLlmClassify(askModel: AskModel, rules: Stages): Stages['classify'] {
  return (message, context) =>
    askModel<z.output<typeof schema>, Classification>('classifier', {
      request: {
        instructions: classifierPrompt,
        data: { message: truncateMessage(message.message) },
        schema,
        signal: context.signal,
      },
      review: ({ intent, confidence }) => ({
        value: { intent, confidence },
        summary: `The language model classifies the message as ${intent} with confidence ${confidence.toFixed(2)}.`,
        data: { intent, confidence },
      }),
      fallback: () => rules.classify(message, context),
    });
}
