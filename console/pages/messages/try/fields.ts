import { type JsonObject, parseObject } from '../../../api/json.ts';
import type { Trace } from '../trace.ts';

/** The fields of the playground. All of it is text, so that nothing is lost while it is not valid. */
export interface Fields {
  readonly message: string;
  readonly customer_id: string;
  readonly source: string;
  readonly subject: string;
  readonly conversation_id: string;
  readonly locale: string;
  /** A JSON object of texts; empty for none. */
  readonly metadata: string;
  readonly draft: boolean;
}

/** The names of the fields that are texts. */
export type TextName = Exclude<keyof Fields, 'draft'>;

/** The fields before the reader types. */
export const emptyFields: Fields = {
  message: '',
  customer_id: 'console-playground',
  source: 'console',
  subject: '',
  conversation_id: '',
  locale: '',
  metadata: '',
  draft: false,
};

/**
 * A message as it was sent, to send it again. Its conversation is left out: a further turn there would be read with
 * what was said before, and would join an item that waits.
 */
export function fieldsOf(trace: Trace): Fields {
  const { message, customer_id, source, subject, locale, metadata, agent_decisions } = trace;
  const reasons = agent_decisions.find(({ agent }) => agent === 'verifier')?.data['reasons'];
  return {
    message,
    customer_id,
    source,
    conversation_id: '',
    subject: subject ?? '',
    locale: locale ?? '',
    metadata: metadata === null ? '' : JSON.stringify(metadata, null, 2),
    draft: Array.isArray(reasons) && reasons.includes('draft_requested'),
  };
}

/** The body of `POST /messages`. */
export interface MessageBody {
  readonly message: string;
  readonly customer_id: string;
  readonly source?: string;
  readonly subject?: string;
  readonly conversation_id?: string;
  readonly locale?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly draft?: boolean;
}

/** The members of a request that may be left out. */
const optional = ['source', 'subject', 'conversation_id', 'locale'] as const;

/** The request of what is typed; empty fields are left out. What is wrong with `metadata` is its own member. */
export function bodyOf(fields: Fields): { readonly body: MessageBody; readonly problem?: string } {
  const { message, customer_id, draft } = fields;
  const given: Partial<Record<(typeof optional)[number], string>> = {};
  for (const name of optional) if (fields[name].trim() !== '') given[name] = fields[name];
  const body = { message, customer_id, ...given, ...(draft && { draft }) };
  if (fields.metadata.trim() === '') return { body };
  const metadata = parseObject(fields.metadata);
  if (typeof metadata === 'string') return { body, problem: metadata };
  return isTexts(metadata)
    ? { body: { ...body, metadata } }
    : { body, problem: 'Each value must be a text, such as {"shop": "uk"}.' };
}

function isTexts(value: JsonObject): value is JsonObject & Readonly<Record<string, string>> {
  return Object.values(value).every((text) => typeof text === 'string');
}

/** The faults of a refused request by field; members of `metadata` stand at their field. */
export function faultsByField(
  faults: readonly { readonly pointer: string; readonly detail: string }[],
): ReadonlyMap<string, string> {
  const byField = new Map<string, string>();
  for (const { pointer, detail } of faults) {
    const [, name = '', ...rest] = pointer.split('/');
    const text = rest.length === 0 ? detail : `${rest.join('/')}: ${detail}`;
    const before = byField.get(name);
    byField.set(name, before === undefined ? text : `${before}; ${text}`);
  }
  return byField;
}
