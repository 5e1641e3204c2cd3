/** Structured logs: one JSON object a line. */

export type { LogDestination } from '../adapters/logging/destination.ts';
export { type LogLevel, parseLogLevel } from '../adapters/logging/levels.ts';
export { logEvents } from '../adapters/logging/log-events.ts';
export { createLogger, type LoggerOptions, type ServiceLogger } from '../adapters/logging/logger.ts';
export { logLevels } from '../ports/logger.ts';
