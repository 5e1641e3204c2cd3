import { fstatSync, writeSync } from 'node:fs';

/** Where lines are written. No member throws or waits for a reader. */
export interface LogDestination {
  /** Writes one line, which ends with a line feed. */
  write(line: string): void;
  /** Resolves when all lines are written, or after one second if nothing reads them. Never rejects. */
  flush(): Promise<void>;
}

/** Characters after which a batch is written before the turn of the event loop ends. */
const MAX_BATCH = 64 * 1_024;

/** Bytes buffered for a slow reader; more lines are dropped and counted. */
const MAX_BUFFERED = 8 * 1_024 * 1_024;

/** Milliseconds that a flush waits. */
const FLUSH_TIMEOUT_MS = 1_000;

const STDOUT = 1;

let stdout: LogDestination | undefined;

/**
 * Standard output. The lines of one turn of the event loop are written together, without waiting for the reader of a
 * pipe; lines still in the batch at the exit of the process are written then. Lines that cannot be written are dropped;
 * the next line that can be written is preceded by one with their number.
 */
export function stdoutDestination(): LogDestination {
  stdout ??= createDestination(isPipe(STDOUT) ? createPipeWriter() : createFileWriter());
  return stdout;
}

/** Writes to standard output. */
interface Writer {
  /** False when the text was dropped. */
  write(text: string): boolean;
  /** Resolves when nothing is buffered any more, or after {@link FLUSH_TIMEOUT_MS}. */
  flushed(): Promise<void>;
}

function createDestination(writer: Writer): LogDestination {
  let batch = '';
  let lines = 0;
  let dropped = 0;
  let scheduled = false;
  const writeBatch = (): void => {
    scheduled = false;
    if (batch === '') return;
    const text = dropped === 0 ? batch : droppedLine(dropped) + batch;
    dropped = writer.write(text) ? 0 : dropped + lines;
    batch = '';
    lines = 0;
  };
  process.on('exit', writeBatch);
  return {
    write(line) {
      batch += line;
      lines += 1;
      if (batch.length >= MAX_BATCH) writeBatch();
      else if (!scheduled) {
        scheduled = true;
        setImmediate(writeBatch);
      }
    },
    flush() {
      writeBatch();
      return writer.flushed();
    },
  };
}

function droppedLine(count: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, dropped: count, msg: 'log lines could not be written' })}\n`;
}

function isPipe(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

/** Writes to a pipe without blocking: a blocking write would prevent the exit of the process while nothing reads. */
function createPipeWriter(): Writer {
  const stream = process.stdout;
  let broken = false;
  stream.on('error', () => {
    broken = true;
  });
  return {
    write(text) {
      if (broken || stream.writableLength > MAX_BUFFERED) return false;
      stream.write(text);
      return true;
    },
    flushed() {
      if (broken || stream.writableLength === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS);
        stream.write('', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

/** Writes to a file or a terminal, which never block for a reader. While the disk is full, lines are lost. */
function createFileWriter(): Writer {
  /** The last write stopped within a line. */
  let hasPartialLine = false;
  return {
    write(text) {
      const bytes = Buffer.from(hasPartialLine ? `\n${text}` : text);
      let written = 0;
      try {
        while (written < bytes.length) written += writeSync(STDOUT, bytes, written);
        hasPartialLine = false;
        return true;
      } catch {
        hasPartialLine ||= written > 0;
        return false;
      }
    },
    flushed: () => Promise.resolve(),
  };
}
