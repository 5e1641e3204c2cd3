import { z } from 'zod';
import { type Classification, type Concern, concerns } from '../../../domain/message/message.ts';
import type { ReplySchema } from '../../../ports/language-model.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Assessment } from '../assessment.ts';
import type { LlmStageParts } from './decide.ts';
import { withConversation } from './history.ts';
import { isForModel, promptMessage } from './prompt-data.ts';
import { classifierPrompt } from './prompts.ts';

/** What the model replies. */
interface ClassifierReply {
  readonly intent: string;
  readonly confidence: number;
  readonly concerns: readonly Concern[];
}

/**
 * The reply that is demanded. The bounds are refinements, which the JSON Schema omits: strict providers do not accept
 * them. The concerns are demanded, but a reply without any is accepted: the rules' count anyway.
 */
function createSchema(intents: readonly string[]): ReplySchema<ClassifierReply> {
  const demanded = z.strictObject({
    intent: z.enum(intents),
    confidence: z.number().refine((confidence) => confidence >= 0 && confidence <= 1),
    concerns: z.array(z.enum(concerns)),
  });
  const accepted = demanded.extend({ concerns: demanded.shape.concerns.default([]) });
  return {
    safeParse: (value) => accepted.safeParse(value),
    toJSONSchema: () => demanded.toJSONSchema(),
  };
}

/**
 * The classifier stage with the model. Its concerns are those of the model and those of the rules: the model can add
 * one and remove none. The rules alone classify automatic messages and messages without text.
 */
export function createLlmClassify({ askModel, assessor, rules }: LlmStageParts): Stages['classify'] {
  const { intents } = assessor.playbook;
  const schema = createSchema([...intents.keys()]);
  const instructions = classifierPrompt([...intents.values()]);
  return async (message, context) => {
    const byRules = await rules.classify(message, context);
    if (!isForModel(message, assessor)) return byRules;
    return askModel<ClassifierReply, Classification>('classifier', {
      request: {
        instructions: withConversation(instructions, message),
        data: promptMessage(message),
        schema,
        signal: context.signal,
      },
      review(reply) {
        const known = byRules.value.concerns ?? [];
        const found = concerns.filter((name) => known.includes(name) || reply.concerns.includes(name));
        const chosen = mayChooseIntent(reply.intent, assessor.assess(message), byRules.value)
          ? reply
          : byRules.value;
        const { intent } = chosen;
        const confidence = mayWantPerson(assessor.assess(message), intent)
          ? Math.min(chosen.confidence, byRules.value.confidence)
          : chosen.confidence;
        const byModel = chosen === reply;
        const { otherIntents } = intent === byRules.value.intent ? byRules.value : {};
        return {
          value: {
            intent,
            confidence,
            concerns: found,
            ...(otherIntents === undefined ? {} : { otherIntents }),
            ...(byModel ? { byModel } : {}),
          },
          summary: summaryOf(byModel, intent, confidence),
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
  { kind, reasons }: Assessment,
  byRules: Classification,
): boolean {
  if (intent === byRules.intent) return true;
  const isSmallTalk = kind === 'thanks' || kind === 'greeting';
  if (intent === 'spam') return !isSmallTalk && reasons.length === 0;
  return intent !== 'human_agent' || !isSmallTalk;
}

/**
 * The least probability, by the rules, that a customer asks for a person: then the model cannot raise the confidence.
 */
const LEAST_WISH_FOR_PERSON = 0.15;

function mayWantPerson({ alternatives }: Assessment, intent: Classification['intent']): boolean {
  if (intent === 'human_agent') return false;
  return alternatives.some((one) => one.intent === 'human_agent' && one.confidence >= LEAST_WISH_FOR_PERSON);
}
