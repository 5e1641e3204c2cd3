import { z } from '@hono/zod-openapi';
import { WORKFLOW_KEY_TEXT, workflowKeyPattern } from '../../../../domain/workflow/key.ts';
import type { BodyRules } from '../../middleware/validation.ts';
import { idParameter, jsonObjectSchema, requiredText } from '../schemas.ts';
import { boundedNumber, userSchemaSchema } from './policy-schemas.ts';
import { requestNotes } from './request-notes.ts';
import { stepRequestSchema, stepSchema } from './step-schemas.ts';

/** The members of a definition that may be absent. */
const definitionOptions = {
  input_schema: userSchemaSchema.optional().openapi({
    description:
      'The JSON Schema (2020-12) of the input of its runs; an input that does not fit is rejected with 422',
  }),
  output: jsonObjectSchema.optional().openapi({
    description:
      'The output of a COMPLETED run. May contain templates over `input`, `run`, `schedule` and all steps.',
    example: { status: '$step.order.status' },
  }),
  timeout_ms: boundedNumber('timeout_ms', 'Milliseconds that a run may take, its waits included'),
  max_concurrent_steps: boundedNumber(
    'max_concurrent_steps',
    'How many steps of a layer run at the same time; at most `MAX_CONCURRENT_STEPS`',
  ),
};

const requestMembers = {
  name: z
    .string({ error: requiredText })
    .min(1, 'must not be empty')
    .max(128, 'must be at most 128 characters')
    .openapi({ description: 'Display name', example: 'Answer an order question' }),
  key: z
    .string({ error: 'must be a string' })
    .regex(workflowKeyPattern, WORKFLOW_KEY_TEXT)
    .nullish()
    .openapi({
      description:
        'Another name for it, which no other definition has: `key:<key>` may stand wherever its id does. Absent or null: none for a new definition; a changed one keeps its key',
      example: 'answer-an-order-question',
    }),
  description: z
    .string({ error: 'must be a string' })
    .max(1_024, 'must be at most 1024 characters')
    .default('')
    .openapi({ description: 'What it is for' }),
  steps: z
    .array(stepRequestSchema, { error: 'must be an array of steps' })
    .openapi({ description: 'The graph: at least one step, at most `MAX_WORKFLOW_STEPS`' }),
  ...definitionOptions,
};

/** The schema `WorkflowRequest` of the OpenAPI document. */
export const workflowRequestSchema = z.object(requestMembers).openapi('WorkflowRequest');

/** The schema `Workflow` of the OpenAPI document. */
export const workflowSchema = z
  .object({
    id: z.string().describe('Id of the definition, `{id}` in paths'),
    version: z.number().int().describe('1, and one more for each change'),
    key: z.string().optional().describe('Its key, if it has one'),
    name: z.string().describe('Display name'),
    description: z.string().describe('What it is for'),
    ...definitionOptions,
    steps: z.array(stepSchema).describe('In the order sent'),
    layers: z.array(z.array(z.string())).openapi({
      description: 'Step ids by layer: the steps of a layer run concurrently, layers one after the other',
    }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'Possible mistakes in the definition that do not prevent a run' }),
    created_at: z.iso.datetime().describe('When this version was stored'),
  })
  .openapi('Workflow');

/** The schema `StoredWorkflow` of the OpenAPI document: the answer to `PUT`. */
export const storedWorkflowSchema = workflowSchema
  .extend({
    changed: z
      .boolean()
      .optional()
      .describe(
        'Under `key:<key>` only: false where nothing differs from the version before, so that there is no new one',
      ),
  })
  .openapi('StoredWorkflow');

/**
 * The names that a definition in a request may have without a warning: also those of an answer, so that a definition
 * can be read, changed and sent back.
 */
const definitionMemberNames: readonly string[] = Object.keys({
  ...storedWorkflowSchema.shape,
  ...requestMembers,
});

/** The path parameters of a workflow. */
export const workflowParams = z.object({ id: idParameter('`id` of the definition, or `key:` and its key') });

/** What is told about a definition in a request beside its content. Looks at the first `maxSteps` steps. */
export function definitionRules(maxSteps: number): BodyRules {
  return { notes: (body) => requestNotes(body, definitionMemberNames, maxSteps) };
}
