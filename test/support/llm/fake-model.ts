import type { GenerationRequest, LanguageModel } from '../../../src/ports/language-model.ts';

/** What a fake model was asked. */
export type AskedRequest = Pick<GenerationRequest<unknown>, 'purpose' | 'instructions' | 'data' | 'signal'>;

/** A language model without a provider. */
export interface FakeModel {
  readonly ask: LanguageModel;
  readonly requests: readonly AskedRequest[];
}

/**
 * A model that replies whatever it is told to: it keeps the promises of the port, which are that a value fits its
 * schema, and no others.
 */
export function obedientModel(reply: (request: AskedRequest) => unknown): FakeModel {
  const requests: AskedRequest[] = [];
  return {
    requests,
    async ask(request) {
      requests.push(request);
      const tokens = { input: 3, output: 2 };
      const parsed = request.schema.safeParse(reply(request));
      return parsed.success
        ? { status: 'success', value: parsed.data, tokens }
        : { status: 'error', reason: 'bad_reply', tokens };
    },
  };
}
