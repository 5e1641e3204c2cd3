import { z } from '@hono/zod-openapi';
import { type ItemKind, itemKinds, itemOutcomes } from '../../../../domain/inbox/item.ts';
import { anyJsonSchema, jsonObjectSchema, requiredText } from '../schemas.ts';
import { allOutcomes } from './item-schemas.ts';

/** The most characters of the name of a person, of a reply, and of a note. */
const MAX_NAME = 128;
const MAX_RESPONSE = 8_192;
const MAX_NOTE = 4_096;

/** A text of 1 to `max` characters that are not all white space. */
function textSchema(max: number) {
  return z
    .string({ error: requiredText })
    .min(1, { error: 'must not be empty', abort: true })
    .max(max, { error: `must be at most ${max} characters`, abort: true })
    .refine((text) => text.trim() !== '', 'must not be only white space');
}

/** Who does something, as the caller says. */
export const bySchema = textSchema(MAX_NAME).openapi({ description: 'Who does it', example: 'maria' });

const versionError = { error: 'must be an integer of 1 or more' };

const versioned = {
  version: z
    .number(versionError)
    .int(versionError)
    .min(1, versionError)
    .optional()
    .openapi({ description: '`version` of the item as the caller has seen it: another one is 409' }),
};

/** The schema `ClaimRequest` of the OpenAPI document. */
export const claimRequestSchema = z.object({ by: bySchema, ...versioned }).openapi('ClaimRequest');

/** The schema `AssignRequest` of the OpenAPI document. */
export const assignRequestSchema = z
  .object({
    by: bySchema,
    assignee: textSchema(MAX_NAME).openapi({ description: 'Who shall have it', example: 'tom' }),
    ...versioned,
  })
  .openapi('AssignRequest');

/** The schema `NoteRequest` of the OpenAPI document. */
export const noteRequestSchema = z
  .object({
    by: bySchema,
    note: textSchema(MAX_NOTE).openapi({ description: 'The text, of at most 4,096 characters' }),
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

/** Who has decided about an unknown outcome, where the caller does not say. */
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
    note: textSchema(MAX_NOTE).nullish().openapi({ description: 'A remark, of at most 4,096 characters' }),
    response: textSchema(MAX_RESPONSE).nullish().openapi({
      description:
        'The reply to the customer, of at most 8,192 characters; only with `answered`. Of a draft: the draft itself when absent',
    }),
    intent: textSchema(MAX_NAME)
      .nullish()
      .openapi({ description: 'The intent of the message as the person sees it: one of the playbook' }),
    escalation_right: z
      .boolean({ error: 'must be true or false' })
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
