import type { Context } from 'hono';
import { unavailable } from '../../../domain/errors.ts';
import type { SubjectEvent } from '../../../domain/subject-event.ts';
import type { Awaitable } from '../../../lib/async/awaitable.ts';
import { onAbort } from '../../../lib/async/on-abort.ts';
import { sleep } from '../../../lib/async/sleep.ts';
import { systemClock } from '../../shared/system.ts';
import type { AppEnv } from '../env.ts';
import type { HttpMetrics } from '../options.ts';
import { createResponse } from '../response.ts';
import { toEventResponse } from './event-schemas.ts';

/** A log of events, as frames of streams. */
export interface StreamLog {
  /** The position of what is newest now. */
  position(): number;
  /** Reads what comes after a position. Undefined when there is nothing yet. */
  read(after: number): Awaitable<(() => Chunk) | undefined>;
  /** Resolves once there may be something after the position, or `signal` is aborted. */
  changed(after: number, signal: AbortSignal): Promise<void>;
  /** Called once when nobody reads any more. */
  close(): void;
}

/** The events after a position, as streams send them. */
export interface Chunk {
  /** The position of the last of them, whether it is sent or left out. */
  readonly position: number;
  /** The number of those that are sent. */
  readonly events: number;
  /** Frames of server-sent events. */
  readonly frames: string;
  /** True when nothing comes after them. */
  readonly isLast: boolean;
}

/** The open event streams of the app. */
export interface EventStreams {
  /** Aborted when the service shuts down. */
  readonly shutdown: AbortSignal;
  /**
   * Responds with a stream of what comes after a position, or with what comes from now on where it is undefined.
   * Streams of one key share the work of reading; the first of them opens the log. Throws `unavailable` when too many
   * streams are open, or the service shuts down.
   */
  respond(
    c: Context<AppEnv>,
    log: { readonly key: string; open(): StreamLog },
    after: number | undefined,
  ): Response;
}

/** Options of {@link createEventStreams}. */
export interface EventStreamsOptions {
  /** Maximum number of open streams. */
  readonly maxStreams: number;
  /** Ends all streams and waits when it is aborted. */
  readonly shutdown: AbortSignal;
  readonly metrics: Pick<HttpMetrics, 'eventStreams' | 'eventsSent' | 'eventStreamRejected'>;
  /** A comment is sent when nothing else was sent for so many milliseconds. Default: 15 seconds. */
  readonly commentAfterMs?: number;
  /** A stream whose client takes nothing for so many milliseconds is closed. Default: a minute. */
  readonly stalledAfterMs?: number;
}

/** Milliseconds between two checks of all streams. */
const CHECK_EVERY_MS = 500;

/** Milliseconds that clients have at a shutdown to take what was sent. */
const SHUTDOWN_MS = 500;

const RETRY_AFTER_SECONDS = 5;

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  Vary: 'Accept',
};

/** Creates the registry of the event streams of an app. There is a timer only while streams are open. */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { maxStreams, shutdown, metrics, commentAfterMs = 15_000, stalledAfterMs = 60_000 } = options;
  const readers = createReaders();
  const streams = new Set<EventStream>();
  let isChecking = false;

  function checkAll(): void {
    for (const stream of streams) {
      const silentMs = performance.now() - stream.sentAt;
      if (!stream.isPending && silentMs >= commentAfterMs) stream.send(COMMENT_FRAME);
      else if (stream.isPending && silentMs >= stalledAfterMs) stream.disconnect();
    }
    isChecking = streams.size > 0;
    if (isChecking) systemClock.after(CHECK_EVERY_MS, checkAll);
  }

  onAbort(shutdown, () => {
    const ended = [...streams];
    for (const stream of ended) stream.end();
    if (ended.length === 0) return;
    systemClock.after(SHUTDOWN_MS, () => {
      for (const stream of ended) if (stream.isPending) stream.disconnect();
    });
  });

  return {
    shutdown,
    respond(c, { key, open }, after) {
      if (shutdown.aborted) throw unavailable('the service is shutting down', RETRY_AFTER_SECONDS);
      if (streams.size >= maxStreams) {
        metrics.eventStreamRejected();
        throw unavailable(`the limit of ${maxStreams} event streams is reached`, RETRY_AFTER_SECONDS);
      }
      if (c.req.method === 'HEAD') return createResponse(c, null, 200, streamHeaders);
      const reader = readers.join(key, open);
      const stream = createEventStream(c, reader, after, {
        onSent: (events) => metrics.eventsSent(events),
        onEnd() {
          streams.delete(stream);
          reader.leave();
          metrics.eventStreams(streams.size);
        },
      });
      streams.add(stream);
      metrics.eventStreams(streams.size);
      if (!isChecking) systemClock.after(CHECK_EVERY_MS, checkAll);
      isChecking = true;
      return createResponse(c, stream.body, 200, streamHeaders);
    },
  };
}

