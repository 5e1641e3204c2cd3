import type { Context } from 'hono';
import type { KeptAnswer } from '../../../ports/storage/record-store.ts';
import type { AppEnv } from '../env.ts';
import { createResponse, type ResponseHeaders } from '../response.ts';

/** Larger bodies are not kept, in bytes. Their repeats get the record of the work. */
const MAX_KEPT_BYTES = 1_024 * 1_024;

/** A response whose body was read, and what is kept of it. */
export interface ReadAnswer {
  readonly answer: KeptAnswer;
  /** The same response, still to be sent. */
  readonly response: Response;
}

/** Reads the response that was created last, to be kept without the headers that every response has. */
export async function readAnswer(c: Context<AppEnv>, created: Response): Promise<ReadAnswer> {
  const { status } = created;
  const { body: content, headers } = c.get('content');
  if (typeof content === 'string') return { answer: keptAnswer(status, headers, content), response: created };
  if (Number(headers['Content-Length']) > MAX_KEPT_BYTES) {
    return { answer: { status, headers, body: null }, response: created };
  }
  const body = await created.text();
  return { answer: keptAnswer(status, headers, body), response: createResponse(c, body, status, headers) };
}

/** The answer of which only the status is kept, and the response, still to be sent. */
export function unkeptAnswer(response: Response): ReadAnswer {
  return { answer: { status: response.status, headers: {}, body: null }, response };
}

function keptAnswer(status: number, headers: ResponseHeaders, body: string): KeptAnswer {
  const isKept = body.length <= MAX_KEPT_BYTES && Buffer.byteLength(body) <= MAX_KEPT_BYTES;
  return { status, headers, body: isKept ? body : null };
}

/** The response to a repeat. */
export function replayAnswer(c: Context<AppEnv>, { status, headers }: KeptAnswer, body: string): Response {
  return createResponse(c, body, status, { ...headers, 'Idempotency-Replayed': 'true' });
}
