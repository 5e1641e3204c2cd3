import { SpanKind } from '@opentelemetry/api';
import type { IncomingRequest } from '../../ports/telemetry.ts';
import type { SpanDescriptor } from './conventions.ts';

/** Maximum length of a path in a span, in characters. */
const MAX_PATH = 256;

/** The methods that the semantic conventions name; all others are `_OTHER`. */
const methods = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'QUERY',
]);

/** The span of a request before it is routed. */
export function describeRequest({ method, path }: IncomingRequest): SpanDescriptor {
  const isKnown = methods.has(method);
  return {
    name: isKnown ? method : 'HTTP',
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': isKnown ? method : '_OTHER',
      'url.path': path.slice(0, MAX_PATH),
      'url.scheme': 'http',
    },
    isGroup: false,
  };
}

/** The final name of the span of a request, and the attributes of its response. */
export function describeResponse(
  request: SpanDescriptor,
  route: string,
  status: number,
): Pick<SpanDescriptor, 'name' | 'attributes'> {
  const attributes = { 'http.response.status_code': status };
  if (route === 'unmatched') return { name: request.name, attributes };
  return { name: `${request.name} ${route}`, attributes: { ...attributes, 'http.route': route } };
}
