import {
  type Context,
  context,
  diag,
  ProxyTracerProvider,
  propagation,
  type TextMapGetter,
  type TextMapSetter,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../../ports/logger.ts';
import type { IncomingRequest, ServerSpan, ServiceTelemetry } from '../../ports/telemetry.ts';
import { requestShape, type SpanShape, spanShape } from './conventions.ts';
import { noSpan } from './none.ts';
import { diagnoseThrough } from './otel-diagnostics.ts';
import { runInSpan } from './otel-span.ts';

const SERVICE_NAME = 'orchestration-service';

/** Milliseconds that a shutdown waits for the collector. */
const SHUTDOWN_MS = 2_000;

const requestHeaders: TextMapGetter<IncomingRequest> = {
  keys: () => [],
  get: (request, name) => request.header(name),
};

/** The headers of W3C Trace Context. What else a caller may have sent along is not ours to tell a provider. */
const traceHeaders = new Set(['traceparent', 'tracestate']);

const outgoingHeaders: TextMapSetter<Record<string, string>> = {
  set(headers, name, value) {
    if (traceHeaders.has(name)) headers[name] = value;
  },
};

export interface OtelOptions {
  /** The version of the service. */
  readonly version: string;
  readonly logger: Logger;
}

/**
 * Spans, sent in batches over OTLP/HTTP as JSON. The OpenTelemetry packages read the `OTEL_*` variables of the
 * environment by themselves: endpoint, headers, time-out, compression, sampler, batches, limits. What a collector
 * does not take is dropped once the queue is full. Registers itself for the OpenTelemetry API, so that spans of
 * tools and agents join in.
 */
export function createOtelTelemetry({ version, logger }: OtelOptions): ServiceTelemetry {
  diagnoseThrough(logger);
  const provider = new NodeTracerProvider({
    resource: resourceOf(version),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const tracer = provider.getTracer(SERVICE_NAME, version);
  let ended: Promise<void> | undefined;
  const run = <T>(shape: SpanShape, around: Context, work: (span: ServerSpan) => T): T => {
    const span = tracer.startSpan(shape.name, shape, around);
    if (span.isRecording()) return runInSpan(span, shape, around, work);
    return context.with(trace.setSpan(around, span), () => work(noSpan));
  };
  return {
    span(name, attributes, work) {
      const around = context.active();
      const parent = trace.getSpanContext(around);
      // A sampler decides once for a trace, so nothing below a span that is not sampled is worth its making.
      if (parent !== undefined && (parent.traceFlags & TraceFlags.SAMPLED) === 0) return work(noSpan);
      return run(spanShape(name, attributes), around, work);
    },
    serverSpan: (request, work) =>
      run(requestShape(request), propagation.extract(context.active(), request, requestHeaders), work),
    traceId: () => trace.getSpanContext(context.active())?.traceId ?? null,
    inject() {
      const headers: Record<string, string> = {};
      propagation.inject(context.active(), headers, outgoingHeaders);
      return headers;
    },
    shutdown() {
      ended ??= shutDown(provider);
      return ended;
    },
  };
}

/** What the environment says of the service wins over what we say of it. */
function resourceOf(version: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME, 'service.version': version }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}

async function shutDown(provider: NodeTracerProvider): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SHUTDOWN_MS);
  });
  // What could not be delivered has been told by the diagnostics.
  await Promise.race([provider.shutdown().catch(() => {}), late]);
  clearTimeout(timer);
  unregister(provider);
}

/** Takes back what was registered for the API, unless it belongs to the program that this service lives in. */
function unregister(provider: NodeTracerProvider): void {
  diag.disable();
  const registered = trace.getTracerProvider();
  if (!(registered instanceof ProxyTracerProvider) || registered.getDelegate() !== provider) return;
  trace.disable();
  context.disable();
  propagation.disable();
}
