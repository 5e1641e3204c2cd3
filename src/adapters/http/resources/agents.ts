import { createRoute, z } from '@hono/zod-openapi';
import { agentsExample } from '../docs/examples-agents.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';

const agentSchema = z
  .object({
    name: z.string().describe('Name in subtasks and steps'),
    description: z.string().describe('What it does'),
    keywords: z
      .array(z.string())
      .optional()
      .openapi({
        description: 'The words by which goals are routed to it; only with `include=keywords`',
        example: ['echo', 'repeat', 'say back'],
      }),
  })
  .openapi('Agent');

const agentListSchema = z
  .object({
    count: z.number().int().describe('Number of agents'),
    agents: z.array(agentSchema).describe('In the order of their registration'),
  })
  .openapi('AgentList');

const querySchema = z.object({
  include: z
    .literal('keywords', {
      error: (issue) => (Array.isArray(issue.input) ? 'must be given once' : 'must be keywords'),
    })
    .optional()
    .openapi({ param: { description: 'Further members of each agent' }, example: 'keywords' }),
});

const listAgentsRoute = createRoute({
  method: 'get',
  path: '/agents',
  operationId: 'listAgents',
  tags: ['Agents'],
  summary: 'List the registered agents',
  description: 'Each of them can be the target of a subtask and of a workflow step.',
  request: { query: querySchema },
  responses: {
    200: jsonContent(agentListSchema, 'All registered agents', agentsExample),
    ...errorResponses(422),
  },
});

/** `GET /agents`. */
export function agentsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(listAgentsRoute), (c) => {
    const withKeywords = c.req.valid('query').include === 'keywords';
    const agents = orchestrator.agents.list().map(({ name, description, keywords = [] }) => ({
      name,
      description,
      ...(withKeywords ? { keywords: [...keywords] } : {}),
    }));
    return jsonResponse(c, { count: agents.length, agents }, 200);
  });
}
