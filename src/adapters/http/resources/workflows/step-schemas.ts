import { z } from '@hono/zod-openapi';
import {
  MAX_TITLE_LENGTH,
  STEP_ID_TEXT,
  stepIdPattern,
} from '../../../../domain/workflow/checks/policies.ts';
import {
  expiryOutcomes,
  MAX_CHAIN_STEPS,
  rejectionOutcomes,
  stepKinds,
} from '../../../../domain/workflow/definition.ts';
import { isPlainObject, type JsonObject } from '../../../../lib/json/json.ts';
import { anyObjectSchema, jsonObjectSchema, requiredText, textListSchema } from '../schemas.ts';
import { checkKindMembers } from './kind-members.ts';
import {
  boundedNumber,
  choice,
  expressionSchema,
  policySchemas,
  userSchemaSchema,
} from './policy-schemas.ts';

/** An object, or a text that is one expression; the definition is checked for that. */
const staticInputSchema = z
  .custom<JsonObject | string>((value) => typeof value === 'string' || isPlainObject(value), {
    error: 'must be an object',
  })
  .openapi({ type: ['object', 'string'], additionalProperties: true });

const registeredName = z
  .string({ error: requiredText })
  .min(1, 'must not be empty')
  .max(64, 'must be at most 64 characters')
  .optional();

/** The schemas of the members of a step in a request, without the definition within it. */
const plainMembers = {
  id: z
    .string({ error: requiredText })
    .regex(stepIdPattern, STEP_ID_TEXT)
    .openapi({ description: 'Unique within the definition', example: 'look_up_order' }),
  kind: z
    .enum(stepKinds, { error: 'must be tool, agent, workflow, wait or approval' })
    .default('tool')
    .openapi({ description: 'What the step does' }),
  tool_name: registeredName.openapi({
    description: 'Required when `kind` is `tool`',
    example: 'check_order_status',
  }),
  agent_name: registeredName.openapi({ description: 'Required when `kind` is `agent`' }),
  workflow_id: z
    .string({ error: requiredText })
    .min(1, 'must not be empty')
    .max(128, 'must be at most 128 characters')
    .optional()
    .openapi({
      description:
        'Required when `kind` is `workflow`: the workflow that runs with the input, by its id, or by `key:` and its key',
    }),
  duration_ms: boundedNumber('duration_ms', 'For `kind` `wait`: how long; at most 30 days'),
  until: expressionSchema.optional().openapi({
    description:
      'For `kind` `wait`, instead of `duration_ms`: a time in ISO 8601 with an offset or `Z`, or an expression that evaluates to one, or to a timestamp. A time in the past ends the wait at once.',
    example: '2026-12-24T18:00:00Z',
  }),
  title: z
    .string({ error: requiredText })
    .min(1, 'must not be empty')
    .max(MAX_TITLE_LENGTH, `must be at most ${MAX_TITLE_LENGTH} characters`)
    .optional()
    .openapi({
      description: 'Required when `kind` is `approval`: one line that says what is to be approved',
    }),
  payload: jsonObjectSchema
    .optional()
    .openapi({ description: 'For `kind` `approval`: what the person needs to see. May contain templates.' }),
  response_schema: userSchemaSchema.optional().openapi({
    description: 'For `kind` `approval`: the JSON Schema (2020-12) of the data that comes with an approval',
  }),
  expires_in_ms: boundedNumber('expires_in_ms', 'For `kind` `approval`: when it expires; never when absent'),
  on_expire: choice(expiryOutcomes)
    .optional()
    .openapi({ description: 'For `kind` `approval`: what an expiry counts as; `reject` when absent' }),
  on_reject: choice(rejectionOutcomes).optional().openapi({
    description:
      'For `kind` `approval`: a rejection fails the step (`fail`, the default), or it completes with `approved: false`',
  }),
  depends_on: textListSchema({ notAList: 'must be an array of step ids', notAText: 'must be a step id' })
    .default([])
    .openapi({ default: [], description: 'Ids of the steps that must finish first' }),
  static_input: staticInputSchema.default({}).openapi({
    description:
      'Input of the step: an object, or a text that is wholly one `${{ … }}` which evaluates to an object. A string that consists of `$step.<id>.<key>` or `$input.<path>` is replaced by that value; `$$` at the start stands for a literal `$`. `${{ … }}` within a string is an expression (CEL) over `input`, `steps`, `run` and `schedule`, and with `foreach` over `item` and `index`.',
    example: { order_id: '$input.order_id' },
  }),
  ...policySchemas,
};

