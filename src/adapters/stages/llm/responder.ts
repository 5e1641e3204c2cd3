import { z } from 'zod';
import { MAX_REPLY_LENGTH } from '../../../domain/message/stage-contract.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { Decide } from './decide.ts';
import { forPrompt, outputsForPrompt } from './prompt-data.ts';
import { responderPrompt } from './prompts.ts';
import { isSafeReply, plainReply } from './reply-guard.ts';

const schema = z.strictObject({ reply: z.string() });

/**
 * The reply written by the model from what the tools brought. What goes to a person, and what no tool brought
 * anything for, gets the reply of the rules: there is nothing for a model to add. So does a message whose reply by
 * the model cannot be sent (see {@link isSafeReply}).
 */
export function createLlmRespond(decide: Decide, rules: Stages): Stages['respond'] {
  return async (input, context) => {
    const { classification, message, outcomes, verdict } = input;
    const answers = outcomes.filter(({ output }) => output !== null);
    if (verdict.escalated || answers.length === 0) return rules.respond(input, context);
    return decide<z.output<typeof schema>, string>('responder', {
      request: {
        instructions: responderPrompt,
        data: {
          intent: classification.intent,
          message: forPrompt(message.message),
          tool_outputs: outputsForPrompt(answers),
        },
        schema,
        signal: context.signal,
      },
      judge(written) {
        const reply = plainReply(written.reply);
        if (reply === '' || reply.length > MAX_REPLY_LENGTH) return { refused: 'bad_reply' };
        if (!isSafeReply(reply, responderPrompt, answers)) return { refused: 'unsafe_reply' };
        return {
          value: reply,
          summary: 'The language model wrote the reply.',
          data: { length: reply.length },
        };
      },
      byRules: () => rules.respond(input, context),
    });
  };
}
