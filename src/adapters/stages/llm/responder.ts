import { z } from 'zod';
import { MAX_REPLY_LENGTH } from '../../../domain/message/stage-contract.ts';
import type { ResponseInput, Stages } from '../../../ports/stages.ts';
import type { Assessor } from '../assessor.ts';
import type { LlmStageParts } from './decide.ts';
import { isSafeReply, plainReply } from './guard/reply-guard.ts';
import { withConversation } from './history.ts';
import { isForModel, promptMessage, truncateOutputs } from './prompt-data.ts';
import { responderPrompt } from './prompts.ts';

const schema = z.strictObject({ reply: z.string() });

/**
 * The responder stage with the model, which writes the reply from the tool outputs. The rules write every reply that is
 * not an answer from tool outputs, and the one that is sent when the model's cannot be (see {@link isSafeReply}).
 */
export function createLlmRespond({ askModel, assessor, rules }: LlmStageParts): Stages['respond'] {
  return async (input, context) => {
    const byRules = await rules.respond(input, context);
    if (!isAnswerFromTools(input, assessor)) return byRules;
    const answers = input.outcomes.filter(({ output }) => output !== null);
    const instructions = withConversation(responderPrompt, input.message);
    const outputs = answers.flatMap(({ output }) => (output === null ? [] : [output]));
    return askModel<z.output<typeof schema>, string>('responder', {
      request: {
        instructions,
        data: {
          intent: input.classification.intent,
          ...promptMessage(input.message),
          tool_outputs: truncateOutputs(answers),
        },
        schema,
        signal: context.signal,
      },
      review(written) {
        const reply = plainReply(written.reply);
        if (reply === '' || reply.length > MAX_REPLY_LENGTH) return { rejected: 'bad_reply' };
        const known = { instructions, outputs, texts: [byRules.value] };
        if (!isSafeReply(reply, known)) return { rejected: 'unsafe_reply' };
        return {
          value: reply,
          summary: 'The language model wrote the reply.',
          data: { length: reply.length },
        };
      },
      fallback: () => byRules,
    });
  };
}

/** True for a reply that is written from tool outputs alone: no fixed text, no question, and nothing that was not found. */
function isAnswerFromTools({ message, outcomes, verdict }: ResponseInput, assessor: Assessor): boolean {
  if (!isAnswer(verdict) || !isForModel(message, assessor)) return false;
  if (verdict.reasons.some((reason) => rulesReplies.has(reason))) return false;
  return (
    outcomes.some(({ output }) => output !== null) && !outcomes.some(({ notFound }) => notFound === true)
  );
}

/** True for a verdict with a reply of content, which a person may have to see first. */
function isAnswer({ disposition, escalated }: ResponseInput['verdict']): boolean {
  return !escalated && (disposition === 'answered' || disposition === 'draft');
}

/** The reasons of the rules' verifier for which the rules write the reply. */
const rulesReplies: ReadonlySet<string> = new Set(['small_talk', 'question_asked', 'not_found']);
