import { AsyncLocalStorage } from 'node:async_hooks';
import { isoTime } from '../../lib/text/time.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';
import { type LogDestination, stdoutDestination } from './destination.ts';
import { createLineFinisher } from './finish-line.ts';
import { type LogLevel, levelWeights } from './levels.ts';
import { MAX_TEXT, type PlainFields, plainFields } from './plain-fields.ts';

/** What a logger writes, and where. */
export interface LoggerOptions {
  /** Lines below this level are not written; `silent` writes none. */
  readonly level: LogLevel;
  /** Standard output unless told otherwise. */
  readonly destination?: LogDestination;
  /** Fields that every line bears. */
  readonly base?: LogFields;
  /** Texts that no line may show, such as keys and passwords; those of less than six characters are not looked for. */
  readonly secrets?: readonly string[];
}

/** The logger of a process. */
export interface ServiceLogger extends Logger {
  /** Whether a line of that level would be written. */
  isEnabled(level: LogLevel): boolean;
  /** Settles once all lines are handed to the system. Never rejects, and takes a second at most. */
  flush(): Promise<void>;
}

const none: PlainFields = {};

/**
 * Structured logs, one JSON object a line: `level` as a word, `time` in ISO 8601 UTC, the fields bound and given,
 * `msg`. Whatever is logged, the line stays one line of bounded size and no member throws; a destination that
 * cannot be written to costs lines only.
 */
export function createLogger(options: LoggerOptions): ServiceLogger {
  const destination = options.destination ?? stdoutDestination();
  const finish = createLineFinisher(options.secrets ?? []);
  const bound = new AsyncLocalStorage<PlainFields>();
  const base = options.base === undefined ? none : plainFields(options.base);
  const threshold = levelWeights[options.level];
  const logAt = (level: 'debug' | 'info' | 'warn' | 'error') => {
    if (levelWeights[level] < threshold) return () => {};
    return (message: string, fields?: LogFields): void => {
      try {
        const under = bound.getStore() ?? base;
        const text = typeof message === 'string' ? message : String(message);
        const plain = fields == null ? under : plainFields(fields, under);
        destination.write(finish(lineOf(level, plain, truncate(text, MAX_TEXT))));
      } catch {
        // A line that cannot be written must not harm what it speaks of.
      }
    };
  };

  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    bind: (fields, work) => bound.run(plainFields(fields, bound.getStore() ?? base), work),
    isEnabled: (level) => levelWeights[level] >= threshold && level !== 'silent',
    flush: () => destination.flush(),
  };
}

/** A line as JSON. Plain fields never bear the names that every line bears. */
function lineOf(level: LogLevel, fields: PlainFields, message: string): string {
  const members = JSON.stringify(fields).slice(1, -1);
  const between = members === '' ? '' : ',';
  const msg = JSON.stringify(message);
  return `{"level":"${level}","time":"${isoTime(Date.now())}"${between}${members},"msg":${msg}}\n`;
}
