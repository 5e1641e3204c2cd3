import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { GenerationRequest, LanguageModel } from '../../../src/ports/language-model.ts';

/** A request to a fake model. */
export type AskedRequest = Pick<GenerationRequest<unknown>, 'purpose' | 'instructions' | 'data' | 'signal'>;

/** A language model without a provider. */
export interface FakeModel {
  readonly ask: LanguageModel;
  readonly requests: readonly AskedRequest[];
}

/**
 * A model with the replies of a function. It keeps only the promise of the port that a value matches its schema.
 */
export function obedientModel(reply: (request: AskedRequest) => unknown): FakeModel {
  const requests: AskedRequest[] = [];
  return {
    requests,
    async ask(request) {
      requests.push(request);
      const use = { tokens: { input: 3, cachedInput: 0, output: 2 }, calls: 1 };
      const parsed = request.schema.safeParse(reply(request));
      return parsed.success
        ? { status: 'success', value: parsed.data, ...use }
        : { status: 'error', reason: 'bad_reply', ...use };
    },
  };
}

/** The reply of a model to the first question about a message: nothing but its intent, and `more`. */
export function assessed(intent: string, more: JsonObject = {}): JsonObject {
  return {
    intent,
    other_intents: [],
    concerns: [],
    person: { needed: false, reason: 'none' },
    language: 'en',
    entities: {},
    missing: [],
    tool_calls: [],
    sure: 'certain',
    ...more,
  };
}

/** The replies of a model by what it is asked for; a list gives them one after the other, the last one again. */
export interface ModelReplies {
  readonly classifier?: JsonObject;
  readonly planner?: JsonObject;
  readonly second_look?: JsonObject;
  readonly responder?: JsonObject | readonly JsonObject[];
  readonly verifier?: JsonObject;
}

/** A check that finds nothing wrong with a reply. */
export const fits: JsonObject = { fits: true, unsupported: [], unanswered: [] };

/** A model with these replies; it checks every reply as one that fits. */
export function modelWith(replies: ModelReplies): FakeModel {
  const asked = new Map<string, number>();
  return obedientModel(({ purpose }) => {
    const count = asked.get(purpose) ?? 0;
    asked.set(purpose, count + 1);
    const reply = { verifier: fits, ...replies }[purpose as keyof ModelReplies];
    return Array.isArray(reply) ? reply[Math.min(count, reply.length - 1)] : reply;
  });
}