const plainStep = z.object(plainMembers);

/** A definition within a step, of steps of a type. */
export interface Chain<Step> {
  input_schema?: JsonObject | undefined;
  output?: JsonObject | undefined;
  steps: Step[];
}

/** A step in a request, as it was sent. */
export interface StepInput extends z.input<typeof plainStep> {
  definition?: Chain<StepInput> | undefined;
}

/** A step in a request, with its defaults. */
export interface StepOutput extends z.output<typeof plainStep> {
  definition?: Chain<StepOutput> | undefined;
}

/** The members of a definition within a step. */
function chainMembers<Step extends z.ZodType>(step: Step) {
  return {
    input_schema: userSchemaSchema.optional().openapi({
      description:
        'The JSON Schema (2020-12) of the input of the step; one that does not fit fails it, or its item',
    }),
    output: jsonObjectSchema.optional().openapi({
      description:
        'The `output` of each run. May contain templates over `input` and all steps of the definition.',
    }),
    steps: z
      .array(step, { error: 'must be an array of steps' })
      .openapi({ description: `The graph: at least one step, at most ${MAX_CHAIN_STEPS}` }),
  };
}

/** The names of the members of a definition within a step. */
export const chainMemberNames: readonly string[] = Object.keys(chainMembers(z.unknown()));

/** The schema `ChainRequest` of the OpenAPI document. */
const chainRequestSchema: z.ZodType<Chain<StepOutput>, Chain<StepInput>> = z
  .lazy(() => z.object(chainMembers(stepRequestSchema), { error: 'must be an object' }))
  .openapi('ChainRequest');

/** The schemas of all members of a step in a request. */
const stepMembers = {
  ...plainMembers,
  definition: chainRequestSchema.optional().openapi({
    description:
      'For `kind` `workflow`, instead of `workflow_id`: steps of its own, which run with the input as a child execution; with `foreach` one for each item',
  }),
};

/** The names of all members of a step in a request. */
export const stepMemberNames: readonly string[] = Object.keys(stepMembers);

/** The schema `WorkflowStepRequest` of the OpenAPI document. */
export const stepRequestSchema = z
  .object(stepMembers)
  .superRefine(checkKindMembers, { when: ({ value }) => isPlainObject(value) })
  .openapi('WorkflowStepRequest');

/** The members of a step in a response, without the definition within it. */
const answeredMembers = {
  ...plainMembers,
  id: z.string().describe('Unique within the definition'),
  kind: z.enum(stepKinds).describe('What the step does'),
  tool_name: z.string().optional().describe('Name of the tool, when `kind` is `tool`'),
  agent_name: z.string().optional().describe('Name of the agent, when `kind` is `agent`'),
  workflow_id: z
    .string()
    .optional()
    .describe('Id of the workflow, or `key:` and its key, when `kind` is `workflow`'),
  depends_on: z.array(z.string()).describe('Ids of the steps that must finish first'),
  static_input: z
    .union([anyObjectSchema, z.string()])
    .describe('Input of the step, with its templates as written'),
};

const answeredStep = z.object(answeredMembers);

/** A step in a response. */
export interface StepAnswer extends z.output<typeof answeredStep> {
  definition?: Chain<StepAnswer> | undefined;
}

/** What a step in a response is made from. */
export interface StepAnswerInput extends z.input<typeof answeredStep> {
  definition?: Chain<StepAnswerInput> | undefined;
}

/** The schema `Chain` of the OpenAPI document. */
const chainSchema: z.ZodType<Chain<StepAnswer>, Chain<StepAnswerInput>> = z
  .lazy(() => z.object(chainMembers(stepSchema)))
  .openapi('Chain');

/** The schema `WorkflowStep` of the OpenAPI document. Members that were not sent are absent. */
export const stepSchema = z
  .object({
    ...answeredMembers,
    definition: chainSchema.optional().openapi({
      description: 'The steps that it runs, when `kind` is `workflow` and it has no `workflow_id`',
    }),
  })
  .openapi('WorkflowStep');
