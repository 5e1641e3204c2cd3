import { z } from '@hono/zod-openapi';
import { graphIssues, type StepOutline, tooManyStepsText } from '../../../../domain/workflow/checks/graph.ts';
import { MAX_CHAINED_STEPS } from '../../../../domain/workflow/definition.ts';
import { issueText } from '../../../../domain/workflow/issues.ts';
import { WORKFLOW_KEY_TEXT, workflowKeyPattern } from '../../../../domain/workflow/key.ts';
import { isPlainObject } from '../../../../lib/json/json.ts';
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
    description: 'The output of a COMPLETED run. May contain templates over `input` and all steps.',
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
 * The names that a definition in a request may have without a warning: also those of an answer, so that a definition can
 * be read, changed and sent back.
 */
const definitionMemberNames: readonly string[] = Object.keys({
  ...storedWorkflowSchema.shape,
  ...requestMembers,
});

/** The path parameters of a workflow. */
export const workflowParams = z.object({ id: idParameter('`id` of the definition, or `key:` and its key') });

/**
 * The rules for a workflow definition of at most `maxSteps` steps. The issues of its graph are reported together with
 * those of its schema (decisions, section 3). Of more steps the number alone is told: none of them is looked at.
 */
export function definitionRules(maxSteps: number): BodyRules {
  return {
    furtherIssues: (body) => [
      ...graphIssuesOf(body, maxSteps),
      ...chainedIssuesOf(withoutTooMany(body, maxSteps)),
    ],
    checkedPart: (body) => withoutManyChained(withoutTooMany(body, maxSteps)),
    notes: (body) => requestNotes(body, definitionMemberNames, maxSteps),
  };
}

function withoutTooMany(body: unknown, maxSteps: number): unknown {
  if (!isPlainObject(body) || !Array.isArray(body['steps']) || body['steps'].length <= maxSteps) return body;
  return { ...body, steps: [] };
}

/** The steps of a body, or of a definition within a step. */
function stepsOf(definition: unknown): readonly unknown[] {
  const steps = isPlainObject(definition) ? definition['steps'] : undefined;
  return Array.isArray(steps) ? steps : [];
}

/** Whether the definitions within steps have more steps together than the schema may check. */
function hasManyChained(body: unknown): boolean {
  let count = 0;
  const visit = (definition: unknown): boolean =>
    stepsOf(definition).some((step) => {
      const chain = isPlainObject(step) ? step['definition'] : undefined;
      count += stepsOf(chain).length;
      return count > MAX_CHAINED_STEPS || visit(chain);
    });
  return visit(body);
}

function chainedIssuesOf(body: unknown): readonly string[] {
  const issue = `steps: the definitions within them must have at most ${MAX_CHAINED_STEPS} steps together`;
  return hasManyChained(body) ? [issue] : [];
}

function withoutManyChained(body: unknown): unknown {
  if (!isPlainObject(body) || !hasManyChained(body)) return body;
  const definition = { steps: [] };
  const steps = stepsOf(body).map((step) =>
    isPlainObject(step) && step['definition'] !== undefined ? { ...step, definition } : step,
  );
  return { ...body, steps };
}

/** The issues of the graph of a body that failed its schema; none where it has no list of steps. */
function graphIssuesOf(body: unknown, maxSteps: number): readonly string[] {
  if (!isPlainObject(body) || !Array.isArray(body['steps'])) return [];
  const steps: readonly unknown[] = body['steps'];
  if (steps.length > maxSteps) return [`steps: ${tooManyStepsText(steps.length, maxSteps)}`];
  return graphIssues(steps.map(outlineOf), maxSteps).map(issueText);
}

function outlineOf(step: unknown, index: number): StepOutline {
  const { id, depends_on } = isPlainObject(step) ? step : {};
  return {
    // An invalid id is replaced by one that no step can have: it is neither a duplicate nor a dependency.
    id: typeof id === 'string' ? id : `\u0000${index}`,
    dependsOn: Array.isArray(depends_on) ? depends_on.filter((entry) => typeof entry === 'string') : [],
  };
}
