import { createParser } from 'eventsource-parser';

/** A frame of an event stream. */
export interface SseFrame {
  /** The type; `message` when the frame names none. */
  readonly event: string;
  readonly data: string;
  /** The id, when the frame has one. */
  readonly id: string | undefined;
}

/** What a stream sends: frames, and the milliseconds after which a client connects again. */
export type SseItem = SseFrame | { readonly retryMs: number };

/** The longest frame in characters: the server's own events are far shorter. */
const MAX_FRAME_LENGTH = 1_048_576;

/**
 * Parses a stream of server-sent events (WHATWG HTML, section 9.2.6). A frame that the end of the stream cuts off is
 * left out. Throws where a frame is longer than 1 MiB.
 */
export async function* parseSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseItem> {
  let items: SseItem[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', data, id }) => items.push({ event, data, id }),
    onRetry: (retryMs) => items.push({ retryMs }),
    onComment: () => {
      length = 0;
    },
  });
  const decoder = new TextDecoder();
  let length = 0;
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    length += text.length;
    parser.feed(text);
    if (items.length > 0) length = 0;
    if (length > MAX_FRAME_LENGTH) throw new Error('a frame of the event stream is too long');
    yield* items;
    items = [];
  }
}
