import type { Context } from 'hono';
import { streamOf } from '../../lib/async/stream-of.ts';
import type { Logger } from '../../ports/logger.ts';
import type { AppEnv } from './env.ts';

type Chunk = Uint8Array<ArrayBuffer>;

/**
 * A body that is made while it is sent. Where its chunks end with an error, that is logged, and the connection is
 * closed in the middle of the response: nobody may take a part for the whole.
 */
export function streamedBody(
  c: Context<AppEnv>,
  chunks: AsyncIterable<Chunk>,
  logger: Logger,
): ReadableStream<Chunk> {
  return streamOf(breakOff(c, chunks, logger));
}

async function* breakOff(
  c: Context<AppEnv>,
  chunks: AsyncIterable<Chunk>,
  logger: Logger,
): AsyncGenerator<Chunk, void> {
  try {
    yield* chunks;
  } catch (error) {
    logger.warn('a response was broken off', { err: error });
    const outgoing = c.env?.outgoing;
    if (outgoing === undefined) throw error;
    // An error of the stream would be printed, and its text sent as the end of the body.
    outgoing.destroy();
  }
}