/** An event as a frame. JSON has no line breaks, so that the data are one line. */
export function plainFrame(event: SubjectEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(toEventResponse(event))}\n\n`;
}

/** Sent first: milliseconds after which a client connects again. */
const RETRY_FRAME = Buffer.from('retry: 2000\n\n');

/** Sent when nothing else was sent for a while, so that proxies keep the connection open. */
const COMMENT_FRAME = Buffer.from(': still here\n\n');

/** A response body of events. It reads on only when the client has taken what was sent. */
interface EventStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** True when something was sent that the client has not taken yet. */
  readonly isPending: boolean;
  /** The time at which something was sent last. */
  readonly sentAt: number;
  send(bytes: Uint8Array<ArrayBuffer>): void;
  /** Ends the stream after what was sent. Ignored when it has ended. */
  end(): void;
  /** Ends the stream, and closes the connection of a client that takes nothing. */
  disconnect(): void;
}

/** Creates the stream of one client. `onEnd` is called once, for whatever reason it ends. */
function createEventStream(
  c: Context<AppEnv>,
  reader: LogReader,
  after: number | undefined,
  { onSent, onEnd }: { onSent: (events: number) => void; onEnd: () => void },
): EventStream {
  let position = after ?? reader.position();
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  let sentAt = performance.now();
  let hasStarted = false;
  let isTaken = false;
  let isReading = false;
  let hasEnded = false;
  const unlisten = onClientGone(c, disconnect);

  function send(bytes: Uint8Array<ArrayBuffer>): void {
    sentAt = performance.now();
    isTaken = false;
    controller?.enqueue(bytes);
  }

  /** Sends the next events, and ends the stream after the last ones and where the log cannot be read. */
  async function readOn(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      for (;;) {
        const chunk = await reader.next(position);
        if (hasEnded || chunk === undefined) return;
        position = chunk.position;
        if (chunk.bytes.length === 0 && !chunk.isLast) continue;
        isReading = false;
        if (chunk.bytes.length > 0) {
          onSent(chunk.events);
          send(chunk.bytes);
        }
        if (chunk.isLast) end();
        return;
      }
    } catch {
      end();
    }
  }

  function release(): boolean {
    if (hasEnded) return false;
    hasEnded = true;
    unlisten();
    onEnd();
    return true;
  }

  function end(): void {
    if (release()) controller?.close();
  }

  function disconnect(): void {
    end();
    const outgoing = c.env?.outgoing;
    if (outgoing?.writableFinished === false) outgoing.destroy();
  }

  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(started) {
        controller = started;
      },
      pull() {
        isTaken = true;
        if (hasStarted) void readOn();
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
    get sentAt() {
      return sentAt;
    },
    send,
    end,
    disconnect,
  };
}

/**
 * Calls `callback` when the client has closed its connection, unless the returned function is called before. The
 * listener lets clients half-close their connections, and so a closed one shows only at the next write; but nobody
 * closes a connection while it waits for events. Does nothing without a request of Node.
 */
export function onClientGone(c: Context<AppEnv>, callback: () => void): () => void {
  const { incoming, outgoing } = c.env ?? {};
  const socket = incoming?.socket;
  if (outgoing === undefined || socket?.once === undefined) return () => undefined;
  socket.once('end', callback);
  outgoing.once('close', callback);
  return () => {
    socket.off('end', callback);
    outgoing.off('close', callback);
  };
}

/** Reads a log for all streams of one key: those at the same position share the reading and the encoding. */
interface LogReader {
  position(): number;
  /** The chunk after a position, once there is something. Undefined when all streams have left. */
  next(after: number): Promise<EncodedChunk | undefined>;
  /** Must be called once by each stream that has joined. The last one closes the log. */
  leave(): void;
}

type EncodedChunk = Omit<Chunk, 'frames'> & { readonly bytes: Uint8Array<ArrayBuffer> };

/** Milliseconds until a log that has changed without having anything new is read again. */
const RECHECK_MS = 100;

/** Creates the readers of an app's logs, which share one pace. */
function createReaders(): { join(key: string, open: () => StreamLog): LogReader } {
  const pacer = createPacer();
  const readers = new Map<string, LogReader & { join(): void }>();

  function createReader(key: string, log: StreamLog): LogReader & { join(): void } {
    const closing = new AbortController();
    const reading = new Map<number, Promise<EncodedChunk | undefined>>();
    /** The newest chunk with events: for streams that had not yet sent the one before. */
    let newest: { readonly after: number; readonly chunk: EncodedChunk } | undefined;
    let streams = 0;

    async function read(after: number): Promise<EncodedChunk | undefined> {
      for (let reads = 0; ; reads++) {
        if (reads > 1) await sleep(systemClock, RECHECK_MS, closing.signal);
        if (reads > 0) await log.changed(after, closing.signal);
        await pacer.turn();
        if (closing.signal.aborted) return undefined;
        const encode = await log.read(after);
        if (encode !== undefined) return encodeChunk(after, encode);
      }
    }

    function encodeChunk(after: number, encode: () => Chunk): EncodedChunk {
      const startedAt = performance.now();
      const { frames, ...rest } = encode();
      const chunk = { ...rest, bytes: Buffer.from(frames) };
      if (chunk.events > 0) newest = { after, chunk };
      // The chunk is written to the sockets in the microtasks that follow.
      setImmediate(() => pacer.spent(performance.now() - startedAt));
      return chunk;
    }

    return {
      position: () => log.position(),
      async next(after) {
        if (newest?.after === after) return newest.chunk;
        let next = reading.get(after);
        if (next === undefined) {
          next = read(after).finally(() => reading.delete(after));
          reading.set(after, next);
        }
        return next;
      },
      join() {
        streams += 1;
      },
      leave() {
        streams -= 1;
        if (streams > 0) return;
        readers.delete(key);
        closing.abort();
        log.close();
      },
    };
  }

  return {
    join(key, open) {
      const reader = readers.get(key) ?? createReader(key, open());
      readers.set(key, reader);
      reader.join();
      return reader;
    },
  };
}

/** A turn is followed by a wait of this many times its duration: streams take at most 5 % of the processor's time. */
const WAIT_FACTOR = 19;

/** The longest wait in milliseconds: readers get an event within a second. */
const MAX_WAIT_MS = 600;

/**
 * Limits the part of the processor's time that event streams take. `turn` resolves when the next events may be sent: at
 * once after a pause, else for all who wait at the same time. `spent` is called after sending, with its milliseconds.
 */
function createPacer() {
  let nextAt = 0;
  let next: Promise<void> | undefined;
  return {
    turn(): Promise<void> {
      const waitMs = nextAt - performance.now();
      if (next === undefined && waitMs < 1) return Promise.resolve();
      next ??= sleep(systemClock, waitMs).then(() => {
        next = undefined;
      });
      return next;
    },
    spent(milliseconds: number): void {
      const waitMs = Math.min(milliseconds * WAIT_FACTOR, MAX_WAIT_MS);
      nextAt = Math.max(nextAt, performance.now() + waitMs);
    },
  };
}
