/** What `LOG_LEVEL` may say, in any case (decisions, section 8). */
export const logLevels = [
  'trace',
  'debug',
  'info',
  'warn',
  'warning',
  'error',
  'fatal',
  'critical',
  'silent',
] as const;

/** Particulars of a log line. Values are data: they are escaped, never interpreted. Secrets must not be among them. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logging. No member throws, whatever it is given. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /**
   * Runs `work` and binds `fields` to every line logged during it by whatever it calls, awaited work included
   * (specification, section 3: a trace_id is bound to all log lines of the request). Returns what `work` returns.
   */
  bind<T>(fields: LogFields, work: () => T): T;
}

/** A logger that writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  bind: (_fields, work) => work(),
};
