// The typed client of the package, and how the demonstration reads its replies.

import { type Client, createClient } from '../../src/entries/client.ts';

export { type Client, createClient };

interface Reply {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  json(): Promise<unknown>;
}

/** The body of a reply of 2xx. */
type Body<R extends Reply> = Awaited<ReturnType<Extract<R, { readonly ok: true }>['json']>>;

/** The body of a reply; rejects with the text of the service when it is an error. */
export async function bodyOf<R extends Reply>(asked: Promise<R>): Promise<Body<R>> {
  const reply = await asked;
  const body = await reply.json();
  if (!reply.ok) throw new Error(`${reply.url} was answered with ${reply.status}: ${JSON.stringify(body)}`);
  return body as Body<R>;
}

/** A definition of a workflow, as `POST /workflows` takes it. */
export type Definition = Parameters<Client['workflows']['$post']>[0]['json'];

/** A message, as `POST /messages` takes it. */
export type Message = Parameters<Client['messages']['$post']>[0]['json'];

/** The input of a run. */
export type RunInput = NonNullable<
  Parameters<Client['workflows'][':id']['run']['$post']>[0]['json']['input']
>;

/**
 * Reads a reply to its end, whatever its status is: a visitor may have been quicker, which is answered 404, 409 or 412.
 */
export async function tried(asked: Promise<{ text(): Promise<string> }>): Promise<void> {
  await (await asked).text();
}
