/** The values of `LOG_LEVEL`, in any case (decisions, section 8). */
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

/** Fields of a log line. Values are data: they are escaped, never interpreted. They must not contain secrets. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logging. No member throws. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /**
   * Runs `work` and adds `fields` to every line logged during it, awaited work included (specification, section 3: a
   * trace_id is bound to all log lines of the request). Returns what `work` returns.
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
