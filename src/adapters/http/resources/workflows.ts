import { createRoute, z } from '@hono/zod-openapi';
import {
  type Step,
  stepKinds,
  type WorkflowDefinition,
  type WorkflowDraft,
} from '../../../domain/workflow/definition.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import { workflowExample, workflowRequestExample, workflowsExample } from '../docs/examples.ts';
import {
  anyObjectSchema,
  errorResponses,
  idParameter,
  jsonContent,
  jsonObjectSchema,
  pageQuerySchema,
  pageSchema,
  requiredText,
  textListSchema,
} from './schemas.ts';

const stepIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const registeredName = z
  .string({ error: requiredText })
  .min(1, 'must not be empty')
  .max(64, 'must be at most 64 characters')
  .optional();

const stepRequestSchema = z
  .object({
    id: z
      .string({ error: requiredText })
      .regex(stepIdPattern, 'must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or digit')
      .openapi({ description: 'Unique within the definition', example: 'look_up_order' }),
    kind: z
      .enum(stepKinds, { error: 'must be tool or agent' })
      .default('tool')
      .openapi({ description: 'Whether a tool or an agent does the step' }),
    tool_name: registeredName.openapi({
      description: 'Mandatory when `kind` is `tool`',
      example: 'check_order_status',
    }),
    agent_name: registeredName.openapi({ description: 'Mandatory when `kind` is `agent`' }),
    depends_on: textListSchema({ noList: 'must be an array of step ids', noText: 'must be a step id' })
      .default([])
      .openapi({ default: [], description: 'Ids of the steps that must finish first' }),
    static_input: jsonObjectSchema.default({}).openapi({
      description:
        'Input of the step. A string that is wholly `$step.<id>.<key>` or `$input.<path>` is replaced by that value; `$$` at the start stands for a literal `$`.',
      example: { order_id: '$input.order_id' },
    }),
  })
  .superRefine(nameTarget, { when: ({ value }) => isPlainObject(value) })
  .openapi('WorkflowStepRequest');

/** Asks for the name that the step's kind needs, also where something else is wrong with the step. */
function nameTarget(
  step: { readonly kind: unknown; readonly tool_name?: unknown; readonly agent_name?: unknown },
  context: z.RefinementCtx,
): void {
  const missing = step.kind === 'agent' ? 'agent_name' : step.kind === 'tool' ? 'tool_name' : undefined;
  if (missing === undefined || step[missing] !== undefined) return;
  const message = `is required for a step of kind ${step.kind}`;
  context.addIssue({ code: 'custom', path: [missing], message });
}

const workflowRequestSchema = z
  .object({
    name: z
      .string({ error: requiredText })
      .min(1, 'must not be empty')
      .max(128, 'must be at most 128 characters')
      .openapi({ description: 'Display name', example: 'Answer an order question' }),
    description: z
      .string({ error: 'must be a string' })
      .max(1_024, 'must be at most 1024 characters')
      .default('')
      .openapi({ description: 'What it is for' }),
    steps: z
      .array(stepRequestSchema, { error: 'must be an array of steps' })
      .openapi({ description: 'The graph: at least one step, at most `MAX_WORKFLOW_STEPS`' }),
  })
  .openapi('WorkflowRequest');

const stepSchema = z
  .object({
    id: z.string().describe('Unique within the definition'),
    kind: z.enum(stepKinds).describe('Whether a tool or an agent does the step'),
    tool_name: z.string().optional().describe('Of steps of kind `tool`'),
    agent_name: z.string().optional().describe('Of steps of kind `agent`'),
    depends_on: z.array(z.string()).describe('Ids of the steps that must finish first'),
    static_input: anyObjectSchema.describe('Input of the step, its templates as they were written'),
  })
  .openapi('WorkflowStep');

