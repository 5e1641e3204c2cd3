import { z } from '@hono/zod-openapi';
import { type CustomerMessage, dispositions } from '../../../domain/message/message.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import { hasAtMostCharacters } from '../../../lib/text/characters.ts';
import { customerIdSchema, recordedIntentSchema, requiredText } from './schemas.ts';

const MAX_METADATA = 16;
const MAX_METADATA_TEXT = 256;

/** An optional text of 1 to `max` characters; null is the same as absent. */
function optionalText(max: number) {
  return z.string().min(1, 'must not be empty').max(max, `must be at most ${max} characters`).nullish();
}

/** Texts by name. Not a `z.record`, which drops the name `__proto__`. */
const metadataSchema = z
  .custom<Readonly<Record<string, string>> | null>(
    (value) => value === null || isPlainObject(value),
    'must be an object of texts',
  )
  .superRefine((values, context) => {
    for (const [path, message] of metadataIssues(values ?? {})) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  })
  .optional();

/** The issues of metadata, each with the name that it is about. */
function* metadataIssues(values: Readonly<Record<string, unknown>>): Generator<[readonly string[], string]> {
  const entries = Object.entries(values);
  if (entries.length > MAX_METADATA) return yield [[], `must have at most ${MAX_METADATA} members`];
  for (const [name, value] of entries) {
    if (name === '') yield [[], 'must not have an empty name'];
    else if (isTooLong(name)) yield [[], `must have names of at most ${MAX_METADATA_TEXT} characters`];
    else if (typeof value !== 'string') yield [[name], 'must be a text'];
    else if (isTooLong(value)) yield [[name], `must be at most ${MAX_METADATA_TEXT} characters`];
  }
}

function isTooLong(text: string): boolean {
  return !hasAtMostCharacters(text, MAX_METADATA_TEXT);
}

/** The schema `MessageRequest` of the OpenAPI document. */
export const messageRequestSchema = z
  .object({
    source: z
      .string()
      .min(1, 'must not be empty')
      .max(64, 'must be at most 64 characters')
      .default('other')
      .openapi({
        description:
          'Origin channel; any value is accepted: `email`, `contact_form`, `ticket`, `chat`, `api`, `other`',
        example: 'email',
      }),
    customer_id: customerIdSchema.openapi({ description: 'Id of the customer', example: 'customer-42' }),
    message: z
      .string({ error: requiredText })
      .min(1, { error: 'must not be empty', abort: true })
      .max(32_768, { error: 'must be at most 32768 characters', abort: true })
      .refine((value) => value.trim() !== '', 'must not be only white space')
      .openapi({
        description: 'What the customer wrote',
        example: 'I want a refund for the blender that I bought last week.',
      }),
    subject: optionalText(256).openapi({ description: 'Subject line of a mail', example: 'My blender' }),
    conversation_id: optionalText(128).openapi({
      description:
        'Id of the conversation that the message belongs to. A conversation belongs to the customer of its first message',
      example: 'thread-7',
    }),
    locale: optionalText(35).openapi({
      description: 'Language of the customer, as a BCP 47 tag, as far as the sender knows it',
      example: 'en-GB',
    }),
    metadata: metadataSchema.openapi({
      type: ['object', 'null'],
      maxProperties: MAX_METADATA,
      additionalProperties: { type: 'string', maxLength: MAX_METADATA_TEXT },
      description:
        'Up to 16 texts of the system that sends the message, with names of 1 to 256 characters; kept in the trace',
      example: { shop: 'uk' },
    }),
    draft: z.boolean({ error: 'must be true or false' }).optional().openapi({
      default: false,
      description:
        'Whether a person has to see the reply before it is sent: it is then a draft in the inbox. Not possible while the inbox is off',
    }),
  })
  .openapi('MessageRequest');

/** The schema `MessageResponse` of the OpenAPI document. */
export const messageResponseSchema = z
  .object({
    trace_id: z.uuid().openapi({ description: 'Id of the trace, for `GET /trace/{trace_id}`' }),
    status: z
      .enum(['COMPLETED', 'FAILED'])
      .describe('`FAILED` when the pipeline failed; the response is a safe text then'),
    intent: recordedIntentSchema.openapi({
      description: 'What the customer wants; `unknown` when classification failed',
      example: 'refund',
    }),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .openapi({ description: 'Confidence of the classifier', example: 0.93 }),
    escalated: z
      .boolean()
      .describe('True when the verifier escalated the message to a person, and when the pipeline failed'),
    disposition: z.enum(dispositions).openapi({
      description:
        'What is to happen with the reply. `answered`: send it. `escalated`: send it; a person must see the message. `no_reply`: the response is empty and nothing must be sent (automatic replies, bounces, spam, messages without text). `draft`: nothing must be sent yet; the response waits in the inbox for a person to send, change or discard it.',
      example: 'answered',
    }),
    response: z.string().openapi({
      description: 'The reply to the customer; empty with `no_reply`, and not to be sent with `draft`',
    }),
    item_id: z.string().nullable().openapi({
      description: 'Id of the inbox item through which a person sees the message; null where nobody has to',
      example: null,
    }),
  })
  .openapi('MessageResponse');

/** The message of a request. */
export function toCustomerMessage(request: z.output<typeof messageRequestSchema>): CustomerMessage {
  return {
    source: request.source,
    customerId: request.customer_id,
    message: request.message,
    subject: request.subject,
    conversationId: request.conversation_id,
    locale: request.locale,
    metadata: request.metadata,
    draft: request.draft,
  };
}
