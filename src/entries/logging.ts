/** Structured logs: one JSON object a line. */

export type { LogDestination } from '../adapters/logging/destination.ts';
export { logEvents } from '../adapters/logging/log-events.ts';
export {
  createLogger,
  type LoggerOptions,
  type LogLevel,
  parseLogLevel,
  type ServiceLogger,
} from '../adapters/logging/logger.ts';
export { logLevels } from '../ports/logger.ts';
