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
      const tokens = { input: 3, output: 2 };
      const parsed = request.schema.safeParse(reply(request));
      return parsed.success
        ? { status: 'success', value: parsed.data, tokens }
        : { status: 'error', reason: 'bad_reply', tokens };
    },
  };
}
