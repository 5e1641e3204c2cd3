import { type Logger, silentLogger } from '../../ports/logger.ts';
import type { ServiceTelemetry } from '../../ports/telemetry.ts';
import { version as packageVersion } from '../shared/version.ts';
import { noTelemetry } from './none.ts';

/** Whether there are spans, and whose. */
export interface TelemetryOptions {
  /** `OTEL_ENABLED`; true when absent. */
  readonly enabled?: boolean;
  /** What spans call the version of the service; this package's own when absent. */
  readonly version?: string;
  /** Absent, nothing is logged. */
  readonly logger?: Logger;
}

/**
 * Telemetry as the environment wants it: none unless enabled, and then the OpenTelemetry packages are not even
 * loaded. `OTEL_SDK_DISABLED` and `OTEL_TRACES_EXPORTER=none` turn it off as well; the SDK leaves these to us.
 */
export async function loadTelemetry(options: TelemetryOptions = {}): Promise<ServiceTelemetry> {
  const { enabled = true, version = packageVersion, logger = silentLogger } = options;
  if (!enabled || variable('OTEL_SDK_DISABLED') === 'true') return noTelemetry;
  const exporter = variable('OTEL_TRACES_EXPORTER') || 'otlp';
  if (exporter === 'none') return noTelemetry;
  if (exporter !== 'otlp')
    logger.warn('OTEL_TRACES_EXPORTER is not supported: spans go out as otlp', { exporter });
  const protocol = variable('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || variable('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== '' && protocol !== 'http/json') {
    logger.warn('this OTLP protocol is not supported: spans go out as http/json', { protocol });
  }
  const { createOtelTelemetry } = await import('./otel.ts');
  return createOtelTelemetry({ version, logger });
}

function variable(name: string): string {
  return (process.env[name] ?? '').trim().toLowerCase();
}
