import { AsyncLocalStorage } from 'node:async_hooks';
import { isoTime } from '../../lib/text/time.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { LogFields, Logger, logLevels } from '../../ports/logger.ts';
import { type LogDestination, stdoutDestination } from './destination.ts';
import { createLineSanitizer, MAX_TEXT, type PlainFields, plainFields } from './line.ts';

/** A level. `warning` is the same as `warn`, and `critical` the same as `fatal`. */
export type LogLevel = Exclude<(typeof logLevels)[number], 'warning' | 'critical'>;

/** The severity of each level: a logger writes lines of at least the severity of its own level. */
const severities = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
} as const satisfies Record<LogLevel, number>;

/** Parses the name of a level, in any case; undefined for any other text. */
export function parseLogLevel(text: string): LogLevel | undefined {
  const name = text.trim().toLowerCase();
  if (name === 'warning') return 'warn';
  if (name === 'critical') return 'fatal';
  return isLogLevel(name) ? name : undefined;
}

function isLogLevel(name: string): name is LogLevel {
  return Object.hasOwn(severities, name);
}

/** Options of {@link createLogger}. */
export interface LoggerOptions {
  /** Lines below this level are not written; `silent` writes none. */
  readonly level: LogLevel;
  /** Standard output when absent. */
  readonly destination?: LogDestination;
  /** Fields of every line. */
  readonly base?: LogFields;
  /** Texts to mask in every line, such as keys and passwords. Texts of fewer than six characters are not masked. */
  readonly secrets?: readonly string[];
}

/** The logger of a process. */
export interface ServiceLogger extends Logger {
  /** True when a line of that level would be written. */
  isEnabled(level: LogLevel): boolean;
  /** Masks further texts from the next line on, as the option `secrets` does. */
  mask(secrets: readonly string[]): void;
  /** Resolves when all lines are written, or after one second. Never rejects. */
  flush(): Promise<void>;
}

const none: PlainFields = {};

/**
 * Creates a logger that writes one JSON object a line: `level` as a word, `time` in ISO 8601 UTC, the bound fields, the
 * fields of the call, and `msg`. Every line has a bounded size, and no member throws: a line that cannot be written is
 * lost.
 */
export function createLogger(options: LoggerOptions): ServiceLogger {
  const destination = options.destination ?? stdoutDestination();
  const secrets = new Set(options.secrets);
  let sanitize = createLineSanitizer([...secrets]);
  const bound = new AsyncLocalStorage<PlainFields>();
  const base = options.base === undefined ? none : plainFields(options.base);
  const threshold = severities[options.level];
  const logAt = (level: 'debug' | 'info' | 'warn' | 'error') => {
    if (severities[level] < threshold) return () => {};
    return (message: string, fields?: LogFields): void => {
      try {
        const inherited = bound.getStore() ?? base;
        const plain = fields === undefined ? inherited : plainFields(fields, inherited);
        destination.write(sanitize(serialize(level, plain, truncate(String(message), MAX_TEXT))));
      } catch {
        // A line that cannot be written must not break the work that logs it.
      }
    };
  };

  return {
    debug: logAt('debug'),
    info: logAt('info'),
    warn: logAt('warn'),
    error: logAt('error'),
    bind: (fields, work) => bound.run(plainFields(fields, bound.getStore() ?? base), work),
    isEnabled: (level) => severities[level] >= threshold && level !== 'silent',
    mask(further) {
      if (further.every((secret) => secrets.has(secret))) return;
      for (const secret of further) secrets.add(secret);
      sanitize = createLineSanitizer([...secrets]);
    },
    flush: () => destination.flush(),
  };
}

/** A line as JSON. Plain fields never have the names `level`, `time` and `msg`. */
function serialize(level: LogLevel, fields: PlainFields, message: string): string {
  const members = JSON.stringify(fields).slice(1, -1);
  const separator = members === '' ? '' : ',';
  const msg = JSON.stringify(message);
  return `{"level":"${level}","time":"${isoTime(Date.now())}"${separator}${members},"msg":${msg}}\n`;
}
