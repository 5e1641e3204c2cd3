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
  })
  .openapi('Agent');

const agentListSchema = z
  .object({
    count: z.number().int().describe('Number of agents'),
    agents: z.array(agentSchema).describe('In the order of their registration'),
  })
  .openapi('AgentList');

const listAgentsRoute = createRoute({
  method: 'get',
  path: '/agents',
  operationId: 'listAgents',
  tags: ['Agents'],
  summary: 'List the registered agents',
  description: 'Each of them can be the target of a subtask and of a workflow step.',
  responses: {
    200: jsonContent(agentListSchema, 'All registered agents', agentsExample),
    ...errorResponses(),
  },
});

/** `GET /agents`. */
export function agentsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(listAgentsRoute), (c) => {
    const agents = orchestrator.agents.list().map(({ name, description }) => ({ name, description }));
    return jsonResponse(c, { count: agents.length, agents }, 200);
  });
}
