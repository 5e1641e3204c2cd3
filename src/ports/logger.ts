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
  /** Logs details for debugging. */
  debug(message: string, fields?: LogFields): void;
  /** Logs normal operation. */
  info(message: string, fields?: LogFields): void;
  /** Logs a problem that the service handled. */
  warn(message: string, fields?: LogFields): void;
  /** Logs a failure that needs attention. */
  error(message: string, fields?: LogFields): void;
  /**
   * Runs `work` and adds `fields` to every line logged during it, also after an `await` (specification, section 3: the
   * `trace_id` is bound to all log lines of the request). Returns what `work` returns.
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
