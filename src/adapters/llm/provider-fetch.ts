import type { Clock } from '../../ports/clock.ts';
import { type Complaint, complaintOf } from './complaint.ts';
import { errorOfBrokenReply, errorOfConnection, errorOfReply, ProviderError } from './provider-error.ts';

/** Maximum size of a reply of a language model after decompression, in bytes. */
const MAX_REPLY_BYTES = 1_024 * 1_024;

/** The most that is read of an error, in bytes. */
const MAX_ERROR_BYTES = 64 * 1_024;

/**
 * Creates the `fetch` that calls providers. Resolves only for a complete reply of status 200 to 299 and at most
 * `maxReplyBytes`, 1 MiB when absent; else rejects with a {@link ProviderError}, so that no text of a failing
 * provider reaches the SDK's errors. Does not follow redirects, because the key belongs to one address. `headers` are
 * added to each request.
 */
export function createProviderFetch(
  clock: Clock,
  headers: () => Readonly<Record<string, string>>,
  maxReplyBytes = MAX_REPLY_BYTES,
): typeof fetch {
  return async (input, init) => {
    const requestHeaders = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers())) requestHeaders.set(name, value);
    const response = await connect(input, { ...init, headers: requestHeaders, redirect: 'manual' });
    if (!response.ok) {
      const { status, headers: sent } = response;
      const complaint = await readComplaint(response);
      throw errorOfReply({ status, retryAfter: sent.get('retry-after'), complaint }, clock.now());
    }
    return new Response(await readText(response, maxReplyBytes), {
      headers: { 'content-type': 'application/json' },
    });
  };
}

async function connect(input: string | URL | Request, init: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (error) {
    throw errorOfConnection(error);
  }
}

/** The complaint of a reply with an error. Only those that refuse the request itself are read. */
async function readComplaint(response: Response): Promise<Complaint | undefined> {
  try {
    if (response.status !== 400 && response.status !== 422) return undefined;
    return complaintOf(await readText(response, MAX_ERROR_BYTES));
  } catch {
    return undefined;
  } finally {
    await cancelBody(response);
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await readChunk(reader);
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw new ProviderError('too_large', { status: response.status });
    }
    text += decoder.decode(value, { stream: true });
  }
}

async function readChunk(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (error) {
    throw errorOfBrokenReply(error);
  }
}

/** Cancels a reply without reading it, which closes its connection. Never rejects. */
export async function cancelBody(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}
