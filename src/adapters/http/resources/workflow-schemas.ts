import { z } from '@hono/zod-openapi';
import { stepKinds } from '../../../domain/workflow/definition.ts';
import { graphIssues, type StepOutline } from '../../../domain/workflow/validation.ts';
import { isPlainObject } from '../../../lib/json/json.ts';
import type { BodyRules } from '../middleware/validation.ts';
import { anyObjectSchema, idParameter, jsonObjectSchema, requiredText, textListSchema } from './schemas.ts';

const stepIdPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const registeredName = z
  .string({ error: requiredText })
  .min(1, 'must not be empty')
  .max(64, 'must be at most 64 characters')
  .optional();

/** The schema `WorkflowStepRequest` of the OpenAPI document. */
export const stepRequestSchema = z
  .object({
    id: z
      .string({ error: requiredText })
      .regex(stepIdPattern, 'must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or digit')
      .openapi({ description: 'Unique within the definition', example: 'look_up_order' }),
    kind: z
      .enum(stepKinds, { error: 'must be tool or agent' })
      .default('tool')
      .openapi({ description: 'Whether a tool or an agent runs the step' }),
    tool_name: registeredName.openapi({
      description: 'Required when `kind` is `tool`',
      example: 'check_order_status',
    }),
    agent_name: registeredName.openapi({ description: 'Required when `kind` is `agent`' }),
    depends_on: textListSchema({ notAList: 'must be an array of step ids', notAText: 'must be a step id' })
      .default([])
      .openapi({ default: [], description: 'Ids of the steps that must finish first' }),
    static_input: jsonObjectSchema.default({}).openapi({
      description:
        'Input of the step. A string that consists of `$step.<id>.<key>` or `$input.<path>` is replaced by that value; `$$` at the start stands for a literal `$`.',
      example: { order_id: '$input.order_id' },
    }),
  })
  .superRefine(requireTargetName, { when: ({ value }) => isPlainObject(value) })
  .openapi('WorkflowStepRequest');

/** Requires the name for the step's kind, also when the step has other issues. */
function requireTargetName(
  step: { readonly kind: unknown; readonly tool_name?: unknown; readonly agent_name?: unknown },
  context: z.RefinementCtx,
): void {
  const required = step.kind === 'agent' ? 'agent_name' : step.kind === 'tool' ? 'tool_name' : undefined;
  if (required === undefined || step[required] !== undefined) return;
  const message = `is required for a step of kind ${step.kind}`;
  context.addIssue({ code: 'custom', path: [required], message });
}

/** The schema `WorkflowRequest` of the OpenAPI document. */
export const workflowRequestSchema = z
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

/** The schema `WorkflowStep` of the OpenAPI document. */
export const stepSchema = z
  .object({
    id: z.string().describe('Unique within the definition'),
    kind: z.enum(stepKinds).describe('Whether a tool or an agent runs the step'),
    tool_name: z.string().optional().describe('Name of the tool, when `kind` is `tool`'),
    agent_name: z.string().optional().describe('Name of the agent, when `kind` is `agent`'),
    depends_on: z.array(z.string()).describe('Ids of the steps that must finish first'),
    static_input: anyObjectSchema.describe('Input of the step, with its templates as written'),
  })
  .openapi('WorkflowStep');

/** The schema `Workflow` of the OpenAPI document. */
export const workflowSchema = z
  .object({
    id: z.string().describe('Id of the definition, `{id}` in paths'),
    name: z.string().describe('Display name'),
    description: z.string().describe('What it is for'),
    steps: z.array(stepSchema).describe('In the order sent'),
    layers: z.array(z.array(z.string())).openapi({
      description: 'Step ids by layer: the steps of a layer run concurrently, layers one after the other',
    }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'Possible mistakes in the definition that do not prevent a run' }),
    created_at: z.iso.datetime().describe('When it was stored'),
  })
  .openapi('Workflow');

/** The path parameters of a workflow. */
export const workflowParams = z.object({ id: idParameter('`id` of the definition') });

/** The number of steps that the schema checks, as a multiple of the maximum number of steps. */
const CHECKED_FACTOR = 10;

/**
 * The rules for a workflow definition of at most `maxSteps` steps. The issues of its graph are reported together with
 * those of its schema (decisions, section 3). The schema checks only the first steps of a much too long list, because
 * reporting the issues of all of them would be slow.
 */
export function definitionRules(maxSteps: number): BodyRules {
  return {
    furtherIssues: (body) => graphIssuesOf(body, maxSteps),
    checkedPart: (body) => firstSteps(body, maxSteps * CHECKED_FACTOR),
  };
}

function firstSteps(body: unknown, maxChecked: number): unknown {
  if (!isPlainObject(body)) return body;
  const steps = body['steps'];
  if (!Array.isArray(steps) || steps.length <= maxChecked) return body;
  return { ...body, steps: steps.slice(0, maxChecked) };
}

/** The issues of the graph of a body that failed its schema; none where it has no list of steps. */
function graphIssuesOf(body: unknown, maxSteps: number): readonly string[] {
  if (!isPlainObject(body) || !Array.isArray(body['steps'])) return [];
  return graphIssues(body['steps'].map(outlineOf), maxSteps);
}

function outlineOf(step: unknown, index: number): StepOutline {
  const { id, depends_on } = isPlainObject(step) ? step : {};
  return {
    // An invalid id is replaced by one that no step can have: it is neither a duplicate nor a dependency.
    id: typeof id === 'string' ? id : `\u0000${index}`,
    dependsOn: Array.isArray(depends_on) ? depends_on.filter((entry) => typeof entry === 'string') : [],
  };
}
