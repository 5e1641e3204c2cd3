import { type DiagLogFunction, DiagLogLevel, diag } from '@opentelemetry/api';
import { truncate } from '../../lib/text/truncate.ts';
import type { Logger } from '../../ports/logger.ts';

/** Milliseconds between two lines: a collector that is away would fill the log otherwise. */
const INTERVAL_MS = 60_000;

/** Lets the OpenTelemetry packages speak through the logger, a line a minute at most, which counts those left out. */
export function diagnoseThrough(logger: Logger): void {
  let next = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  const log: DiagLogFunction = (message) => {
    const now = performance.now();
    if (now < next) {
      leftOut += 1;
      return;
    }
    next = now + INTERVAL_MS;
    logger.warn('telemetry has a problem', { reason: truncate(String(message), 500), left_out: leftOut });
    leftOut = 0;
  };
  diag.setLogger(
    { error: log, warn: log, info: log, debug: log, verbose: log },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
