import type { logLevels } from '../../ports/logger.ts';

/** A level by its one name: `warning` is `warn` and `critical` is `fatal`. */
export type LogLevel = Exclude<(typeof logLevels)[number], 'warning' | 'critical'>;

/** How much a level weighs: a logger writes the lines that weigh at least as much as its own level. */
export const levelWeights = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
} as const satisfies Record<LogLevel, number>;

/** The level that a text names, whatever its case; undefined for any other text. */
export function parseLogLevel(text: string): LogLevel | undefined {
  const name = text.trim().toLowerCase();
  if (name === 'warning') return 'warn';
  if (name === 'critical') return 'fatal';
  return isLogLevel(name) ? name : undefined;
}

function isLogLevel(name: string): name is LogLevel {
  return Object.hasOwn(levelWeights, name);
}
