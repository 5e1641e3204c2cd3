import type { Logger } from '../../ports/logger.ts';
import type { Call } from './call.ts';
import { ProviderError } from './provider-error.ts';
import type { Question, RawReply, RequestForm, RequestReply } from './sdk.ts';

/** Asks the provider once, and counts that in the call. Rejects as {@link RequestReply} does. */
export type Ask = (question: Question, signal: AbortSignal, call: Call) => Promise<RawReply>;

/**
 * Asks in the newest form of a request first. Where the provider says that it does not take a part of it, it is asked
 * again without that part, and the form that it took is kept for all further questions.
 */
export function createAskInForm(request: RequestReply, logger: Logger): Ask {
  let known: RequestForm = { usesMaxTokens: false, usesJsonMode: false };

  const remember = (taken: RequestForm): void => {
    const usesMaxTokens = known.usesMaxTokens || taken.usesMaxTokens;
    const usesJsonMode = known.usesJsonMode || taken.usesJsonMode;
    if (usesMaxTokens === known.usesMaxTokens && usesJsonMode === known.usesJsonMode) return;
    known = { usesMaxTokens, usesJsonMode };
    logger.info('the provider of the language model takes an older form of requests', {
      max_tokens: usesMaxTokens,
      json_mode: usesJsonMode,
    });
  };

  return async (question, signal, call) => {
    let form = known;
    for (;;) {
      try {
        const reply = await countRequest(call, () => request(question, form, signal));
        remember(form);
        return reply;
      } catch (error) {
        const older = olderForm(form, error);
        if (older === undefined) throw error;
        form = older;
      }
    }
  };
}

async function countRequest(call: Call, request: () => Promise<RawReply>): Promise<RawReply> {
  call.requests += 1;
  call.reached += 1;
  try {
    const reply = await request();
    const { input, cachedInput, output } = call.tokens;
    call.tokens = {
      input: input + reply.tokens.input,
      cachedInput: cachedInput + reply.tokens.cachedInput,
      output: output + reply.tokens.output,
    };
    call.replyModel = reply.model;
    call.finishReason = reply.finishReason;
    return reply;
  } catch (error) {
    if (error instanceof ProviderError && !error.isReached) call.reached -= 1;
    throw error;
  }
}

/** The form without what the provider complains about; undefined where that is not in it. */
function olderForm(form: RequestForm, error: unknown): RequestForm | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  if (error.complaint === 'token_limit' && !form.usesMaxTokens) return { ...form, usesMaxTokens: true };
  if (error.complaint === 'schema' && !form.usesJsonMode) return { ...form, usesJsonMode: true };
  return undefined;
}
