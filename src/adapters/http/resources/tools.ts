import { createRoute, z } from '@hono/zod-openapi';
import type { Tool } from '../../../ports/tool.ts';
import { toolsExample } from '../docs/examples-agents.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { anyObjectSchema } from './schemas.ts';

const toolSchema = z
  .object({
    name: z.string().openapi({ description: 'Name in steps and plans', example: 'refund_policy' }),
    description: z.string().describe('What it does'),
    input_schema: anyObjectSchema.openapi({ description: 'JSON Schema of the input' }),
  })
  .openapi('Tool');

const toolListSchema = z
  .object({
    count: z.number().int().describe('Number of tools'),
    tools: z.array(toolSchema).describe('In the order of their registration'),
  })
  .openapi('ToolList');

const listToolsRoute = createRoute({
  method: 'get',
  path: '/tools',
  operationId: 'listTools',
  tags: ['Tools'],
  summary: 'List the registered tools with their input schemas',
  description: 'The message pipeline and workflow steps of kind `tool` use the same tools.',
  responses: {
    200: jsonContent(toolListSchema, 'All registered tools', toolsExample),
    ...errorResponses(),
  },
});

/** `GET /tools`. */
export function toolsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(listToolsRoute), (c) => {
    const tools = orchestrator.tools.list().map(toToolResponse);
    return jsonResponse(c, { count: tools.length, tools }, 200);
  });
}

function toToolResponse({ name, description, input }: Tool) {
  return { name, description, input_schema: { ...input.toJSONSchema({ io: 'input' }) } };
}
