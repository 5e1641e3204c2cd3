import { z } from 'zod';
import type { Verdict } from '../../../domain/message/message.ts';
import type { Stages, VerificationInput } from '../../../ports/stages.ts';
import type { Assessor } from '../assessor.ts';
import type { LlmStageParts } from './decide.ts';
import { withConversation } from './history.ts';
import { isForModel, promptMessage, truncateOutputs } from './prompt-data.ts';
import { escalationReasons, type replyKinds, verifierPrompt } from './prompts.ts';

type EscalationReason = keyof typeof escalationReasons;

const reasonNames = Object.keys(escalationReasons) as EscalationReason[];

/** The reasons are a closed set, so that no text of a customer gets into a trace as a reason. */
const schema = z.strictObject({ escalate: z.boolean(), reasons: z.array(z.enum(reasonNames)) });

/**
 * The verifier stage with the model. The rules decide first. The model can only add an escalation: it is not asked about
 * what the rules escalate or do not answer, nor about thanks and greetings.
 */
export function createLlmVerify({ askModel, assessor, rules }: LlmStageParts): Stages['verify'] {
  return async (input, context) => {
    const byRules = await rules.verify(input, context);
    if (!canEscalate(byRules.value, input, assessor)) return byRules;
    return askModel<z.output<typeof schema>, Verdict>('verifier', {
      request: {
        instructions: withConversation(verifierPrompt, input.message),
        data: {
          intent: input.classification.intent,
          ...promptMessage(input.message),
          reply: replyKind(byRules.value, input),
          tool_outputs: truncateOutputs(input.outcomes),
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
        const disposition = 'escalated' as const;
        return {
          value: { escalated: true, reasons: found, disposition, concerns: byRules.value.concerns ?? [] },
          summary: `Escalated by the language model: ${explanations.join('; ')}.`,
          data: { ...byRules.data, escalated: true, disposition, reasons: found, explanations },
        };
      },
      fallback: () => byRules,
    });
  };
}

function canEscalate(
  { escalated, disposition, reasons }: Verdict,
  { message }: VerificationInput,
  assessor: Assessor,
): boolean {
  if (escalated || disposition === 'no_reply') return false;
  return isForModel(message, assessor) && !reasons.includes('small_talk');
}

function replyKind({ reasons }: Verdict, { outcomes }: VerificationInput): keyof typeof replyKinds {
  if (outcomes.some(({ notFound }) => notFound === true)) return 'not_found';
  if (reasons.includes('question_asked')) return 'question';
  return outcomes.some(({ output }) => output !== null) ? 'tool_outputs' : 'fixed_text';
}
