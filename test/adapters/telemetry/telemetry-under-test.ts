import { vi } from 'vitest';
import { loadTelemetry } from '../../../src/adapters/telemetry/load.ts';
import type { IncomingRequest, ServiceTelemetry } from '../../../src/ports/telemetry.ts';
import { type RecordingLogger, recordLogs } from '../../support/fakes.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/process/otlp-collector.ts';

/** Enabled telemetry, and its collector. */
export interface TelemetryUnderTest {
  readonly telemetry: ServiceTelemetry;
  readonly collector: OtlpCollector;
  readonly logger: RecordingLogger;
}

const endings: (() => Promise<void>)[] = [];

/** Starts telemetry with these `OTEL_*` variables; {@link endTelemetry} stops it. */
export async function startTelemetry(
  variables: Readonly<Record<string, string>> = {},
  options: { answer?: boolean } = {},
): Promise<TelemetryUnderTest> {
  const collector = await startOtlpCollector(options);
  endings.push(() => collector.close());
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const logger = recordLogs();
  const telemetry = await loadTelemetry({ enabled: true, version: '1.2.3', logger });
  endings.push(() => telemetry.shutdown());
  return { telemetry, collector, logger };
}

/** Stops everything that was started, in reverse order. */
export async function endTelemetry(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
  vi.unstubAllEnvs();
}

/** An incoming request. */
export function request(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): IncomingRequest {
  return { method, path, header: (name) => headers[name] };
}
