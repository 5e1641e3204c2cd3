import type { ServerSpan, ServiceTelemetry } from '../../ports/telemetry.ts';

/** A span that records nothing. */
export const noSpan: ServerSpan = { event() {}, set() {}, fail() {}, answered() {} };

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** Telemetry that only runs the work. */
export const noTelemetry: ServiceTelemetry = {
  span: (_name, _attributes, work) => work(noSpan),
  serverSpan: (_request, work) => work(noSpan),
  traceId: () => null,
  inject: () => noHeaders,
  shutdown: () => Promise.resolve(),
};
