import { z } from 'zod';
import { retryLimits } from '../../../domain/retry.ts';
import { MAX_TOOL_TIMEOUT_MS, toolEffects } from '../../../ports/tool.ts';
import { outboundMethods } from '../../shared/outbound/outbound.ts';

const number = ([min, max]: readonly [number, number]) => z.number().min(min).max(max).optional();

const values = 'Values go in as expressions, encoded for their place.';

const requestSchema = z.strictObject({
  method: z.enum(outboundMethods).optional().describe('GET when absent.'),
  url: z
    .string()
    .min(1)
    .max(4_096)
    .describe(`The address. ${values} Not in the scheme, the host or the port.`),
  headers: z
    .record(z.string(), z.string().max(4_096))
    .optional()
    .describe(`By name. \`env:NAME\` or \`Bearer env:NAME\` takes a secret from the environment. ${values}`),
  query: z
    .record(z.string().min(1).max(256), z.union([z.string().max(4_096), z.number(), z.boolean()]))
    .optional()
    .describe(`Parameters by name. A list becomes one parameter for each of its items. ${values}`),
  body: z.unknown().optional().describe(`A JSON value, or a text. ${values}`),
});

const outputSchema = z.strictObject({
  pick: z.string().max(1_024).optional().describe('A JSON pointer to the part of the answer to return.'),
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of that part. An answer that does not fit it fails the call.'),
  status: z
    .record(
      z.string().regex(/^[245]\d\d$/, 'must be a status such as 404, and none of 3xx'),
      z.literal('not_found'),
    )
    .optional()
    .describe('Statuses that mean that there is no such thing as the input names.'),
});

const retrySchema = z.strictObject({
  max_attempts: z.int().min(retryLimits.maxAttempts[0]).max(retryLimits.maxAttempts[1]),
  backoff_ms: number(retryLimits.backoffMs),
  factor: number(retryLimits.factor),
  max_backoff_ms: number(retryLimits.maxBackoffMs),
});

/** The form of an HTTP tool in a playbook or a file of tools. Unknown members are issues. */
export const httpToolSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, "_", "-" or "."')
    .describe('By which intents, plans and steps call it.'),
  description: z.string().min(1).max(2_048).describe('What it does, for people and language models.'),
  effect: z
    .enum(toolEffects)
    .optional()
    .describe(
      '`read` for GET and HEAD, else `write`, when absent. A `write` is not retried once it was sent.',
    ),
  input: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema of the input, an object. A member with `format: id` is an identifier.'),
  from_message: z
    .array(z.string().min(1).max(256))
    .max(64)
    .optional()
    .describe(
      "Members of the input that are identifiers too: a language model fills them in only with the customer's own words.",
    ),
  request: requestSchema,
  output: outputSchema.optional(),
  owner: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe(
      'A JSON pointer into the output, such as /customer_id: for a message of another customer nothing was found.',
    ),
  timeout_ms: z.int().min(1).max(MAX_TOOL_TIMEOUT_MS).optional().describe('For each attempt.'),
  retry: retrySchema.optional().describe('In place of the attempts and waits of the service.'),
});

/** An HTTP tool as {@link httpToolSchema} describes it. */
export type HttpToolDefinition = z.output<typeof httpToolSchema>;
