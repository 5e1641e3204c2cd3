import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { IncomingRequest, SpanAttributes } from '../../ports/telemetry.ts';

/** A span in the words of the OpenTelemetry semantic conventions. */
export interface SpanShape {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** It only holds others together: a failure in it is also one in what it is part of. */
  readonly transparent: boolean;
}

/** What the core calls a span, told in the conventions' words; `named` are the attributes that its name ends with. */
interface Convention {
  readonly name: string;
  readonly named?: readonly string[];
  readonly kind?: SpanKind;
  readonly fixed?: Attributes;
  readonly transparent?: boolean;
}

const PREFIX = 'orchestration.';

const OPERATION = 'gen_ai.operation.name';

/** By the first word of the core's name. Whatever has no row here keeps its name, as an internal span. */
const conventions = new Map<string, Convention>([
  [
    'process_message',
    {
      name: 'invoke_workflow message_pipeline',
      fixed: { [OPERATION]: 'invoke_workflow', 'gen_ai.workflow.name': 'message_pipeline' },
    },
  ],
  ['stage', { name: 'stage', named: ['orchestration.stage'] }],
  [
    'execute_tool',
    {
      name: 'execute_tool',
      named: ['gen_ai.tool.name'],
      fixed: { [OPERATION]: 'execute_tool', 'gen_ai.tool.type': 'function' },
    },
  ],
  ['agent', { name: 'invoke_agent', named: ['gen_ai.agent.name'], fixed: { [OPERATION]: 'invoke_agent' } }],
  ['workflow.run', { name: 'invoke_workflow', fixed: { [OPERATION]: 'invoke_workflow' } }],
  ['workflow.layer', { name: 'workflow layer', transparent: true }],
  ['workflow.step', { name: 'workflow step' }],
  [
    'model_call',
    {
      name: 'chat',
      named: ['gen_ai.request.model'],
      kind: SpanKind.CLIENT,
      fixed: { [OPERATION]: 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.output.type': 'json' },
    },
  ],
  [
    'store_command',
    {
      name: '',
      named: ['db.operation.name', 'db.stored_procedure.name'],
      kind: SpanKind.CLIENT,
      fixed: { 'db.system.name': 'redis' },
    },
  ],
]);

/** Attributes that the conventions have a word for; all others get the service's own prefix. */
const attributeNames = new Map([
  ['message.trace_id', 'orchestration.trace_id'],
  ['tool_name', 'gen_ai.tool.name'],
  ['agent_name', 'gen_ai.agent.name'],
  ['model', 'gen_ai.request.model'],
  ['input_tokens', 'gen_ai.usage.input_tokens'],
  ['output_tokens', 'gen_ai.usage.output_tokens'],
  ['operation', 'db.operation.name'],
  ['script', 'db.stored_procedure.name'],
  ['batch_size', 'db.operation.batch.size'],
  ['address', 'server.address'],
  ['port', 'server.port'],
]);

/** What an identifier looks like. Anything else may be somebody's words, which stay out of spans. */
const identifier = /^[\w.:/@+-]{1,128}$/;

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

/** A span of the core, by the name and the attributes that the core gives it. */
export function spanShape(asked: string, given: SpanAttributes): SpanShape {
  const space = asked.indexOf(' ');
  const convention = conventions.get(space === -1 ? asked : asked.slice(0, space));
  const attributes = { ...convention?.fixed, ...spanAttributes(given) };
  const kind = convention?.kind ?? SpanKind.INTERNAL;
  if (convention === undefined) return { name: asked, kind, attributes, transparent: false };
  let { name } = convention;
  for (const key of convention.named ?? []) {
    const value = attributes[key];
    if (value !== undefined) name = name === '' ? String(value) : `${name} ${value}`;
  }
  return { name: name || asked, kind, attributes, transparent: convention.transparent ?? false };
}

/** Attributes under the names of the conventions; texts only where they are identifiers. */
export function spanAttributes(given: SpanAttributes): Attributes {
  const attributes: Attributes = {};
  for (const key of Object.keys(given)) {
    const value = given[key];
    if (typeof value === 'string' && !identifier.test(value)) continue;
    attributes[attributeNames.get(key) ?? PREFIX + key] = value;
  }
  return attributes;
}

/** The span of a request, as far as it is known before it is routed. */
export function requestShape({ method, path }: IncomingRequest): SpanShape {
  const known = methods.has(method);
  return {
    name: known ? method : 'HTTP',
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': known ? method : '_OTHER',
      'url.path': path.slice(0, 256),
      'url.scheme': 'http',
    },
    transparent: false,
  };
}

/** What is added to the span of a request once it is answered. */
export function answerShape(
  before: SpanShape,
  route: string,
  status: number,
): Pick<SpanShape, 'name' | 'attributes'> {
  const attributes: Attributes = { 'http.response.status_code': status };
  if (route === 'unmatched') return { name: before.name, attributes };
  attributes['http.route'] = route;
  return { name: `${before.name} ${route}`, attributes };
}

/** What a span that failed says of it. */
export function failureAttributes(word: string): Attributes {
  return { 'error.type': word };
}

/** What a span says whose failure is that of a part of it. */
export function inheritedFailure(word: string): Attributes {
  return { [`${PREFIX}failure`]: word };
}

/** The word of a failure: what stands before the colon where there is more than a word, for the rest may be text. */
export function failureWord(reason: string): string {
  const colon = reason.indexOf(':');
  const word = colon === -1 ? reason : reason.slice(0, colon);
  return identifier.test(word) ? word : '_OTHER';
}

/** The kind of an exception; what it says stays in the log. Never throws. */
export function exceptionWord(error: unknown): string {
  try {
    if (typeof error !== 'object' || error === null) return typeof error;
    if ('code' in error && typeof error.code === 'string') return failureWord(error.code);
    return failureWord(error.constructor.name);
  } catch {
    return '_OTHER';
  }
}
