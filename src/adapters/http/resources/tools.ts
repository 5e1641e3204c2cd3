import { createRoute, z } from '@hono/zod-openapi';
import type { Tool } from '../../../ports/tool.ts';
import { toolsExample } from '../docs/examples-agents.ts';
import { anyObjectSchema, errorResponses, jsonContent } from './schemas.ts';

const toolSchema = z
  .object({
    name: z.string().openapi({ description: 'What steps and plans call it by', example: 'refund_policy' }),
    description: z.string().describe('What it does'),
    input_schema: anyObjectSchema.openapi({ description: 'JSON Schema of the input' }),
  })
  .openapi('Tool');

export const toolsRoute = createRoute({
  method: 'get',
  path: '/tools',
  operationId: 'listTools',
  tags: ['Tools'],
  summary: 'List the registered tools with their input schemas',
  description: 'The same tools serve the message pipeline and workflow steps of kind `tool`.',
  responses: {
    200: jsonContent(
      z
        .object({
          count: z.number().int().describe('How many there are'),
          tools: z.array(toolSchema).describe('In the order of their registration'),
        })
        .openapi('ToolList'),
      'All registered tools',
      toolsExample,
    ),
    ...errorResponses(),
  },
});

/** A tool in its wire form. */
export function toWireTool({ name, description, input }: Tool) {
  return { name, description, input_schema: { ...input.toJSONSchema({ io: 'input' }) } };
}
