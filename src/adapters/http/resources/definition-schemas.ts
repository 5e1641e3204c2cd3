import { z } from '@hono/zod-openapi';
import {
  type BoundedName,
  boundsText,
  definitionBounds,
  MAX_TITLE_LENGTH,
  STEP_ID_TEXT,
  stepIdPattern,
  takesFractions,
} from '../../../domain/workflow/checks/policies.ts';
import {
  expiryOutcomes,
  MAX_CHAIN_STEPS,
  rejectionOutcomes,
  type StepKind,
  stepKinds,
} from '../../../domain/workflow/definition.ts';
import { WORKFLOW_KEY_TEXT, workflowKeyPattern } from '../../../domain/workflow/key.ts';
import { itemErrorPolicies, runConditions } from '../../../domain/workflow/policies.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import {
  anyObjectSchema,
  count,
  idParameter,
  jsonObjectSchema,
  requiredText,
  text,
  textListSchema,
} from './schemas.ts';

// The schemas of workflow definitions: the policies of a step, the steps, and the definition as a whole.

/** A number within the bounds of a definition. */
function boundedNumber(name: BoundedName, description: string) {
  const [min, max] = definitionBounds[name];
  const error = boundsText(name);
  const number = z.number({ error }).min(min, error).max(max, error);
  const schema = takesFractions(name) ? number : number.refine(Number.isInteger, { error });
  return schema.optional().openapi({ type: takesFractions(name) ? 'number' : 'integer', description });
}

