import { type Logger, silentLogger } from '../../ports/logger.ts';
import type { ServiceTelemetry } from '../../ports/telemetry.ts';
import { version as packageVersion } from '../shared/version.ts';
import { noTelemetry } from './none.ts';

/** Options of {@link loadTelemetry}. */
export interface TelemetryOptions {
  /** `OTEL_ENABLED`; true when absent. */
  readonly enabled?: boolean;
  /** `service.version` of the spans; the version of this package when absent. */
  readonly version?: string;
  /** Nothing is logged when absent. */
  readonly logger?: Logger;
}

/**
 * Creates telemetry from the environment variables. The OpenTelemetry packages are loaded only if it is enabled and
 * neither `OTEL_SDK_DISABLED=true` nor `OTEL_TRACES_EXPORTER=none` turns it off; the SDK itself ignores these two.
 */
export async function loadTelemetry(options: TelemetryOptions = {}): Promise<ServiceTelemetry> {
  const { enabled = true, version = packageVersion, logger = silentLogger } = options;
  if (!enabled || readVariable('OTEL_SDK_DISABLED') === 'true') return noTelemetry;
  const exporter = readVariable('OTEL_TRACES_EXPORTER') || 'otlp';
  if (exporter === 'none') return noTelemetry;
  if (exporter !== 'otlp')
    logger.warn('this OTEL_TRACES_EXPORTER is not supported: spans are sent as otlp', { exporter });
  const protocol =
    readVariable('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || readVariable('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== '' && protocol !== 'http/json') {
    logger.warn('this OTLP protocol is not supported: spans are sent as http/json', { protocol });
  }
  const { createOtelTelemetry } = await import('./otel.ts');
  return createOtelTelemetry({ version, logger });
}

function readVariable(name: string): string {
  return (process.env[name] ?? '').trim().toLowerCase();
}
