// Mounts the service in another Hono app, under a path of that app.

import { Hono } from 'hono';
import { createOrchestrator } from 'orchestration-service';
import { defaultPorts } from 'orchestration-service/defaults';
import { createHttpApp, startServer } from 'orchestration-service/http';
import { exampleTools } from 'orchestration-service/tools';

const orchestrator = createOrchestrator(defaultPorts());
for (const tool of exampleTools) orchestrator.tools.register(tool);

const service = createHttpApp({ orchestrator });

const shop = new Hono();
shop.get('/', (c) => c.text('Welcome to the shop.'));
shop.mount('/orchestration', service.fetch);

const server = await startServer({ fetch: shop.fetch, port: Number(process.env['PORT'] ?? 8000) });
console.log(`listening on http://${server.address}:${server.port}/orchestration/docs`);

process.once('SIGTERM', async () => {
  await Promise.all([orchestrator.close(), server.drain(20_000)]);
});
