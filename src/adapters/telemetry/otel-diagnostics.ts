import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api';
import { truncate } from '../../lib/text/truncate.ts';
import type { Logger } from '../../ports/logger.ts';

/** Milliseconds between two lines, because a collector that is down fails every batch. */
const INTERVAL_MS = 60_000;

/** Logs the warnings and errors of the OpenTelemetry packages, at most one line a minute, with the number omitted. */
export function logDiagnostics(logger: Logger): void {
  let nextAt = Number.NEGATIVE_INFINITY;
  let omitted = 0;
  const log: DiagLogFunction = (message) => {
    const now = performance.now();
    if (now < nextAt) {
      omitted += 1;
      return;
    }
    nextAt = now + INTERVAL_MS;
    logger.warn('OpenTelemetry reported a problem', {
      reason: truncate(String(message), 500),
      left_out: omitted,
    });
    omitted = 0;
  };
  diag.setLogger(
    { error: log, warn: log, info: log, debug: log, verbose: log },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
