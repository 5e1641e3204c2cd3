import { z } from 'zod';
import type { Verdict } from '../../../domain/message/message.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { AskModel } from './decide.ts';
import { truncateMessage, truncateOutputs } from './prompt-data.ts';
import { escalationReasons, verifierPrompt } from './prompts.ts';

type EscalationReason = keyof typeof escalationReasons;

const reasonNames = Object.keys(escalationReasons) as EscalationReason[];

/** The reasons are a closed set, so that no text of a customer gets into a trace as a reason. */
const schema = z.strictObject({ escalate: z.boolean(), reasons: z.array(z.enum(reasonNames)) });

/**
 * The verifier stage with the model. The rules decide first, and the model is not asked about what they escalate: it
 * can only add escalations.
 */
export function createLlmVerify(askModel: AskModel, rules: Stages): Stages['verify'] {
  return async (input, context) => {
    const byRules = await rules.verify(input, context);
    if (byRules.value.escalated) return byRules;
    const { classification, message, outcomes } = input;
    return askModel<z.output<typeof schema>, Verdict>('verifier', {
      request: {
        instructions: verifierPrompt,
        data: {
          intent: classification.intent,
          message: truncateMessage(message.message),
          tool_outputs: truncateOutputs(outcomes),
        },
        schema,
        signal: context.signal,
      },
      review({ escalate, reasons }) {
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
      fallback: () => byRules,
    });
  };
}
