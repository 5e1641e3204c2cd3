/** Hono with zod-openapi that validates the body of `POST /messages` and answers it, and a stored JSON by GET. */

import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { announce } from './announce.ts';

const body = z.object({
  source: z.string().min(1).max(64),
  customer_id: z.string().min(1).max(128),
  message: z.string().min(1).max(32_768),
});
const content = (schema: z.ZodType) => ({ 'application/json': { schema } });

let stored: unknown = {};

const app = new OpenAPIHono();
app.openapi(
  createRoute({
    method: 'post',
    path: '/messages',
    request: { body: { content: { 'application/json': { schema: body } }, required: true } },
    responses: { 200: { description: 'echo', content: content(body) } },
  }),
  (c) => c.json(c.req.valid('json'), 200),
);
app.put('/stored', async (c) => {
  stored = await c.req.json();
  return c.json({});
});
app.get('/stored', (c) => c.json(stored as object));
announce(createAdaptorServer({ fetch: app.fetch }) as Server);
