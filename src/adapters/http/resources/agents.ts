import { z } from '@hono/zod-openapi';
import { toolEffects } from '../../../ports/tool.ts';
import { getRoute } from '../docs/routes.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { included, includeParameter } from './listing.ts';
import { count } from './schemas.ts';

/** `GET /agents`. */
export function agentsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(listAgentsRoute), (c) => {
    const { include } = c.req.valid('query');
    const agents = orchestrator.agents
      .list()
      .map(({ name, description, keywords = [], effect = 'write' }): z.input<typeof agentSchema> => {
        return { name, description, ...included(include, { keywords: [...keywords], effect }) };
      });
    return jsonResponse(c, { count: agents.length, agents }, 200);
  });
}

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
    effect: z
      .enum(toolEffects)
      .optional()
      .describe(
        'What repeating a message to it does; only with `include=effect`. A run that continues after a crash sends a message again unless it is `write`',
      ),
  })
  .openapi('Agent');

const agentListSchema = z
  .object({
    count: count('Number of agents'),
    agents: z.array(agentSchema).describe('In the order of their registration'),
  })
  .openapi('AgentList');

const listAgentsRoute = getRoute('/agents', {
  operationId: 'listAgents',
  tag: 'Agents',
  summary: 'List the registered agents',
  description: 'Each of them can be the target of a subtask and of a workflow step.',
  query: z.object({ include: includeParameter(['keywords', 'effect'], 'agent') }),
  answer: [agentListSchema, 'All registered agents'],
});