const workflowSchema = z
  .object({
    id: z.string().describe('Used as `{id}` in paths'),
    name: z.string().describe('Display name'),
    description: z.string().describe('What it is for'),
    steps: z.array(stepSchema).describe('In the order sent'),
    layers: z.array(z.array(z.string())).openapi({
      description: 'Step ids by layer: the steps of a layer run concurrently, layers one after the other',
    }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'What was odd at creation but may be right at run time' }),
    created_at: z.iso.datetime().describe('When it was stored'),
  })
  .openapi('Workflow');

export const workflowParams = z.object({ id: idParameter('`id` of the definition') });

export const createWorkflowRoute = createRoute({
  method: 'post',
  path: '/workflows',
  operationId: 'createWorkflow',
  tags: ['Workflows'],
  summary: 'Define a workflow',
  description:
    'Duplicate step ids, dependencies on unknown steps and cycles are refused, all faults together. Definitions are immutable.',
  request: {
    body: { ...jsonContent(workflowRequestSchema, 'The definition', workflowRequestExample), required: true },
  },
  responses: {
    201: {
      ...jsonContent(workflowSchema, 'The stored definition', workflowExample),
      headers: z.object({ Location: z.string().openapi({ description: 'Path of the definition' }) }),
    },
    ...errorResponses(400, 409, 413, 415, 422, 503),
  },
});

export const workflowsRoute = createRoute({
  method: 'get',
  path: '/workflows',
  operationId: 'listWorkflows',
  tags: ['Workflows'],
  summary: 'List workflow definitions, newest first',
  description: 'Definitions as they were answered at their creation.',
  request: { query: pageQuerySchema },
  responses: {
    200: jsonContent(pageSchema('workflows', workflowSchema), 'A page of definitions', workflowsExample),
    ...errorResponses(422, 503),
  },
});

export const workflowRoute = createRoute({
  method: 'get',
  path: '/workflows/{id}',
  operationId: 'getWorkflow',
  tags: ['Workflows'],
  summary: 'Read a workflow definition',
  description: 'The definition as it was answered at its creation.',
  request: { params: workflowParams },
  responses: {
    200: jsonContent(workflowSchema, 'The definition', workflowExample),
    ...errorResponses(404, 503),
  },
});

export const deleteWorkflowRoute = createRoute({
  method: 'delete',
  path: '/workflows/{id}',
  operationId: 'deleteWorkflow',
  tags: ['Workflows'],
  summary: 'Delete a workflow definition',
  description: 'Its executions stay until their retention ends.',
  request: { params: workflowParams },
  responses: { 204: { description: 'Deleted' }, ...errorResponses(404, 503) },
});

/** A definition as the core wants it; that the step's name is there was checked by the schema. */
export function toWorkflowDraft(request: z.output<typeof workflowRequestSchema>): WorkflowDraft {
  return { name: request.name, description: request.description, steps: request.steps.map(toStep) };
}

function toStep(step: z.output<typeof stepRequestSchema>): Step {
  const common = { id: step.id, dependsOn: step.depends_on, staticInput: step.static_input };
  return step.kind === 'tool'
    ? { ...common, kind: 'tool', toolName: step.tool_name ?? '' }
    : { ...common, kind: 'agent', agentName: step.agent_name ?? '' };
}

/** A definition in its wire form. */
export function toWireWorkflow(workflow: WorkflowDefinition): z.input<typeof workflowSchema> {
  return {
    id: workflow.id,
    name: workflow.name,
    description: workflow.description,
    steps: workflow.steps.map(toWireStep),
    layers: workflow.layers.map((layer) => [...layer]),
    warnings: [...workflow.warnings],
    created_at: workflow.createdAt,
  };
}

function toWireStep(step: Step): z.input<typeof stepSchema> {
  const name = step.kind === 'tool' ? { tool_name: step.toolName } : { agent_name: step.agentName };
  return {
    id: step.id,
    kind: step.kind,
    ...name,
    depends_on: [...step.dependsOn],
    static_input: step.staticInput,
  };
}
