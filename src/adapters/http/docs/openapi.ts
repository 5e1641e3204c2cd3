import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../env.ts';
import type { MountPath } from '../mount-path.ts';
import { jsonResponse } from '../response.ts';

export interface OpenApiOptions {
  readonly version: string;
  /** Whether requests must bear a key. */
  readonly authenticated: boolean;
  readonly mountPath: MountPath;
}

const tags = [
  {
    name: 'Messages',
    description: 'One customer message through classify, plan, execute tools, verify, respond',
  },
  { name: 'Traces', description: 'What happened to each message' },
  { name: 'Workflows', description: 'Stored DAGs of tool and agent steps, and their runs' },
  { name: 'Agents', description: 'Goals split into subtasks for named agents' },
  { name: 'Tools', description: 'The registered tools' },
  { name: 'Evaluation', description: 'How good the stages are' },
  { name: 'Operations', description: 'Health and metrics' },
];

const description = `Runs customer messages, workflows and routed goals through one shared set of named agents and tools.

Every reply of 400 or more, whoever gives it, has the shape \`{"error", "detail"}\`: the standard phrase of its status, and what was wrong. Beside what each route lists, a path that is served answers 405 to other methods, with \`Allow\`, any other path answers 404, and the listener answers by itself what never becomes a request: 400 (no valid HTTP), 408 (too slow), 417 (an expectation but \`100-continue\`), 431 (headers too large).

Every reply bears \`X-Request-Id\`, the caller's own where it is 1 to 128 visible ASCII characters, and, but for health checks, \`RateLimit\` and \`RateLimit-Policy\`. A trailing slash makes no difference. Fields that are not described here are ignored in requests.`;

const securityScheme = { type: 'apiKey', in: 'header', name: 'X-Api-Key' } as const;

/** Serves the OpenAPI 3.1 description of every route registered so far or later, made once when first asked for. */
export function serveOpenApi(app: OpenAPIHono<AppEnv>, options: OpenApiOptions): void {
  if (options.authenticated)
    app.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', securityScheme);
  let document: object | undefined;
  const path = '/openapi.json';
  app.get(path, (c) => {
    document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Orchestration service',
        version: options.version,
        description,
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      tags,
      security: options.authenticated ? [{ ApiKey: [] }] : [],
    });
    const servers = [{ url: options.mountPath(c, path) || '/', description: 'This instance' }];
    return jsonResponse(c, { ...document, servers }, 200);
  });
}
