import { COMMENT_FRAME, RETRY_FRAME } from './frames.ts';
import type { Chunk, StreamHub } from './stream-hub.ts';

/** Times of an event stream, in milliseconds. */
export interface StreamTimes {
  /** A comment is sent when nothing else was sent for so long. */
  readonly commentAfterMs: number;
  /** A stream whose client takes nothing for so long is closed. */
  readonly stalledAfterMs: number;
}

/** Options of {@link createEventStream}. */
export interface EventStreamOptions {
  readonly hub: StreamHub;
  /** The position after which the stream begins. */
  readonly after: number;
  readonly times: StreamTimes;
  readonly now: () => number;
  /** Called with the number of events of each chunk. */
  readonly onSent: (events: number) => void;
  /** Called once when the stream has ended, for whatever reason. */
  readonly onEnd: () => void;
  /** Closes the connection of a client that takes nothing. */
  readonly disconnect: () => void;
}

/** A response body of events. It reads on only when the client has taken what was sent. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Sends a comment or disconnects the client when it is time to. Called about every second. */
  check(): void;
  /** Ends the stream after what was sent. Ignored when it has ended. */
  end(): void;
  /** Whether something was sent that the client has not taken yet. */
  readonly isPending: boolean;
}

/** Creates an event stream. */
export function createEventStream(options: EventStreamOptions): EventStream {
  const { hub, times, now, onSent, onEnd, disconnect } = options;
  let position = options.after;
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  let lastSentAt = now();
  let hasStarted = false;
  let isTaken = false;
  let isAsking = false;
  let hasEnded = false;
  let cancelWait = (): void => undefined;

  function send(bytes: Uint8Array<ArrayBuffer>): void {
    lastSentAt = now();
    isTaken = false;
    controller?.enqueue(bytes);
  }

  function deliver({ position: reached, events, bytes, isLast }: Chunk): void {
    isAsking = false;
    if (hasEnded) return;
    position = reached;
    if (bytes.length > 0) {
      onSent(events);
      send(bytes);
    }
    if (isLast) end();
    else if (bytes.length === 0) ask();
  }

  function ask(): void {
    if (isAsking) return;
    isAsking = true;
    cancelWait = hub.next(position, { deliver, fail: end });
  }

  function release(): boolean {
    if (hasEnded) return false;
    hasEnded = true;
    cancelWait();
    onEnd();
    return true;
  }

  function end(): void {
    if (release()) controller?.close();
  }

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(started) {
        controller = started;
      },
      pull() {
        isTaken = true;
        if (hasStarted) ask();
        else send(RETRY_FRAME);
        hasStarted = true;
      },
      cancel() {
        release();
      },
    },
    { highWaterMark: 0 },
  );

  return {
    body,
    get isPending() {
      return !isTaken;
    },
    check() {
      const silentMs = now() - lastSentAt;
      if (isTaken && silentMs >= times.commentAfterMs) send(COMMENT_FRAME);
      else if (!isTaken && silentMs >= times.stalledAfterMs) {
        end();
        disconnect();
      }
    },
    end,
  };
}
