import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Decision, Handover, ToolCall, ToolOutcome } from '../../../domain/message/message.ts';
import { MAX_REPLY_LENGTH } from '../../../domain/message/stage-contract.ts';
import type { ResponseInput, StageContext, Stages } from '../../../ports/stages.ts';
import type { Assessor } from '../assessor.ts';
import { reasons } from '../reasons.ts';
import { articleTexts } from '../tool-answers.ts';
import type { LlmStageParts } from './decide.ts';
import { isSafeReply, plainReply } from './guard/reply-guard.ts';
import { withConversation } from './history.ts';
import { isForModel, promptMessage, truncateOutputs } from './prompt-data.ts';
import { responderPrompt } from './prompts.ts';

const schema = z.strictObject({ reply: z.string() });

/**
 * The responder stage with the model, which writes the reply from the tool outputs. The rules write every reply that is
 * not an answer from tool outputs. Where the model's reply cannot be sent (see {@link isSafeReply}) they write it only
 * if they would answer the same intent from the same sources; else a person takes over.
 */
export function createLlmRespond(parts: LlmStageParts): Stages['respond'] {
  const { askModel, assessor, rules } = parts;
  return async (input, context) => {
    const byRules = await rules.respond(input, context);
    if (!isAnswerFromTools(input, assessor) || typeof byRules.value !== 'string') return byRules;
    const answers = input.outcomes.filter(({ output }) => output !== null);
    const instructions = withConversation(responderPrompt, input.message);
    const outputs = answers.flatMap(({ output }) => (output === null ? [] : [output]));
    const texts = [byRules.value, ...articleTexts(answers.filter(isOfPlaybook(assessor)))];
    return askModel<z.output<typeof schema>, string | Handover>('responder', {
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
        if (!isSafeReply(reply, { instructions, outputs, texts })) return { rejected: 'unsafe_reply' };
        return {
          value: reply,
          summary: 'The language model wrote the reply.',
          data: { length: reply.length },
        };
      },
      fallback: () => respondByRules(input, parts, context),
    });
  };
}

/** The reply of the rules where their own plan answers the same intent from the same sources, else a hand-over. */
async function respondByRules(
  input: ResponseInput,
  { rules }: LlmStageParts,
  context: StageContext,
): Promise<Decision<string | Handover>> {
  const { message, classification } = input;
  const { value: own } = await rules.classify(message, context);
  if (own.intent === classification.intent) {
    const planning = { message, classification: own, hasTool: () => true };
    const { toolCalls } = (await rules.plan(planning, context)).value;
    const found = toolCalls.flatMap(
      (call) => input.outcomes.find((outcome) => isSameCall(call, outcome)) ?? [],
    );
    if (found.length === toolCalls.length) {
      const outcomes = found.length === input.outcomes.length ? input.outcomes : found;
      const { escalated } = (await rules.verify({ message, classification, outcomes }, context)).value;
      if (!escalated) return rules.respond({ ...input, outcomes }, context);
    }
  }
  const because = ['reply_missing'] as const;
  const verdict = { ...input.verdict, escalated: true, disposition: 'escalated', reasons: because } as const;
  const handover = await rules.respond({ ...input, verdict }, context);
  if (typeof handover.value !== 'string') return handover;
  return {
    ...handover,
    value: { reply: handover.value, reasons: because },
    summary: `Escalated: ${reasons.reply_missing}.`,
    data: { ...handover.data, reasons: because },
  };
}

/** True for an outcome of this very call: the order of the members of its input does not count. */
function isSameCall({ toolName, input }: ToolCall, outcome: ToolOutcome): boolean {
  if (toolName !== outcome.toolName) return false;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(input)), JSON.parse(JSON.stringify(outcome.input)));
}

/** Finds the outcomes whose articles are texts of the company. */
function isOfPlaybook({ playbook: { articlesTool } }: Assessor): (outcome: ToolOutcome) => boolean {
  return ({ toolName }) => toolName === articlesTool;
}

/**
 * True for a reply that is written from tool outputs alone: no fixed text, no question, and nothing that was not found.
 */
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
