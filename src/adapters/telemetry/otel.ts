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
import { describeSpan, type SpanDescriptor } from './conventions.ts';
import { describeRequest } from './http-conventions.ts';
import { noSpan } from './none.ts';
import { logDiagnostics } from './otel-diagnostics.ts';
import { runInSpan } from './otel-span.ts';

const SERVICE_NAME = 'orchestration-service';

/** Milliseconds that a shutdown waits for the collector. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

const requestHeaders: TextMapGetter<IncomingRequest> = {
  keys: () => [],
  get: (request, name) => request.header(name),
};

/** The headers of W3C Trace Context. A caller's `baggage` is not propagated to providers. */
const traceHeaders = new Set(['traceparent', 'tracestate']);

const outgoingHeaders: TextMapSetter<Record<string, string>> = {
  set(headers, name, value) {
    if (traceHeaders.has(name)) headers[name] = value;
  },
};

/** Options of {@link createOtelTelemetry}. */
export interface OtelOptions {
  /** The version of the service. */
  readonly version: string;
  readonly logger: Logger;
}

/**
 * Creates telemetry that sends spans in batches over OTLP/HTTP as JSON. The OpenTelemetry packages read the `OTEL_*`
 * environment variables themselves: endpoint, headers, timeout, compression, sampler, batches, limits. Spans that the
 * collector does not accept are dropped once the queue is full. Registers the global tracer provider, so that spans of
 * tools and agents belong to the trace.
 */
export function createOtelTelemetry({ version, logger }: OtelOptions): ServiceTelemetry {
  logDiagnostics(logger);
  const provider = new NodeTracerProvider({
    resource: createResource(version),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const tracer = provider.getTracer(SERVICE_NAME, version);
  let stopped: Promise<void> | undefined;
  const run = async <T>(
    descriptor: SpanDescriptor,
    parentContext: Context,
    work: (span: ServerSpan) => Promise<T>,
  ): Promise<T> => {
    const span = tracer.startSpan(descriptor.name, descriptor, parentContext);
    if (span.isRecording()) return runInSpan(span, descriptor, parentContext, work);
    return context.with(trace.setSpan(parentContext, span), () => work(noSpan));
  };
  return {
    async span(name, attributes, work) {
      const active = context.active();
      const parent = trace.getSpanContext(active);
      // The sampler decides once for a trace: the children of a span that is not sampled are not recorded either.
      if (parent !== undefined && (parent.traceFlags & TraceFlags.SAMPLED) === 0) return work(noSpan);
      return run(describeSpan(name, attributes), active, work);
    },
    serverSpan: (request, work) =>
      run(describeRequest(request), propagation.extract(context.active(), request, requestHeaders), work),
    traceId: () => trace.getSpanContext(context.active())?.traceId ?? null,
    inject() {
      const headers: Record<string, string> = {};
      propagation.inject(context.active(), headers, outgoingHeaders);
      return headers;
    },
    shutdown() {
      stopped ??= shutDown(provider);
      return stopped;
    },
  };
}

/** The resource of the service. Environment variables take precedence over the defaults. */
function createResource(version: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME, 'service.version': version }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}

async function shutDown(provider: NodeTracerProvider): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SHUTDOWN_TIMEOUT_MS);
  });
  // The diagnostics have logged what could not be sent.
  await Promise.race([provider.shutdown().catch(() => {}), timeout]);
  clearTimeout(timer);
  unregister(provider);
}

/** Removes the global tracer provider, unless the host program has replaced it with its own. */
function unregister(provider: NodeTracerProvider): void {
  diag.disable();
  const registered = trace.getTracerProvider();
  if (!(registered instanceof ProxyTracerProvider) || registered.getDelegate() !== provider) return;
  trace.disable();
  context.disable();
  propagation.disable();
}
