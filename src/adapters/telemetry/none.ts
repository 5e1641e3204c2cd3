import type { ServerSpan, ServiceTelemetry } from '../../ports/telemetry.ts';

/** A span that remembers nothing. */
export const noSpan: ServerSpan = { event() {}, set() {}, fail() {}, answered() {} };

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/** Telemetry while none is configured: it runs the work and does nothing else. */
export const noTelemetry: ServiceTelemetry = {
  span: (_name, _attributes, work) => work(noSpan),
  traceId: () => null,
  serverSpan: (_request, work) => work(noSpan),
  inject: () => noHeaders,
  shutdown: () => Promise.resolve(),
};
