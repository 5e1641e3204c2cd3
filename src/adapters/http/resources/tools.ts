import { createRoute, z } from '@hono/zod-openapi';
import type { RegisteredTool } from '../../../application/tools/registry.ts';
import type { ToolOutcome } from '../../../domain/message/message.ts';
import { toolEffects, toolOrigins } from '../../../ports/tool.ts';
import { toolCallExample, toolCallRequestExample, toolsExample } from '../docs/examples-agents.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createOnce } from '../idempotency/once.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { includeParameter } from './listing/include.ts';
import { anyObjectSchema, jsonObjectSchema } from './schemas.ts';
import { toolCallSchema } from './trace-schemas.ts';

/** The members that `include` adds to each tool. */
const toolMembers = ['effect', 'source', 'stats'] as const;

const include = includeParameter(toolMembers, 'tool');

/** The calls of a tool since the process started. */
const statsSchema = z.object({
  success: z.number().int().describe('Calls that succeeded'),
  error: z.number().int().describe('Calls that failed'),
  not_found: z.number().int().describe('Calls that found nothing'),
  mean_duration_ms: z
    .number()
    .nullable()
    .describe('Milliseconds of a call on average, retries included; null before the first'),
});

/** A registered tool. */
const toolSchema = z
  .object({
    name: z.string().openapi({ description: 'Name in steps and plans', example: 'refund_policy' }),
    description: z.string().describe('What it does'),
    input_schema: anyObjectSchema.openapi({ description: 'JSON Schema of the input' }),
    output_schema: anyObjectSchema
      .optional()
      .openapi({ description: 'JSON Schema of the output, of a tool that declares one' }),
    effect: z.enum(toolEffects).optional().describe('Only with `include=effect`'),
    source: z
      .enum(toolOrigins)
      .optional()
      .describe('Who registered it; only with `include=source`. `code` is a program that embeds the service'),
    stats: statsSchema
      .optional()
      .describe('Its calls since this process started, of one replica; only with `include=stats`'),
  })
  .openapi('Tool');

/** The response of `GET /tools`. */
const toolListSchema = z
  .object({
    count: z.number().int().describe('Number of tools'),
    tools: z.array(toolSchema).describe('In the order of their registration'),
  })
  .openapi('ToolList');

/** The body of `POST /tools/{name}/call`. */
const toolCallRequestSchema = z
  .object({
    input: jsonObjectSchema.openapi({ description: 'What the tool gets' }),
    idempotency_key: z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
      .optional()
      .openapi({
        description: 'The same for calls that are repeats; a new one when absent',
        example: 'try-1',
      }),
  })
  .openapi('ToolCallRequest');

/** The response of `POST /tools/{name}/call`: a tool call as traces have it. */
const toolOutcomeSchema = toolCallSchema
  .omit({ sequence: true, timestamp: true })
  .extend({
    not_found: z.boolean().describe('The tool answered that there is no such thing as the input names'),
  })
  .openapi('ToolOutcome');

const listToolsRoute = createRoute({
  method: 'get',
  path: '/tools',
  operationId: 'listTools',
  tags: ['Tools'],
  summary: 'List the registered tools with their schemas',
  description: 'The message pipeline and workflow steps of kind `tool` use the same tools.',
  request: { query: z.object({ include: include.schema }) },
  responses: {
    200: jsonContent(toolListSchema, 'All registered tools', toolsExample),
    ...errorResponses(422),
  },
});

const callToolRoute = createRoute({
  method: 'post',
  path: '/tools/{name}/call',
  operationId: 'callTool',
  tags: ['Tools'],
  summary: 'Call a tool, for trying it',
  description:
    'Calls the tool as messages and workflows do, retries included; it does what it does. Returns 200 for every call, also for one that fails or whose input the schema of the tool refuses. No trace is stored.',
  request: {
    params: z.object({
      name: z.string().openapi({ param: { description: '`name` of a tool' }, example: 'check_order_status' }),
    }),
    body: {
      ...jsonContent(toolCallRequestSchema, 'The input of the call', toolCallRequestExample),
      required: true,
    },
  },
  responses: {
    200: jsonContent(toolOutcomeSchema, 'How the call ended', toolCallExample),
    ...errorResponses(400, 404, 413, 415, 422, 503),
  },
});

/** `GET /tools` and `POST /tools/{name}/call`. */
export function toolsResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, maxBodyBytes, newId } = options;
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const once = createOnce(options);
  return app
    .openapi(endpoint(listToolsRoute), (c) => {
      const named = include.parse(c.req.valid('query').include);
      const tools = orchestrator.tools.listRegistered().map((tool) => toToolResponse(tool, named));
      return jsonResponse(c, { count: tools.length, tools }, 200);
    })
    .openapi(idempotentEndpoint(callToolRoute), (c) => {
      const { input, idempotency_key } = c.req.valid('json');
      const toolName = c.req.valid('param').name;
      return once(c, {
        createReference: newId,
        // There is no record of a call. One that a lost process has begun is repeated under the key that the tool got.
        async perform(reference) {
          const idempotencyKey = idempotency_key ?? reference;
          const outcome = await orchestrator.tools.call({ toolName, input, idempotencyKey });
          return jsonResponse(c, toOutcomeResponse(outcome), 200);
        },
        recall: async () => undefined,
      });
    });
}

function toToolResponse(
  { tool, origin, stats }: RegisteredTool,
  named: readonly (typeof toolMembers)[number][],
) {
  const { name, description, input, output, effect = 'read' } = tool;
  const { success, error, notFound, meanDurationMs } = stats;
  const members = {
    effect,
    source: origin,
    stats: { success, error, not_found: notFound, mean_duration_ms: meanDurationMs },
  } as const;
  const response: z.input<typeof toolSchema> = {
    name,
    description,
    input_schema: { ...input.toJSONSchema({ io: 'input', unrepresentable: 'any' }) },
    ...(output === undefined
      ? {}
      : { output_schema: { ...output.toJSONSchema({ io: 'output', unrepresentable: 'any' }) } }),
    ...Object.fromEntries(named.map((member) => [member, members[member]])),
  };
  return response;
}

function toOutcomeResponse(outcome: ToolOutcome): z.input<typeof toolOutcomeSchema> {
  const { toolName, input, output, status, attempts, error, notFound = false, durationMs } = outcome;
  return {
    tool_name: toolName,
    input,
    output,
    status,
    attempts,
    error,
    not_found: notFound,
    duration_ms: durationMs,
  };
}
