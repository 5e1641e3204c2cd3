import { z } from 'zod';
import { MAX_REPLY_LENGTH } from '../../../domain/message/stage-contract.ts';
import type { Stages } from '../../../ports/stages.ts';
import type { AskModel } from './decide.ts';
import { truncateMessage, truncateOutputs } from './prompt-data.ts';
import { responderPrompt } from './prompts.ts';
import { isSafeReply, plainReply } from './reply-guard.ts';

const schema = z.strictObject({ reply: z.string() });

/**
 * The responder stage with the model, which writes the reply from the tool outputs. The rules write it when the message
 * is escalated, when there is no tool output, and when the model's reply cannot be sent (see {@link isSafeReply}).
 */
export function createLlmRespond(askModel: AskModel, rules: Stages): Stages['respond'] {
  return async (input, context) => {
    const { classification, message, outcomes, verdict } = input;
    const answers = outcomes.filter(({ output }) => output !== null);
    if (verdict.escalated || answers.length === 0) return rules.respond(input, context);
    return askModel<z.output<typeof schema>, string>('responder', {
      request: {
        instructions: responderPrompt,
        data: {
          intent: classification.intent,
          message: truncateMessage(message.message),
          tool_outputs: truncateOutputs(answers),
        },
        schema,
        signal: context.signal,
      },
      review(written) {
        const reply = plainReply(written.reply);
        if (reply === '' || reply.length > MAX_REPLY_LENGTH) return { rejected: 'bad_reply' };
        if (!isSafeReply(reply, responderPrompt, answers)) return { rejected: 'unsafe_reply' };
        return {
          value: reply,
          summary: 'The language model wrote the reply.',
          data: { length: reply.length },
        };
      },
      fallback: () => rules.respond(input, context),
    });
  };
}
