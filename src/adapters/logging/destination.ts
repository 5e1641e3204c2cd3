import { fstatSync, writeSync } from 'node:fs';

/** Where lines go. No member throws or waits for a reader. */
export interface LogDestination {
  /** Takes one line, its line feed included. */
  write(line: string): void;
  /** Settles once everything taken was handed to the system, or after a second where nobody reads. Never rejects. */
  flush(): Promise<void>;
}

/** Characters that wait at most for the end of the turn of the event loop. */
const BATCH = 64 * 1_024;

/** Bytes that wait at most for a reader that does not read; beyond, lines are dropped and counted. */
const MAX_WAITING = 8 * 1_024 * 1_024;

const FLUSH_MS = 1_000;

const STDOUT = 1;

let stdout: LogDestination | undefined;

/**
 * The process's standard output. Lines of one turn of the event loop are written together, without waiting for the
 * reader of a pipe; what the process still holds at its exit is written then. Lines that cannot be written are
 * dropped, and their number is told in a line of its own as soon as one can be.
 */
export function stdoutDestination(): LogDestination {
  stdout ??= batched(isPipe(STDOUT) ? pipeWriter() : fileWriter());
  return stdout;
}

/** Hands a text to the system. */
interface Writer {
  /** False when the text was dropped. */
  write(text: string): boolean;
  /** Waits until nothing is left that the system did not take. */
  drained(): Promise<void>;
}

function batched(writer: Writer): LogDestination {
  let batch = '';
  let lines = 0;
  let dropped = 0;
  let scheduled = false;
  const drain = (): void => {
    scheduled = false;
    if (batch === '') return;
    const text = dropped === 0 ? batch : droppedLine(dropped) + batch;
    dropped = writer.write(text) ? 0 : dropped + lines;
    batch = '';
    lines = 0;
  };
  process.on('exit', drain);
  return {
    write(line) {
      batch += line;
      lines += 1;
      if (batch.length >= BATCH) drain();
      else if (!scheduled) {
        scheduled = true;
        setImmediate(drain);
      }
    },
    flush() {
      drain();
      return writer.drained();
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

/**
 * A pipe, written to without blocking: a blocking write, in whichever thread, would hold the process up at its exit
 * for as long as nobody reads.
 */
function pipeWriter(): Writer {
  const stream = process.stdout;
  let broken = false;
  stream.on('error', () => {
    broken = true;
  });
  return {
    write(text) {
      if (broken || stream.writableLength > MAX_WAITING) return false;
      stream.write(text);
      return true;
    },
    drained() {
      if (broken || stream.writableLength === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, FLUSH_MS);
        stream.write('', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}

/** A file or a terminal, whose writes do not wait for anybody. A full disk costs the lines of its time only. */
function fileWriter(): Writer {
  let torn = false;
  return {
    write(text) {
      const bytes = Buffer.from(torn ? `\n${text}` : text);
      let written = 0;
      try {
        while (written < bytes.length) written += writeSync(STDOUT, bytes, written);
        torn = false;
        return true;
      } catch {
        torn ||= written > 0;
        return false;
      }
    },
    drained: () => Promise.resolve(),
  };
}
