import { z } from '@hono/zod-openapi';
import type { RegisteredTool } from '../../../application/tools/registry.ts';
import type { ToolOutcome } from '../../../domain/message/message.ts';
import { toolEffects, toolOrigins } from '../../../ports/tool.ts';
import { actionRoute, answer, getRoute } from '../docs/routes.ts';
import { createIdempotent } from '../idempotency/idempotent.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { included, includeParameter } from './listing.ts';
import { anyObjectSchema, count, jsonObjectSchema } from './schemas.ts';
import { toolCallSchema } from './traces.ts';
import { toWire } from './wire.ts';

/** `GET /tools` and `POST /tools/{name}/call`. */
export function toolsResource(options: ResolvedHttpAppOptions) {
  const { orchestrator, maxBodyBytes, newId } = options;
  const { app, endpoint, idempotentEndpoint } = createResource(maxBodyBytes);
  const idempotent = createIdempotent(options);
  return app
    .openapi(endpoint(listToolsRoute), (c) => {
      const { include } = c.req.valid('query');
      const tools = orchestrator.tools.listRegistered().map((tool) => toToolResponse(tool, include));
      return jsonResponse(c, { count: tools.length, tools }, 200);
    })
    .openapi(idempotentEndpoint(callToolRoute), (c) => {
      const { input, idempotency_key } = c.req.valid('json');
      const toolName = c.req.valid('param').name;
      return idempotent(c, {
        createRecordIds: newId,
        // There is no record of a call. One that a lost process has begun is repeated under the key that the tool got.
        async handle(callId) {
          const idempotencyKey = idempotency_key ?? callId;
          const outcome = await orchestrator.tools.call({ toolName, input, idempotencyKey });
          return jsonResponse(c, toOutcome(outcome), 200);
        },
        replay: async () => undefined,
      });
    });
}

/** The calls of a tool since the process started. */
const statsSchema = z.object({
  success: count('Calls that succeeded'),
  error: count('Calls that failed'),
  not_found: count('Calls that found nothing'),
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
    count: count('Number of tools'),
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

const listToolsRoute = getRoute('/tools', {
  operationId: 'listTools',
  tag: 'Tools',
  summary: 'List the registered tools with their schemas',
  description: 'The message pipeline and workflow steps of kind `tool` use the same tools.',
  query: z.object({ include: includeParameter(['effect', 'source', 'stats'], 'tool') }),
  answer: [toolListSchema, 'All registered tools'],
});

const callToolRoute = actionRoute('/tools/{name}/call', {
  operationId: 'callTool',
  tag: 'Tools',
  summary: 'Call a tool, for trying it',
  description:
    'Calls the tool as messages and workflows do, retries included; it does what it does. Returns 200 for every call, also for one that fails or whose input the schema of the tool refuses. No trace is stored.',
  params: z.object({
    name: z.string().openapi({ param: { description: '`name` of a tool' }, example: 'check_order_status' }),
  }),
  body: [toolCallRequestSchema, 'The input of the call'],
  answers: { 200: answer(toolOutcomeSchema, 'How the call ended') },
});

const toStats = toWire(statsSchema);

function toToolResponse(
  { tool, origin: source, stats }: RegisteredTool,
  include: string | undefined,
): z.input<typeof toolSchema> {
  const { name, description, input, output, effect = 'read' } = tool;
  return {
    name,
    description,
    input_schema: { ...input.toJSONSchema({ io: 'input', unrepresentable: 'any' }) },
    output_schema: output && { ...output.toJSONSchema({ io: 'output', unrepresentable: 'any' }) },
    ...included(include, { effect, source, stats: toStats(stats) }),
  };
}

const toOutcome = toWire(toolOutcomeSchema, ({ notFound = false }: ToolOutcome) => ({ not_found: notFound }));
