import {
  type Context,
  context,
  createContextKey,
  type DiagLogFunction,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ProxyTracerProvider,
  propagation,
  SpanStatusCode,
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
import { withTimeout } from '../../lib/async/timeout.ts';
import { truncate } from '../../lib/text/truncate.ts';
import type { Logger } from '../../ports/logger.ts';
import type { IncomingRequest, ServerSpan, ServiceTelemetry } from '../../ports/telemetry.ts';
import { systemClock } from '../shared/system.ts';
import { createThrottledLog } from '../shared/throttled-log.ts';
import {
  childErrorAttributes,
  describeRequest,
  describeResponse,
  describeSpan,
  errorAttributes,
  errorTypeOfException,
  errorTypeOfReason,
  type SpanDescriptor,
  toOtelAttributes,
} from './conventions.ts';
import { noSpan } from './none.ts';

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

/**
 * Creates telemetry that sends spans in batches over OTLP/HTTP as JSON. The OpenTelemetry packages read the `OTEL_*`
 * environment variables themselves: endpoint, headers, timeout, compression, sampler, batches, limits. Spans that the
 * collector does not accept are dropped once the queue is full. Registers the global tracer provider, so that spans of
 * tools and agents belong to the trace.
 */
export function createOtelTelemetry({
  version,
  logger,
}: {
  readonly version: string;
  readonly logger: Logger;
}): ServiceTelemetry {
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

/** Logs warnings and errors of the OpenTelemetry packages, at most one a minute: a collector may fail every batch. */
function logDiagnostics(logger: Logger): void {
  const warn = createThrottledLog(logger, systemClock, 'OpenTelemetry reported a problem');
  const log: DiagLogFunction = (message) => warn({ reason: truncate(String(message), 500) });
  diag.setLogger(
    { error: log, warn: log, info: log, debug: log, verbose: log },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** The resource of the service. Environment variables take precedence over the defaults. */
function createResource(version: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME, 'service.version': version }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
}

async function shutDown(provider: NodeTracerProvider): Promise<void> {
  // The diagnostics have logged what could not be sent.
  const stopping = provider.shutdown().catch(() => {});
  await withTimeout(() => stopping, { clock: systemClock, timeoutMs: SHUTDOWN_TIMEOUT_MS }).catch(() => {});
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

/** The state of a span that has not ended. */
interface SpanState {
  readonly span: OtelSpan;
  /** True once the span was marked as failed, for a reason of its own or of a child. */
  failed: boolean;
  /** True once a child has failed: the error is set on the child. */
  childFailed: boolean;
}

/** The key of the {@link SpanState} of the active span in a context; only this module uses it. */
const stateKey = createContextKey('state of the active span');

/**
 * Runs `work` with `span` as the active span, and ends the span when the promise of `work` settles. An error sets the
 * status of the innermost span in which it happened; the parents of that span only get an attribute.
 */
async function runInSpan<T>(
  span: OtelSpan,
  descriptor: SpanDescriptor,
  parentContext: Context,
  work: (span: ServerSpan) => Promise<T>,
): Promise<T> {
  const parent = parentContext.getValue(stateKey) as SpanState | undefined;
  const state: SpanState = { span, failed: false, childFailed: false };
  const ownContext = trace.setSpan(parentContext, span).setValue(stateKey, state);
  try {
    return await context.with(ownContext, () => work(toServerSpan(state, descriptor)));
  } catch (error) {
    markFailed(state, errorTypeOfException(error));
    throw error;
  } finally {
    span.end();
    const isFailure = state.failed || (descriptor.isGroup && state.childFailed);
    if (isFailure && parent !== undefined) parent.childFailed = true;
  }
}

function markFailed(state: SpanState, errorType: string): void {
  state.failed = true;
  if (state.childFailed) state.span.setAttributes(childErrorAttributes(errorType));
  else setError(state.span, errorType);
}

function setError(span: OtelSpan, errorType: string): void {
  span.setAttributes(errorAttributes(errorType));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function toServerSpan(state: SpanState, descriptor: SpanDescriptor): ServerSpan {
  const { span } = state;
  return {
    event: (name, attributes) => void span.addEvent(name, attributes && toOtelAttributes(attributes)),
    set: (attributes) => void span.setAttributes(toOtelAttributes(attributes)),
    fail: (reason) => markFailed(state, errorTypeOfReason(reason)),
    answered(route, status) {
      const { name, attributes } = describeResponse(descriptor, route, status);
      span.updateName(name);
      span.setAttributes(attributes);
      // The conventions mark every request with a 5xx, whether a child failed or not.
      if (status >= 500) setError(span, String(status));
    },
  };
}
