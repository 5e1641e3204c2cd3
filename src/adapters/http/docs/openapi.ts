import type { OpenAPIHono } from '@hono/zod-openapi';
import type { AppEnv } from '../env.ts';
import type { MountPath } from '../mount-path.ts';
import { jsonResponse } from '../response.ts';
import { listIntents } from './intents.ts';

/** Options of {@link serveOpenApi}. */
export interface OpenApiOptions {
  /** The version of the service. */
  readonly version: string;
  /** Whether requests need an API key. */
  readonly authenticated: boolean;
  /** The intents of the playbook in use: the same map as long as that is the same. */
  readonly intents: () => ReadonlyMap<string, unknown>;
  readonly mountPath: MountPath;
}

const tags = [
  {
    name: 'Messages',
    description: 'Customer messages, through classify, plan, execute tools, verify and respond',
  },
  { name: 'Traces', description: 'The timeline of each message' },
  { name: 'Conversations', description: 'Messages and replies that belong together' },
  { name: 'Inbox', description: 'Everything that waits for a person: list, claim, assign, resolve' },
  { name: 'Datasets', description: 'What people have decided, as test data' },
  { name: 'Privacy', description: 'Erasure of what belongs to a customer' },
  { name: 'Workflows', description: 'Stored graphs of tool and agent steps, and their executions' },
  { name: 'Runs', description: 'The executions of all workflows: list, cancel, retry, rerun, delete' },
  { name: 'Schedules', description: 'What starts executions at the times of a cron expression' },
  { name: 'Agents', description: 'Goals decomposed into subtasks for named agents' },
  { name: 'Events', description: 'What happens to a record, and in the whole service, as lists and streams' },
  { name: 'Tools', description: 'The registered tools' },
  { name: 'Evaluation', description: 'Quality of the stages' },
  { name: 'Operations', description: 'Health, metrics and statistics' },
];

const description = `Runs customer messages, workflows and routed goals through one shared set of named agents and tools.

Every response of 400 or more has the shape \`{"error", "detail"}\`: the standard phrase of its status, and what was wrong. In addition to the statuses of each operation: a known path returns 405 with \`Allow\` for other methods, and an unknown path returns 404. Requests that are not valid HTTP return 400, too slow ones 408, ones with an expectation other than \`100-continue\` 417, and ones with too large headers 431. For a request whose \`Accept\` header names \`application/problem+json\` every error has the shape of RFC 9457.

Every response has \`X-Request-Id\`: that of the request if it has 1 to 128 visible ASCII characters, else a new one. Every response except that of health checks has \`RateLimit\` and \`RateLimit-Policy\`. A trailing slash in the path is ignored. Unknown fields in requests are ignored.`;

const securityScheme = { type: 'apiKey', in: 'header', name: 'X-Api-Key' } as const;

/** Serves the OpenAPI 3.1 document of all routes. It is generated at the first request, and once for each playbook. */
export function serveOpenApi(app: OpenAPIHono<AppEnv>, options: OpenApiOptions): void {
  if (options.authenticated)
    app.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', securityScheme);
  let generated: { readonly document: object; readonly intents: ReadonlyMap<string, unknown> } | undefined;
  const path = '/openapi.json';
  app.get(path, (c) => {
    const intents = options.intents();
    if (generated?.intents !== intents) {
      const document = app.getOpenAPI31Document({
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
      generated = { document: listIntents(document, [...intents.keys()]), intents };
    }
    const servers = [{ url: options.mountPath(c, path) || '/', description: 'This instance' }];
    return jsonResponse(c, { ...generated.document, servers }, 200);
  });
}
