import { z } from 'zod';
import { type Classification, concerns, intents } from '../../../domain/message/message.ts';
import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import type { ReplySchema } from '../../../ports/language-model.ts';
import type { Stages } from '../../../ports/stages.ts';
import { assessMessage } from '../assessment.ts';
import type { AskModel } from './decide.ts';
import { isForModel, promptMessage } from './prompt-data.ts';
import { classifierPrompt } from './prompts.ts';

/** The bounds are refinements, which the JSON Schema omits: strict providers do not accept them. */
const demanded = z.strictObject({
  intent: z.enum(intents),
  confidence: z.number().refine((confidence) => confidence >= 0 && confidence <= 1),
  concerns: z.array(z.enum(concerns)),
});

const accepted = demanded.extend({ concerns: demanded.shape.concerns.default([]) });

/** Demands the concerns, but accepts a reply without any: the rules' count anyway. */
const schema: ReplySchema<z.output<typeof demanded>> = {
  safeParse: (value) => accepted.safeParse(value),
  toJSONSchema: () => demanded.toJSONSchema(),
};

/**
 * The classifier stage with the model. Its concerns are those of the model and those of the rules: the model can add
 * one and remove none. The rules alone classify automatic messages and messages without text.
 */
export function createLlmClassify(askModel: AskModel, rules: Stages): Stages['classify'] {
  return async (message, context) => {
    const byRules = await rules.classify(message, context);
    if (!isForModel(message)) return byRules;
    return askModel<z.output<typeof demanded>, Classification>('classifier', {
      request: {
        instructions: classifierPrompt,
        data: promptMessage(message),
        schema,
        signal: context.signal,
      },
      review(reply) {
        const known = byRules.value.concerns ?? [];
        const found = concerns.filter((name) => known.includes(name) || reply.concerns.includes(name));
        const chosen = mayChooseIntent(reply.intent, message, byRules.value) ? reply : byRules.value;
        const { intent } = chosen;
        const confidence = mayWantPerson(message, intent)
          ? Math.min(chosen.confidence, byRules.value.confidence)
          : chosen.confidence;
        return {
          value: { intent, confidence, concerns: found },
          summary: summaryOf(chosen === reply, intent, confidence),
          data: {
            intent,
            confidence,
            concerns: [...found],
            model: { intent: reply.intent, confidence: reply.confidence, concerns: [...reply.concerns] },
          },
        };
      },
      fallback: () => byRules,
    });
  };
}

function summaryOf(byModel: boolean, intent: string, confidence: number): string {
  const who = byModel ? 'The language model classifies' : 'The rules keep';
  return `${who} the message as ${intent} with confidence ${confidence.toFixed(2)}.`;
}

/**
 * `spam` and `human_agent` alone decide what happens with a message. The model may not choose `spam` where the rules
 * see a reason for a person, since nothing would be sent, and neither for thanks and greetings, which the rules answer.
 */
function mayChooseIntent(
  intent: Classification['intent'],
  message: PreparedMessage,
  byRules: Classification,
): boolean {
  if (intent === byRules.intent) return true;
  const { kind, reasons } = assessMessage(message);
  const isSmallTalk = kind === 'thanks' || kind === 'greeting';
  if (intent === 'spam') return !isSmallTalk && reasons.length === 0;
  return intent !== 'human_agent' || !isSmallTalk;
}

/** The least probability, by the rules, that a customer asks for a person: then the model cannot raise the confidence. */
const LEAST_WISH_FOR_PERSON = 0.15;

function mayWantPerson(message: PreparedMessage, intent: Classification['intent']): boolean {
  if (intent === 'human_agent') return false;
  return assessMessage(message).alternatives.some(
    (one) => one.intent === 'human_agent' && one.confidence >= LEAST_WISH_FOR_PERSON,
  );
}
