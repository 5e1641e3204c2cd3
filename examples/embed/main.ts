// The core inside another program: no server, no settings, no network.

import { createOrchestrator } from 'orchestration-service';
import { defaultPorts } from 'orchestration-service/defaults';
import { defineTool, exampleTools, ToolError } from 'orchestration-service/tools';
import { z } from 'zod';

const orchestrator = createOrchestrator(defaultPorts());

const stock: Readonly<Record<string, number>> = { blender: 12, toaster: 0 };

const stockLevel = defineTool({
  name: 'stock_level',
  description: 'Returns how many pieces of an article are in stock.',
  input: z.object({ article: z.enum(['blender', 'toaster', 'kettle']) }),
  execute({ article }) {
    const pieces = stock[article];
    if (pieces === undefined) throw new ToolError(`${article} is not sold here`, { permanent: true });
    return { article, pieces };
  },
});

for (const tool of [...exampleTools, stockLevel]) orchestrator.tools.register(tool);

orchestrator.agents.register({
  name: 'warehouse',
  description: 'Accepts orders for the warehouse.',
  keywords: ['ship', 'pack', 'warehouse'],
  handle: ({ payload }) => ({ answer: `Accepted by the warehouse: ${payload['text']}` }),
});

// A message through the pipeline, and its trace.
const message = { source: 'chat', customerId: 'customer-42', message: 'I want a refund for my blender.' };
const { traceId } = await orchestrator.messages.process(message);
const trace = await orchestrator.traces.get(traceId);
console.log(`message: ${trace.status}, ${trace.intent}, escalated: ${trace.escalated}`);
for (const event of trace.timeline) console.log(`  ${event.type}`);

// A workflow of a tool step and an agent step.
const workflow = await orchestrator.workflows.create({
  name: 'Ship from stock',
  steps: [
    { id: 'stock', kind: 'tool', toolName: 'stock_level', staticInput: { article: '$input.article' } },
    {
      id: 'ship',
      kind: 'agent',
      agentName: 'warehouse',
      dependsOn: ['stock'],
      staticInput: { text: '$step.stock.article' },
    },
  ],
});
const run = await orchestrator.workflows.run(workflow.id, { input: { article: 'blender' } });
console.log(`workflow: ${run.status}`);
for (const { stepId, output } of run.stepResults) console.log(`  ${stepId}:`, output);

// A goal, routed to agents by their keywords.
const routing = await orchestrator.agents.route({ goal: 'Pack the blender, then echo the tracking number.' });
console.log(`goal: ${routing.status}`);
for (const { agentName, output } of routing.results) console.log(`  ${agentName}:`, output);

await orchestrator.close();
