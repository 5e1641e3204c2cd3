import type { Awaitable } from '../../../lib/async/awaitable.ts';
import type { Pacer } from './pacer.ts';

/** The events after a position, as streams send them. */
export interface Chunk {
  /** The position of the last of them, whether it is sent or left out. */
  readonly position: number;
  /** How many are sent. */
  readonly events: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether nothing comes after them. */
  readonly isLast: boolean;
}

/** What streams read. */
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

/** A stream that waits for what comes after its position. */
export interface ChunkReader {
  /** Called once with the next chunk, unless the wait is cancelled. */
  deliver(chunk: Chunk): void;
  /** Called once instead, when the log cannot be read. */
  fail(error: unknown): void;
}

/** Shares the work of reading and encoding between streams of one log that are at the same position. */
export interface StreamHub {
  /** Waits for the chunk after a position. Returns a function that cancels the wait. */
  next(after: number, reader: ChunkReader): () => void;
}

/** Streams that wait at the same position. */
interface Group {
  readonly readers: Set<ChunkReader>;
  readonly controller: AbortController;
}

/** Milliseconds until a log that has changed without having anything new is read again. */
const RECHECK_MS = 100;

/** Creates a hub. */
export function createStreamHub(
  log: StreamLog,
  { pacer, now, sleep }: { pacer: Pacer; now: () => number; sleep: (ms: number) => Promise<void> },
): StreamHub {
  const groups = new Map<number, Group>();
  /** The newest chunk with events: for streams that had not yet sent the one before. */
  let newest: { readonly after: number; readonly chunk: Chunk } | undefined;

  async function readNext(after: number, signal: AbortSignal): Promise<(() => Chunk) | undefined> {
    let isFirst = true;
    while (!signal.aborted) {
      if (isFirst) await pacer.turn();
      const encode = await log.read(after);
      if (encode !== undefined) return encode;
      if (!isFirst) await sleep(RECHECK_MS);
      await log.changed(after, signal);
      await pacer.turn();
      isFirst = false;
    }
    return undefined;
  }

  async function serve(after: number, { readers, controller }: Group): Promise<void> {
    try {
      const encode = await readNext(after, controller.signal);
      if (encode === undefined) return;
      const startedAt = now();
      const chunk = encode();
      groups.delete(after);
      if (chunk.events > 0) newest = { after, chunk };
      for (const reader of readers) reader.deliver(chunk);
      // The chunk is written to the sockets in the microtasks that follow.
      setImmediate(() => pacer.spent(now() - startedAt));
    } catch (error) {
      groups.delete(after);
      for (const reader of readers) reader.fail(error);
    }
  }

  return {
    next(after, reader) {
      if (newest?.after === after) {
        reader.deliver(newest.chunk);
        return () => undefined;
      }
      let group = groups.get(after);
      if (group === undefined) {
        group = { readers: new Set(), controller: new AbortController() };
        groups.set(after, group);
        group.readers.add(reader);
        void serve(after, group);
      } else group.readers.add(reader);
      const joined = group;
      return () => {
        joined.readers.delete(reader);
        if (joined.readers.size > 0 || groups.get(after) !== joined) return;
        groups.delete(after);
        joined.controller.abort();
      };
    },
  };
}
