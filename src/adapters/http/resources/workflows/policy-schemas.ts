import { z } from '@hono/zod-openapi';
import {
  type BoundedName,
  boundsText,
  definitionBounds,
  takesFractions,
} from '../../../../domain/workflow/checks/policies.ts';
import { itemErrorPolicies, runConditions } from '../../../../domain/workflow/policies.ts';
import { isPlainObject, type JsonValue } from '../../../../lib/json/json.ts';
import { jsonObjectSchema } from '../schemas.ts';

/** A number within the bounds of a definition. */
export function boundedNumber(name: BoundedName, description: string) {
  const [min, max] = definitionBounds[name];
  const error = boundsText(name);
  const number = z.number({ error }).min(min, error).max(max, error);
  const schema = takesFractions(name) ? number : number.refine(Number.isInteger, { error });
  return schema.optional().openapi({ type: takesFractions(name) ? 'number' : 'integer', description });
}

/** One of several texts. */
export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}` });
}

/** An expression of the language of definitions. */
export const expressionSchema = z.string({ error: 'must be a text with an expression' });

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

const retrySchema = z.object(retryMembers, { error: 'must be an object' }).openapi({
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

const foreachSchema = z.object(foreachMembers, { error: 'must be an object' }).openapi({
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
export const policySchemas = {
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
export const userSchemaSchema = jsonObjectSchema.openapi({
  example: {
    type: 'object',
    properties: { order_id: { type: 'string' } },
    required: ['order_id'],
  },
});
