import type { logLevels } from '../../ports/logger.ts';

/** A level. `warning` is the same as `warn`, and `critical` the same as `fatal`. */
export type LogLevel = Exclude<(typeof logLevels)[number], 'warning' | 'critical'>;

/** The severity of each level: a logger writes lines of at least the severity of its own level. */
export const severities = {
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
