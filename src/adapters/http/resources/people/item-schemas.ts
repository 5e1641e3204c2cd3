import { z } from '@hono/zod-openapi';
import { itemKinds, itemOutcomes, itemStatuses } from '../../../../domain/inbox/item.ts';
import { executionSchema } from '../runs/run-schemas.ts';
import { anyJsonSchema, idParameter, nullableObjectSchema, orNull } from '../schemas.ts';
import { traceSchema } from '../trace-schemas.ts';
import { conversationSchema } from './conversation-schemas.ts';

/** The path parameter of an item. */
export const itemParams = z.object({ id: idParameter('`item_id` of the item') });

/** All outcomes of all kinds, each once. */
export const allOutcomes = [...new Set(Object.values(itemOutcomes).flat())];

const time = z.iso.datetime();

const subjectSchema = z
  .object({
    kind: z.enum(['message', 'execution']).describe('What the item is about'),
    id: z.string().describe('Id of the trace or of the execution'),
    step_id: z.string().optional().describe('The step that waits; with executions only'),
  })
  .openapi('InboxSubject');

const resolutionSchema = z
  .object({
    outcome: z.enum(allOutcomes).describe('What was decided'),
    by: z.string().describe('Who decided'),
    at: time.describe('When'),
    note: z.string().nullable().describe('What they remarked, else null'),
    response: z.string().nullable().describe('The reply to the customer, else null'),
    intent: z.string().nullable().describe('The intent of the message as the person sees it, else null'),
    escalation_right: z
      .boolean()
      .nullable()
      .describe('Whether it was right to hand the message to a person; null where nobody has said'),
    data: anyJsonSchema.openapi({
      description: 'What an approval brings with it: any JSON value, null without one',
    }),
    output: nullableObjectSchema.describe('The output of a step whose outcome was unknown, else null'),
  })
  .openapi('InboxResolution');

const noteSchema = z
  .object({
    by: z.string().describe('Who wrote it'),
    note: z.string().describe('The text'),
    at: time.describe('When'),
  })
  .openapi('InboxNote');

/** The schema `InboxItem` of the OpenAPI document. */
export const itemSchema = z
  .object({
    item_id: z.string().describe('Id of the item'),
    kind: z
      .enum(itemKinds)
      .describe(
        'Why it waits: an escalated message, a reply to be sent by a person, a step that needs an approval, or a step of which nobody knows whether it was done',
      ),
    status: z
      .enum(itemStatuses)
      .describe(
        '`open` and `claimed` items wait; `resolved` by a person, `expired` because nobody was in time, `withdrawn` with their subject',
      ),
    priority: z.number().int().min(1).max(5).openapi({ description: '1 is the most urgent' }),
    title: z.string().describe('One line that says what it is about'),
    reasons: z.array(z.string()).describe('Why a person has to see it'),
    subject: subjectSchema,
    customer_id: z.string().nullable().describe('Id of the customer, else null'),
    conversation_id: z.string().nullable().describe('Id of the conversation, else null'),
    excerpt: z.string().nullable().describe("The beginning of the customer's text, else null"),
    draft: z
      .string()
      .nullable()
      .describe('The reply that a person may send, change or discard, else null. It has not been sent'),
    assignee: z.string().nullable().describe('Who has claimed it, or ended it; null while it is open'),
    claimed_until: time.nullable().describe('When the claim lapses; null while nobody has one'),
    opened_at: time.describe('When it was opened'),
    due_at: time.nullable().describe('When it is overdue; null for an item that never is'),
    resolved_at: time.nullable().describe('When it ended, whatever its status is; null while it waits'),
    resolution: orNull(resolutionSchema).describe('What a person decided, else null'),
    payload: nullableObjectSchema.describe('What a person needs to see for a decision, else null'),
    response_schema: nullableObjectSchema.describe('JSON Schema of the `data` of a resolution, else null'),
    notes: z.array(noteSchema).describe('The oldest first'),
    version: z.number().int().describe('1, and one more with each change'),
  })
  .openapi('InboxItem');

/** The schema `InboxCase` of the OpenAPI document. */
export const caseSchema = itemSchema
  .extend({
    trace: orNull(traceSchema)
      .optional()
      .describe('The trace of its message, null where it is gone; not with executions'),
    conversation: orNull(conversationSchema)
      .optional()
      .describe('The conversation of its message, null where there is none; not with executions'),
    execution: orNull(executionSchema)
      .optional()
      .describe('The execution of its step, null where it is gone; not with messages'),
  })
  .openapi('InboxCase');

const count = z.number().int();

/** How much waits. */
export const countsSchema = z
  .object({
    open: count.describe('Items that nobody has claimed'),
    claimed: count.describe('Items that somebody has claimed'),
    overdue: count.describe('Open and claimed items that are overdue'),
    kinds: z
      .object({ escalation: count, draft: count, approval: count, recovery: count })
      .describe('Open and claimed items, by kind'),
  })
  .openapi('InboxCounts');
