import { z } from 'zod';
import type { Verdict } from '../../domain/message.ts';
import type { Stages } from '../../ports/stages.ts';
import type { Decide } from './llm-decide.ts';
import { forPrompt, outputsForPrompt } from './llm-text.ts';
import { escalationReasons, verifierPrompt } from './prompts.ts';

type EscalationReason = keyof typeof escalationReasons;

const reasonNames = Object.keys(escalationReasons) as EscalationReason[];

/** Reasons are words of ours: nothing that a customer talked the model into saying gets into a trace as a reason. */
const schema = z.strictObject({ escalate: z.boolean(), reasons: z.array(z.enum(reasonNames)) });

/**
 * Verification by the model on top of the rules. The rules always decide first: what they escalate is escalated,
 * and the model is not asked. It can only add an escalation to theirs.
 */
export function createLlmVerify(decide: Decide, rules: Stages): Stages['verify'] {
  return async (input, context) => {
    const byRules = await rules.verify(input, context);
    if (byRules.value.escalated) return byRules;
    const { classification, message, outcomes } = input;
    return decide<z.output<typeof schema>, Verdict>('verifier', {
      request: {
        instructions: verifierPrompt,
        data: {
          intent: classification.intent,
          message: forPrompt(message.message),
          tool_outputs: outputsForPrompt(outcomes),
        },
        schema,
        signal: context.signal,
      },
      judge({ escalate, reasons }) {
        if (!escalate) {
          const summary = 'The language model sees no need for a person, and neither do the rules.';
          return { value: byRules.value, summary, data: byRules.data };
        }
        const named = reasonNames.filter((name) => reasons.includes(name));
        const sentences = named.map((name) => escalationReasons[name]);
        const told = sentences.length === 0 ? ['the language model asks for a person'] : sentences;
        return {
          value: { escalated: true, reasons: told },
          summary: `The language model hands the message to a person: ${told.join('; ')}.`,
          data: { reasons: named },
        };
      },
      byRules: () => byRules,
    });
  };
}
