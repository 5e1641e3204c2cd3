import type { LogDestination } from '../../../src/adapters/logging/destination.ts';
import {
  createLogger,
  type LoggerOptions,
  type ServiceLogger,
} from '../../../src/adapters/logging/logger.ts';

/** A logger that keeps its lines instead of writing them. */
export interface KeptLogger {
  readonly logger: ServiceLogger;
  /** The lines as written. */
  readonly raw: string[];
  /** The lines, each read as JSON. */
  lines(): Record<string, unknown>[];
}

export function keepLines(options: Partial<LoggerOptions> = {}): KeptLogger {
  const raw: string[] = [];
  const destination: LogDestination = { write: (line) => void raw.push(line), flush: async () => {} };
  return {
    raw,
    lines: () => raw.map((line) => JSON.parse(line)),
    logger: createLogger({ level: 'debug', destination, ...options }),
  };
}
