import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** A span as it was received over OTLP/HTTP. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly hasFailed: boolean;
}

/** A collector on the loopback interface. */
export interface OtlpCollector {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  /** Spans received so far. */
  readonly spans: ReceivedSpan[];
  /** Requests received so far. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** The only span with that name; throws if there is none or more than one. */
  span(name: string): ReceivedSpan;
  /**
   * The names of the spans as an indented list, each under its parent, siblings in alphabetical order, failed spans
   * with a `!`. Only those of one trace if `traceId` is given.
   */
  tree(traceId?: string): string[];
  close(): Promise<void>;
}

/** Starts a collector; with `answer: false` it never responds. */
export async function startOtlpCollector(options: { answer?: boolean } = {}): Promise<OtlpCollector> {
  const spans: ReceivedSpan[] = [];
  const requests: OtlpCollector['requests'] = [];
  const server = createServer(async (request, response) => {
    const body = await read(request);
    requests.push({ path: request.url ?? '', headers: request.headers });
    if (options.answer === false) return;
    spans.push(...spansOf(JSON.parse(body)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the collector has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans,
    requests,
    span(name) {
      const [found, ...more] = spans.filter((span) => span.name === name);
      if (found === undefined || more.length > 0) {
        throw new Error(
          `${more.length === 0 ? 'no' : 'more than one'} span ${name} in\n${treeOf(spans).join('\n')}`,
        );
      }
      return found;
    },
    tree: (traceId) => treeOf(spans.filter((span) => traceId === undefined || span.traceId === traceId)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  request.setEncoding('utf8');
  for await (const chunk of request) body += chunk;
  return body;
}

function treeOf(spans: readonly ReceivedSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanId));
  const under = (isChild: (span: ReceivedSpan) => boolean, depth: number): string[] =>
    spans
      .filter(isChild)
      .map((span) =>
        [
          `${'  '.repeat(depth)}${span.hasFailed ? '!' : ''}${span.name}`,
          ...under((child) => child.parentSpanId === span.spanId, depth + 1),
        ].join('\n'),
      )
      .sort();
  return under((span) => !ids.has(span.parentSpanId), 0).flatMap((block) => block.split('\n'));
}

const kinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly { readonly name: string; readonly attributes: readonly OtlpAttribute[] }[];
  readonly status: { readonly code?: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

function spansOf(request: OtlpRequest): ReceivedSpan[] {
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        kind: kinds[span.kind] ?? 'UNSPECIFIED',
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
        events: span.events.map(({ name, attributes }) => ({ name, attributes: attributesOf(attributes) })),
        hasFailed: span.status.code === 2,
      })),
    ),
  );
}

function attributesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
