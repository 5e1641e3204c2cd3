import { HttpError } from '../errors.ts';

/**
 * Bodies of at most this size, in bytes, are not counted: Node may buffer as much of a connection that nobody reads.
 */
export const UNCOUNTED_BYTES = 65_536;

/** The bytes of larger bodies that are held until their ends have arrived, over all connections of the process. */
const MAX_BYTES = 128 * 1_024 * 1_024;

/** The error for a body that is larger than `maxBytes`. */
export function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `body: must be at most ${maxBytes} bytes`);
}

/** A body of which a part has arrived. */
interface UnderWay {
  /** Where it is kept: the room doubles when it is full, so that many small chunks cost no more than their bytes. */
  room: Buffer;
  /** Ends the wait for the next chunk. */
  refuse: (error: HttpError) => void;
}

/** In the order of their last arrivals. */
const underWay = new Set<UnderWay>();
let total = 0;

/**
 * Reads a body in chunks. Rejects with 413 above `maxBytes`. While the bodies under way take too many bytes together,
 * the one of which nothing has arrived for longest is refused with 503: a slow client loses its own body, and keeps no
 * other client from sending.
 */
export async function readBounded(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const own: UnderWay = { room: Buffer.alloc(0), refuse: () => undefined };
  const reader = body.getReader();
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await nextChunk(reader, own);
      if (done) return own.room.subarray(0, length);
      const end = length + value.byteLength;
      if (end > maxBytes) throw tooLarge(maxBytes);
      makeRoom(own, end, maxBytes);
      own.room.set(value, length);
      length = end;
    }
  } finally {
    remove(own);
  }
}

function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, own: UnderWay) {
  return new Promise<Awaited<ReturnType<typeof reader.read>>>((resolve, reject) => {
    own.refuse = reject;
    reader.read().then(resolve, reject);
  });
}

/**
 * Makes room for `bytes`, and lets bodies go that nothing arrives of. Throws where it is the body itself that has to.
 */
function makeRoom(own: UnderWay, bytes: number, maxBytes: number): void {
  remove(own);
  if (bytes > own.room.length) {
    const room = Buffer.alloc(Math.min(Math.max(bytes, 2 * own.room.length, UNCOUNTED_BYTES), maxBytes));
    room.set(own.room);
    own.room = room;
  }
  underWay.add(own);
  total += own.room.length;
  for (const slowest of underWay) {
    if (total <= MAX_BYTES) return;
    remove(slowest);
    const headers = { 'Retry-After': '1' };
    const error = new HttpError(503, 'body: the bodies under way are too many bytes', { headers });
    if (slowest === own) throw error;
    slowest.refuse(error);
  }
}

function remove(body: UnderWay): void {
  if (underWay.delete(body)) total -= body.room.length;
}
