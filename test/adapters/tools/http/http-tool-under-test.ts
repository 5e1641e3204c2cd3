import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { createOutbound } from '../../../../src/adapters/shared/outbound/outbound.ts';
import { systemClock } from '../../../../src/adapters/shared/system.ts';
import { createHttpTool, httpToolSchema } from '../../../../src/adapters/tools/http/http-tool.ts';
import { createToolRegistry } from '../../../../src/application/tools/registry.ts';
import { defaultLimits } from '../../../../src/domain/limits.ts';
import { type CallContext, noMessage } from '../../../../src/domain/message/call-context.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { startServer } from '../../../support/outbound/server.ts';
import { testPorts } from '../../../support/ports.ts';

/** A definition whose input may be anything; `HOST` in the address stands for the server of the test. */
export function define(request: object, more: object = {}) {
  const input = { type: 'object' };
  return httpToolSchema.parse({ name: 'probe', description: 'A tool under test', input, request, ...more });
}

/** Answers with JSON. */
export const json =
  (value: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));

/** A tool against a real server, called as the service calls it. */
export async function setUpTool(
  request: { readonly url: string; readonly [member: string]: unknown },
  listener: RequestListener = json({ ok: true }),
  {
    env = {},
    ...more
  }: { readonly env?: Readonly<Record<string, string>>; readonly [member: string]: unknown } = {},
) {
  const server = await startServer(listener);
  const outbound = createOutbound({
    allow: ['127.0.0.1'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  onTestFinished(() => outbound.close());
  const url = request.url.replace('HOST', `erp.example:${server.port}`);
  const { ports, logger, recorded } = testPorts({ clock: systemClock, random: () => 0 });
  const registry = createToolRegistry(ports, defaultLimits);
  const tool = createHttpTool(define({ ...request, url }, more), { outbound, env });
  registry.register(tool, 'playbook');
  const call = (input: JsonObject = {}, context: CallContext = noMessage, idempotencyKey = 'key-1') =>
    registry.execute({ toolName: 'probe', input }, { context, idempotencyKey });
  return { server, call, tool, logger, recorded };
}
