import { z } from 'zod';
import type { Verdict } from '../../../domain/message/message.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Decide } from './decide.ts';
import { forPrompt, outputsForPrompt } from './prompt-data.ts';
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
          const summary = 'Not escalated: neither the rules nor the language model see a need for a person.';
          return { value: byRules.value, summary, data: byRules.data };
        }
        const named = reasonNames.filter((name) => reasons.includes(name));
        const found = named.length === 0 ? (['doubtful'] as const) : named;
        const explanations = found.map((name) => escalationReasons[name]);
        return {
          value: { escalated: true, reasons: found },
          summary: `Escalated by the language model: ${explanations.join('; ')}.`,
          data: { ...byRules.data, escalated: true, reasons: found, explanations },
        };
      },
      byRules: () => byRules,
    });
  };
}
