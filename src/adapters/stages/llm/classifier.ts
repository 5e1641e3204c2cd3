import { z } from 'zod';
import { type Classification, intents } from '../../../domain/message/message.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Decide } from './decide.ts';
import { forPrompt } from './prompt-data.ts';
import { classifierPrompt } from './prompts.ts';

/** Bounds that strict providers do not take stand in refinements, which the JSON Schema leaves out. */
const schema = z.strictObject({
  intent: z.enum(intents),
  confidence: z.number().refine((confidence) => confidence >= 0 && confidence <= 1),
});

/** Classification by the model. */
export function createLlmClassify(decide: Decide, rules: Stages): Stages['classify'] {
  return (message, context) =>
    decide<z.output<typeof schema>, Classification>('classifier', {
      request: {
        instructions: classifierPrompt,
        data: { message: forPrompt(message.message) },
        schema,
        signal: context.signal,
      },
      judge: ({ intent, confidence }) => ({
        value: { intent, confidence },
        summary: `The language model reads the message as ${intent} with confidence ${confidence.toFixed(2)}.`,
        data: { intent, confidence },
      }),
      byRules: () => rules.classify(message, context),
    });
}
