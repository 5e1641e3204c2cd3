import { createRoute, z } from '@hono/zod-openapi';
import type { Tool } from '../../ports/tool.ts';
import { anyObjectSchema, errorResponses, jsonContent } from './wire.ts';

const toolSchema = z
  .object({
    name: z.string().openapi({ example: 'refund_policy' }),
    description: z.string(),
    input_schema: anyObjectSchema.openapi({ description: 'JSON Schema of the input' }),
  })
  .openapi('Tool');

export const toolsRoute = createRoute({
  method: 'get',
  path: '/tools',
  operationId: 'listTools',
  tags: ['Tools'],
  summary: 'List the registered tools with their input schemas',
  responses: {
    200: jsonContent(
      z.object({ count: z.number().int(), tools: z.array(toolSchema) }).openapi('ToolList'),
      'All registered tools',
    ),
    ...errorResponses(),
  },
});

/** A tool in its wire form. */
export function toWireTool({ name, description, input }: Tool) {
  return { name, description, input_schema: { ...input.toJSONSchema({ io: 'input' }) } };
}
