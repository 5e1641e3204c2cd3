import { createRoute, z } from '@hono/zod-openapi';
import type { Agent } from '../../../ports/agent.ts';
import { toolEffects } from '../../../ports/tool.ts';
import { agentsExample } from '../docs/examples-agents.ts';
import { errorResponses, jsonContent } from '../docs/responses.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { jsonResponse } from '../response.ts';
import { includeParameter } from './listing/include.ts';

/** The members that `include` adds to each agent. */
const agentMembers = ['keywords', 'effect'] as const;

const include = includeParameter(agentMembers, 'agent');

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
  request: { query: z.object({ include: include.schema }) },
  responses: {
    200: jsonContent(agentListSchema, 'All registered agents', agentsExample),
    ...errorResponses(422),
  },
});

/** `GET /agents`. */
export function agentsResource({ orchestrator, maxBodyBytes }: ResolvedHttpAppOptions) {
  const { app, endpoint } = createResource(maxBodyBytes);
  return app.openapi(endpoint(listAgentsRoute), (c) => {
    const named = include.parse(c.req.valid('query').include);
    const agents = orchestrator.agents.list().map((agent) => toAgentResponse(agent, named));
    return jsonResponse(c, { count: agents.length, agents }, 200);
  });
}

function toAgentResponse(
  { name, description, keywords = [], effect = 'write' }: Agent,
  named: readonly (typeof agentMembers)[number][],
): z.input<typeof agentSchema> {
  const members = { keywords: [...keywords], effect };
  return { name, description, ...Object.fromEntries(named.map((member) => [member, members[member]])) };
}
