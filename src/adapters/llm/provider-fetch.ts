import type { Clock } from '../../ports/clock.ts';
import { faultOfConnection, faultOfStatus, ProviderFault } from './provider-error.ts';

/** The most bytes of a reply that are read. */
const MAX_REPLY_BYTES = 1_024 * 1_024;

/**
 * A `fetch` for talking to a provider, in whose place the SDK uses it. It hands on whole replies only, of status
 * 200 to 299 and at most 1 MiB after decompression; everything else is a `ProviderFault`, so that no text of a
 * failing provider goes any further. Redirects are not followed: the key belongs to one address. `headers` are
 * added to each request.
 */
export function createProviderFetch(
  clock: Clock,
  headers: () => Readonly<Record<string, string>>,
): typeof fetch {
  return async (input, init) => {
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers())) sent.set(name, value);
    const response = await connect(input, { ...init, headers: sent, redirect: 'manual' });
    if (!response.ok) {
      await discard(response);
      throw faultOfStatus(response.status, response.headers.get('retry-after'), clock.now());
    }
    return new Response(await readWhole(response), { headers: { 'content-type': 'application/json' } });
  };
}

async function connect(input: string | URL | Request, init: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (error) {
    throw faultOfConnection(error);
  }
}

async function readWhole(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await readNext(reader);
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_REPLY_BYTES) {
      await reader.cancel().catch(ignore);
      throw new ProviderFault('too_large', { status: response.status });
    }
    text += decoder.decode(value, { stream: true });
  }
}

async function readNext(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (error) {
    throw faultOfConnection(error);
  }
}

/** Gives a reply up unread, which closes its connection. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(ignore);
}

/** What goes wrong with a reply that is given up is of no interest. */
function ignore(): void {}
