import { createClient } from '../../src/entries/client.ts';
import { type AnyResponse, type Body, type Call, CallError, readAnswer } from './answer.ts';
import { apiBase, client } from './client.ts';
import type { PlainRequest } from './curl.ts';
import { encodeParams } from './encode-params.ts';

export { type Answered, type AnyResponse, type Body, type Call, CallError, toCallError } from './answer.ts';
export type { PlainRequest } from './curl.ts';

/** Sends a request and reads the answer. Undefined for an answer without a body. Throws {@link CallError}. */
export async function send<Answer extends AnyResponse>(call: Call<Answer>): Promise<Body<Answer>> {
  let response: Answer;
  try {
    response = await call(client);
  } catch {
    throw new CallError('The service cannot be reached.', 'away');
  }
  return readAnswer(response);
}

/** The request of a call, without sending it. */
export function requestOf(call: Call): Promise<PlainRequest> {
  return new Promise((resolve, reject) => {
    const recorder = encodeParams(
      createClient(apiBase.replace(/\/$/, ''), {
        fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
          const request = new Request(input, init);
          const { method, url } = request;
          const headers = [...request.headers];
          resolve({ method, url, headers, body: typeof init?.body === 'string' ? init.body : undefined });
          return new Response('{}', { headers: { 'Content-Type': 'application/json' } });
        },
      }),
    );
    call(recorder).catch(reject);
  });
}
