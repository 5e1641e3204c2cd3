/**
 * Plain Hono with zod-openapi, the reference of the HTTP section: it validates and echoes the body of `POST /messages`,
 * and returns the JSON that was PUT under `/stored/`.
 */
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { listenAndReport } from './listen.ts';

const body = z.object({
  source: z.string().min(1).max(64),
  customer_id: z.string().min(1).max(128),
  message: z.string().min(1).max(32_768),
});
const anything = z.record(z.string(), z.unknown());
const name = z.object({ name: z.string() });
const json = <Schema extends z.ZodType>(schema: Schema) => ({ content: { 'application/json': { schema } } });
const receives = <Schema extends z.ZodType>(schema: Schema) => ({
  body: { ...json(schema), required: true },
});
const returns = <Schema extends z.ZodType>(schema: Schema) => ({
  200: { description: 'JSON', ...json(schema) },
});

const stored = new Map<string, Record<string, unknown>>();
const path = '/stored/{name}';

const app = new OpenAPIHono();
app.openapi(
  createRoute({ method: 'post', path: '/messages', request: receives(body), responses: returns(body) }),
  (c) => c.json(c.req.valid('json'), 200),
);
app.openapi(
  createRoute({
    method: 'put',
    path,
    request: { params: name, ...receives(anything) },
    responses: returns(anything),
  }),
  (c) => {
    stored.set(c.req.valid('param').name, c.req.valid('json'));
    return c.json({}, 200);
  },
);
app.openapi(
  createRoute({
    method: 'post',
    path,
    request: { params: name, ...receives(anything) },
    responses: returns(anything),
  }),
  (c) => c.json(stored.get(c.req.valid('param').name) ?? c.req.valid('json'), 200),
);
app.openapi(
  createRoute({ method: 'get', path, request: { params: name }, responses: returns(anything) }),
  (c) => c.json(stored.get(c.req.valid('param').name) ?? {}, 200),
);
listenAndReport(createAdaptorServer({ fetch: app.fetch }) as Server);
