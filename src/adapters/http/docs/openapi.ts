import { readdir, readFile } from 'node:fs/promises';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { PACKAGE_FOLDER } from '../../shared/package-folder.ts';
import { version } from '../../shared/version.ts';
import type { AppEnv } from '../env.ts';
import type { MountPath } from '../mount-path.ts';
import { jsonResponse } from '../response.ts';

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

/** Serves the OpenAPI 3.1 document of all routes. It is generated at the first request, and once for each playbook. */
export function serveOpenApi(
  app: OpenAPIHono<AppEnv>,
  options: {
    /** The version of the service. */
    readonly version: string;
    /** True where requests need an API key. */
    readonly authenticated: boolean;
    /** The intents of the playbook in use: the same map as long as that is the same. */
    readonly intents: () => ReadonlyMap<string, unknown>;
    readonly mountPath: MountPath;
  },
): void {
  if (options.authenticated) {
    const scheme = { type: 'apiKey', in: 'header', name: 'X-Api-Key' } as const;
    app.openAPIRegistry.registerComponent('securitySchemes', 'ApiKey', scheme);
  }
  let generated: { readonly document: object; readonly intents: ReadonlyMap<string, unknown> } | undefined;
  const path = '/openapi.json';
  app.get(path, async (c) => {
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
      const listed = listIntents(document, [...intents.keys()]);
      generated = { document: withExamples(listed, await readExamples()), intents };
    }
    const servers = [{ url: options.mountPath(c, path) || '/', description: 'This instance' }];
    return jsonResponse(c, { ...generated.document, servers }, 200);
  });
}

/** Stands in a schema for the intents of the playbook, until the document is generated. */
export const PLAYBOOK_INTENT = 'playbook-intent';

/** The same for what the intent of a record may be: an intent of the playbook, or `unknown`. */
export const RECORDED_INTENT = 'recorded-intent';

/** The members of a document that have examples. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { example?: unknown }>> };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface Body {
  readonly content?: Readonly<Record<string, { example?: unknown }>>;
}

/** A copy of a document in which each of the two is replaced by the intents that it stands for. */
function listIntents(document: object, intents: readonly string[]): Document {
  const values = new Map<unknown, readonly string[]>([
    [PLAYBOOK_INTENT, intents],
    [RECORDED_INTENT, [...intents, 'unknown']],
  ]);
  const text = JSON.stringify(document, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('format' in value)) return value;
    const listed = values.get(value.format);
    if (listed === undefined) return value;
    const { format: _, ...rest } = value;
    return { ...rest, enum: listed };
  });
  return JSON.parse(text);
}

/** The examples of an operation by `request`, status, or status and media type; those of a schema by its members. */
type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The path of the folder is the same from `src` and from `dist`. */
const EXAMPLES = new URL('openapi/', PACKAGE_FOLDER);

/** All examples of the document, by `operationId` or by the name of the schema. */
export async function readExamples(): Promise<Examples> {
  const { parse } = await import('yaml');
  const names = await readdir(EXAMPLES);
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, EXAMPLES), 'utf8')));
  const options = { merge: true, maxAliasCount: -1 };
  return Object.assign({}, ...texts.map((text) => parse(text.replaceAll('$VERSION', version), options)));
}

/** Adds the examples to a document. Throws where one belongs to nothing in it. */
function withExamples(document: Document, examples: Examples): Document {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const [name, parts] of Object.entries(examples)) {
    const schema = document.components.schemas[name];
    const operation = operations.find(({ operationId }) => operationId === name);
    if (schema !== undefined) schema.example = parts;
    else
      for (const [part, example] of Object.entries(parts)) {
        const content = operation && contentOf(operation, part);
        if (content === undefined) throw new Error(`the example "${part}" of "${name}" belongs to nothing`);
        content.example = example;
      }
  }
  return document;
}

function contentOf({ requestBody, responses }: Operation, part: string): { example?: unknown } | undefined {
  const [status = '', type = 'application/json'] = part.split(' ');
  return (status === 'request' ? requestBody : responses[status])?.content?.[type];
}