/** One of several texts. */
function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}` });
}

/** An expression of the language of definitions. */
const expressionSchema = z.string({ error: 'must be a text with an expression' });

const retryMembers = {
  max_attempts: boundedNumber('max_attempts', 'Attempts in all, the first included').nonoptional({
    error: 'is required',
  }),
  backoff_ms: boundedNumber('backoff_ms', 'Upper bound of the first wait; 100 when absent'),
  factor: boundedNumber('factor', 'By how much the bound grows with each attempt; 2 when absent'),
  max_backoff_ms: boundedNumber('max_backoff_ms', 'Upper bound of every wait; 2,000 when absent'),
};

/** The names of the members of `retry`. */
export const retryMemberNames: readonly string[] = Object.keys(retryMembers);

/** The attempts of a step. */
export const retrySchema = z.object(retryMembers, { error: 'must be an object' }).openapi({
  description:
    'The attempts at the tool or agent, in place of `TOOL_MAX_ATTEMPTS`. A tool with the effect `write` is repeated only where that is safe.',
  example: { max_attempts: 5, backoff_ms: 500 },
});

const foreachMembers = {
  items: z
    .custom<JsonValue[] | string>((value) => typeof value === 'string' || Array.isArray(value), {
      error: 'must be a list, or a text with an expression',
    })
    .openapi({
      type: ['array', 'string'],
      items: {},
      description:
        'A list, which may contain templates, or an expression that evaluates to one; at most `MAX_FOREACH_ITEMS` items',
    }),
  concurrency: boundedNumber('concurrency', 'How many items run at the same time; 8 when absent'),
  on_item_error: choice(itemErrorPolicies).optional().openapi({
    description: '`fail`, the default: after the first failed item no further one is started',
  }),
};

/** The names of the members of `foreach`. */
export const foreachMemberNames: readonly string[] = Object.keys(foreachMembers);

/** The items of a step. */
export const foreachSchema = z.object(foreachMembers, { error: 'must be an object' }).openapi({
  description:
    'Runs the step once for each item. Its output is `{"results": […], "errors": {"3": "…"}, "count", "failed"}`.',
  example: { items: 'steps.order.lines', concurrency: 4 },
});

/** The names of the members of `on_error`, where it is an object. */
export const onErrorMemberNames: readonly string[] = ['output'];

const onErrorSchema = z
  .custom<'fail' | 'continue' | { readonly output: Record<string, JsonValue> }>(
    (value) =>
      value === 'fail' || value === 'continue' || (isPlainObject(value) && isPlainObject(value['output'])),
    { error: 'must be fail, continue or {"output": {…}}' },
  )
  .openapi({
    type: ['string', 'object'],
    properties: { output: { type: 'object', additionalProperties: true } },
    description:
      'What becomes of the run when the step fails: it fails (`fail`, the default), it goes on (`continue`), or the step counts as completed with this output',
    example: 'continue',
  });

/** The members of a step that say how it runs. */
const policySchemas = {
  when: expressionSchema.optional().openapi({
    description: 'An expression that must evaluate to a boolean. Where it is false, the step is SKIPPED.',
    example: 'steps.order.total > 100',
  }),
  run_if: choice(runConditions).optional().openapi({
    description:
      'When it runs, by how its dependencies ended. `none_failed`, the default: none FAILED, and at least one COMPLETED or there are none. `all_completed`. `always`: however they ended, also after the run has failed.',
  }),
  retry: retrySchema.optional(),
  timeout_ms: boundedNumber('timeout_ms', 'Milliseconds that the step may take in all'),
  on_error: onErrorSchema.optional(),
  foreach: foreachSchema.optional(),
};

/** A JSON Schema in a request. */
const userSchemaSchema = jsonObjectSchema.openapi({
  example: {
    type: 'object',
    properties: { order_id: { type: 'string' } },
    required: ['order_id'],
  },
});

/** An object, or a text that is one expression; the definition is checked for that. */
const staticInputSchema = z
  .custom<JsonObject | string>((value) => typeof value === 'string' || isPlainObject(value), {
    error: 'must be an object',
  })
  .openapi({ type: ['object', 'string'], additionalProperties: true });

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
  tool_name: text(64).optional().openapi({
    description: 'Required when `kind` is `tool`',
    example: 'check_order_status',
  }),
  agent_name: text(64).optional().openapi({ description: 'Required when `kind` is `agent`' }),
  workflow_id: text(128).optional().openapi({
    description:
      'Required when `kind` is `workflow`: the workflow that runs with the input, by its id, or by `key:` and its key',
  }),
  duration_ms: boundedNumber('duration_ms', 'For `kind` `wait`: how long; at most 30 days'),
  until: expressionSchema.optional().openapi({
    description:
      'For `kind` `wait`, instead of `duration_ms`: a time in ISO 8601 with an offset or `Z`, or an expression that evaluates to one, or to a timestamp. A time in the past ends the wait at once.',
    example: '2026-12-24T18:00:00Z',
  }),
  title: text(MAX_TITLE_LENGTH).optional().openapi({
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

/** The input of a step in a response. */
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

/** The members that only steps of one kind have. */
const membersOfKind = {
  tool: ['tool_name'],
  agent: ['agent_name'],
  workflow: ['workflow_id', 'definition'],
  wait: ['duration_ms', 'until'],
  approval: ['title', 'payload', 'response_schema', 'expires_in_ms', 'on_expire', 'on_reject'],
} as const satisfies Record<StepKind, readonly string[]>;

/** The members that only steps of some kind have. */
export const membersOfKinds: readonly string[] = Object.values(membersOfKind).flat();

/** The member that a step of a kind must have. */
export const requiredMembers: Partial<Record<StepKind, string>> = {
  tool: 'tool_name',
  agent: 'agent_name',
  workflow: 'workflow_id',
  approval: 'title',
};

/** A step as it was sent, as far as it is known to be valid. */
type SentStep = Readonly<Record<string, unknown>>;

/** The kind of a step, or undefined where it has none that exists. */
export function kindOf({ kind = 'tool' }: SentStep): StepKind | undefined {
  return stepKinds.find((known) => known === kind);
}

/** Adds the issues of the members that depend on the step's kind, also when the step has other issues. */
function checkKindMembers(step: SentStep, context: z.RefinementCtx): void {
  const kind = kindOf(step);
  if (kind === undefined) return;
  const required = requiredMembers[kind];
  const hasChain = kind === 'workflow' && step['definition'] !== undefined;
  if (required !== undefined && step[required] === undefined && !hasChain) {
    addIssue(context, required, `is required for a step of kind ${kind}`);
  }
  for (const [member, other] of membersOfOthers(step, kind)) {
    if (!isIgnored(kind, other)) addIssue(context, member, `is only for steps of kind ${other}`);
  }
}

/** The members of a step that it does not use and that have always been accepted. */
export function unusedMembers(step: SentStep): readonly string[] {
  const kind = kindOf(step);
  if (kind === undefined) return [];
  return membersOfOthers(step, kind).flatMap(([member, other]) => (isIgnored(kind, other) ? [member] : []));
}

function membersOfOthers(step: SentStep, kind: StepKind): readonly (readonly [string, StepKind])[] {
  return stepKinds.flatMap((other) =>
    other === kind
      ? []
      : membersOfKind[other].flatMap((member) =>
          step[member] === undefined ? [] : [[member, other] as const],
        ),
  );
}

/** The name of a tool in a step for an agent, and the other way round, has no effect, but is no error. */
function isIgnored(kind: StepKind, other: StepKind): boolean {
  return [kind, other].every((name) => name === 'tool' || name === 'agent');
}

function addIssue(context: z.RefinementCtx, member: string, message: string): void {
  context.addIssue({ code: 'custom', path: [member], message });
}

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
  name: text(128).openapi({ description: 'Display name', example: 'Answer an order question' }),
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
    version: count('1, and one more for each change'),
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
export const definitionMemberNames: readonly string[] = Object.keys({
  ...storedWorkflowSchema.shape,
  ...requestMembers,
});

/** The path parameters of a workflow. */
export const workflowParams = z.object({ id: idParameter('`id` of the definition, or `key:` and its key') });
