import type { EventSink, OrchestrationEvent } from '../../src/domain/events.ts';
import type { LogFields, Logger } from '../../src/ports/logger.ts';

/** An event sink, and the events that it received. */
export interface RecordingSink {
  readonly sink: EventSink;
  readonly events: OrchestrationEvent[];
}

export function recordEvents(): RecordingSink {
  const events: OrchestrationEvent[] = [];
  return { events, sink: (event) => void events.push(event) };
}

export interface LogLine extends LogFields {
  readonly level: string;
  readonly message: string;
}

/** A logger that records its lines. */
export interface RecordingLogger extends Logger {
  readonly lines: LogLine[];
}

export function recordLogs(): RecordingLogger {
  const lines: LogLine[] = [];
  const log = (level: string) => (message: string, fields?: LogFields) => {
    lines.push({ ...fields, level, message });
  };
  return {
    lines,
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    bind: (_fields, work) => work(),
  };
}

/** Identifiers that count up: `00000000-0000-7000-8000-000000000001` and so on. */
export function countingIds(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-7000-8000-${String(count).padStart(12, '0')}`;
  };
}

export { noTelemetry } from '../../src/adapters/telemetry/none.ts';

/** The marks of erasures for agents and goals, where nobody erases. */
export const noErasure = {
  beginErasable: async () => async () => false,
  deleteTrace: async () => undefined,
  deleteRoute: async () => undefined,
};
