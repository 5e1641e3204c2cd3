import { z } from '@hono/zod-openapi';
import { type ItemKind, itemKinds, itemOutcomes, itemStatuses } from '../../../domain/inbox/item.ts';
import { conversationSchema } from './conversations.ts';
import { executionSchema } from './executions.ts';
import {
  anyJsonSchema,
  booleanSchema,
  bySchema,
  count,
  filledText,
  idParameter,
  jsonObjectSchema,
  nullableObjectSchema,
  orNull,
  versionSchema,
} from './schemas.ts';
import { traceSchema } from './traces.ts';

/** The path parameter of an item. */
export const itemParams = z.object({ id: idParameter('`item_id` of the item') });

/** All outcomes of all kinds, each once. */
const allOutcomes = [...new Set(Object.values(itemOutcomes).flat())];

const time = z.iso.datetime();

/** The subject of an item. */
export const subjectSchema = z
  .object({
    kind: z.enum(['message', 'execution']).describe('What the item is about'),
    id: z.string().describe('Id of the trace or of the execution'),
    step_id: z.string().optional().describe('The step that waits; with executions only'),
  })
  .openapi('InboxSubject');

/** The decision of a person. */
export const resolutionSchema = z
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

/** A note of a person about an item. */
export const noteSchema = z
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
    version: count('1, and one more with each change'),
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

const kindCount = z.number().int();

/** The number of items that wait. */
export const countsSchema = z
  .object({
    open: count('Items that nobody has claimed'),
    claimed: count('Items that somebody has claimed'),
    overdue: count('Open and claimed items that are overdue'),
    kinds: z
      .object({ escalation: kindCount, draft: kindCount, approval: kindCount, recovery: kindCount })
      .describe('Open and claimed items, by kind'),
  })
  .openapi('InboxCounts');

/** The most characters of the name of a person, of a reply, and of a note. */
const MAX_NAME = 128;
const MAX_RESPONSE = 8_192;
const MAX_NOTE = 4_096;

const versioned = {
  version: versionSchema.openapi({
    description: '`version` of the item as the caller has seen it: another one is 409',
  }),
};

/** The schema `ClaimRequest` of the OpenAPI document. */
export const claimRequestSchema = z.object({ by: bySchema, ...versioned }).openapi('ClaimRequest');

/** The schema `AssignRequest` of the OpenAPI document. */
export const assignRequestSchema = z
  .object({
    by: bySchema,
    assignee: filledText(MAX_NAME).openapi({ description: 'Who shall have it', example: 'tom' }),
    ...versioned,
  })
  .openapi('AssignRequest');

/** The schema `NoteRequest` of the OpenAPI document. */
export const noteRequestSchema = z
  .object({
    by: bySchema,
    note: filledText(MAX_NOTE).openapi({ description: 'The text, of at most 4,096 characters' }),
    ...versioned,
  })
  .openapi('NoteRequest');

function isKindList(value: unknown): value is ItemKind[] {
  const known: readonly unknown[] = itemKinds;
  return Array.isArray(value) && value.length > 0 && value.every((kind) => known.includes(kind));
}

/** The schema `NextRequest` of the OpenAPI document. */
export const nextRequestSchema = z
  .object({
    by: bySchema,
    // Not a `z.array`, which is slow to report all issues of a very long one.
    kinds: z
      .custom<ItemKind[]>(isKindList, `must be a list of one or more of ${itemKinds.join(', ')}`)
      .transform((kinds) => itemKinds.filter((kind) => kinds.includes(kind)))
      .optional()
      .openapi({
        type: 'array',
        items: { type: 'string', enum: [...itemKinds] },
        minItems: 1,
        description: 'Only items of these kinds; all when absent',
      }),
  })
  .openapi('NextRequest');

const outcomeError = (issue: { readonly input?: unknown }): string =>
  issue.input === undefined ? 'is required' : `must be one of ${allOutcomes.join(', ')}`;

const recoveryOutcomes: readonly string[] = itemOutcomes.recovery;

/** The default of `by` in a decision about an unknown outcome. */
const API = 'api';

/** The schema `ResolveRequest` of the OpenAPI document. */
export const resolveRequestSchema = z
  .object({
    outcome: z.enum(allOutcomes, { error: outcomeError }).openapi({
      description:
        '`answered`, `dismissed` or `spam` for escalations and drafts, `approved` or `rejected` for approvals, `completed`, `failed` or `retry` for recoveries',
    }),
    by: bySchema.optional().openapi({
      description: 'Who decides. Required, but `api` when absent with `completed`, `failed` and `retry`',
    }),
    note: filledText(MAX_NOTE).nullish().openapi({ description: 'A remark, of at most 4,096 characters' }),
    response: filledText(MAX_RESPONSE).nullish().openapi({
      description:
        'The reply to the customer, of at most 8,192 characters; only with `answered`. Of a draft: the draft itself when absent',
    }),
    intent: filledText(MAX_NAME)
      .nullish()
      .openapi({ description: 'The intent of the message as the person sees it: one of the playbook' }),
    escalation_right: booleanSchema
      .nullish()
      .openapi({ description: 'Whether it was right to hand the message to a person' }),
    data: anyJsonSchema
      .optional()
      .openapi({ description: 'What an approval brings with it: any JSON value' }),
    output: jsonObjectSchema.nullish().openapi({
      type: ['object', 'null'],
      description: 'The output of the step, with `completed`; an empty one when absent',
    }),
    ...versioned,
  })
  .transform(({ by, ...decision }, context) => {
    if (by === undefined && !recoveryOutcomes.includes(decision.outcome)) {
      context.addIssue({ code: 'custom', path: ['by'], message: 'is required' });
    }
    return { ...decision, by: by ?? API };
  })
  .openapi('ResolveRequest');
