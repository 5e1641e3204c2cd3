import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { IncomingRequest, SpanAttributes } from '../../ports/telemetry.ts';

/** A span by the semantic conventions of OpenTelemetry. */
export interface SpanDescriptor {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** It only groups spans: its failed children count as failed children of its parent. */
  readonly isGroup: boolean;
}

/** The description of a kind of span by the semantic conventions. */
interface Convention {
  readonly name: string;
  /** The attributes whose values are appended to the name. */
  readonly nameFrom?: readonly string[];
  readonly kind?: SpanKind;
  readonly fixed?: Attributes;
  readonly isGroup?: boolean;
}

/** Prefix of attributes that the conventions do not define. */
const PREFIX = 'orchestration.';

const OPERATION = 'gen_ai.operation.name';

/** By the first word of the core's name. A span without an entry here has the core's name and is an internal span. */
const conventions = new Map<string, Convention>([
  [
    'process_message',
    {
      name: 'invoke_workflow message_pipeline',
      fixed: { [OPERATION]: 'invoke_workflow', 'gen_ai.workflow.name': 'message_pipeline' },
    },
  ],
  ['stage', { name: 'stage', nameFrom: ['orchestration.stage'] }],
  [
    'execute_tool',
    {
      name: 'execute_tool',
      nameFrom: ['gen_ai.tool.name'],
      fixed: { [OPERATION]: 'execute_tool', 'gen_ai.tool.type': 'function' },
    },
  ],
  [
    'agent',
    { name: 'invoke_agent', nameFrom: ['gen_ai.agent.name'], fixed: { [OPERATION]: 'invoke_agent' } },
  ],
  ['workflow.run', { name: 'invoke_workflow', fixed: { [OPERATION]: 'invoke_workflow' } }],
  ['workflow.layer', { name: 'workflow layer', isGroup: true }],
  ['workflow.step', { name: 'workflow step' }],
  [
    'model_call',
    {
      name: 'chat',
      nameFrom: ['gen_ai.request.model'],
      kind: SpanKind.CLIENT,
      fixed: { [OPERATION]: 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.output.type': 'json' },
    },
  ],
  [
    'store_command',
    {
      name: '',
      nameFrom: ['db.operation.name', 'db.stored_procedure.name'],
      kind: SpanKind.CLIENT,
    },
  ],
]);

/** Attributes that the conventions define, by the core's names. */
const attributeNames = new Map([
  ['message.trace_id', 'orchestration.trace_id'],
  ['tool_name', 'gen_ai.tool.name'],
  ['agent_name', 'gen_ai.agent.name'],
  ['model', 'gen_ai.request.model'],
  ['input_tokens', 'gen_ai.usage.input_tokens'],
  ['cached_input_tokens', 'gen_ai.usage.cache_read.input_tokens'],
  ['output_tokens', 'gen_ai.usage.output_tokens'],
  ['reply_model', 'gen_ai.response.model'],
  ['finish_reasons', 'gen_ai.response.finish_reasons'],
  ['system', 'db.system.name'],
  ['operation', 'db.operation.name'],
  ['script', 'db.stored_procedure.name'],
  ['batch_size', 'db.operation.batch.size'],
  ['address', 'server.address'],
  ['port', 'server.port'],
]);

/** The form of identifiers. Other texts may come from customers or providers, so spans do not contain them. */
const identifier = /^[\w.:/@+-]{1,128}$/;

/** Describes a span by the name and the attributes that the core gives it. */
export function describeSpan(coreName: string, coreAttributes: SpanAttributes): SpanDescriptor {
  const [kindOfSpan = ''] = coreName.split(' ', 1);
  const convention = conventions.get(kindOfSpan);
  const attributes = { ...convention?.fixed, ...toOtelAttributes(coreAttributes) };
  if (convention === undefined)
    return { name: coreName, kind: SpanKind.INTERNAL, attributes, isGroup: false };
  const { name, nameFrom = [], kind = SpanKind.INTERNAL, isGroup = false } = convention;
  const parts = [name, ...nameFrom.map((key) => String(attributes[key] ?? ''))];
  const fullName = parts.filter((part) => part !== '').join(' ');
  return { name: fullName || coreName, kind, attributes, isGroup };
}

/** Converts attributes to the names of the conventions. Omits texts that are not identifiers. */
export function toOtelAttributes(coreAttributes: SpanAttributes): Attributes {
  const attributes: Attributes = {};
  for (const [key, value] of Object.entries(coreAttributes)) {
    if (typeof value === 'string' && !identifier.test(value)) continue;
    attributes[attributeNames.get(key) ?? PREFIX + key] =
      typeof value === 'object' ? value.filter((text) => identifier.test(text)) : value;
  }
  return attributes;
}

/** The attributes of a span in which a failure happened. */
export function errorAttributes(errorType: string): Attributes {
  return { 'error.type': errorType };
}

/** The attributes of a span that failed because a child did. */
export function childErrorAttributes(errorType: string): Attributes {
  return { [`${PREFIX}failure`]: errorType };
}

/** The `error.type` of a reason: the part before the colon, because the rest may be any text. */
export function errorTypeOfReason(reason: string): string {
  const [word = ''] = reason.split(':', 1);
  return identifier.test(word) ? word : '_OTHER';
}

/** The `error.type` of an exception: its code or its class, never its message. */
export function errorTypeOfException(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ('code' in error && typeof error.code === 'string') return errorTypeOfReason(error.code);
  return errorTypeOfReason(error.constructor.name);
}

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
