import { hash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { version } from '../../shared/version.ts';
import type { AppEnv } from '../env.ts';
import { createResource } from '../middleware/validation.ts';
import type { ResolvedHttpAppOptions } from '../options.ts';
import { prefersHtml } from '../parse-headers.ts';
import { type JsonResponse, jsonResponse } from '../response.ts';
import { pageResponse } from './pages.ts';
import { getRoute } from './routes.ts';

/** The links of the start page: the name in JSON, the path, and the text in HTML. */
const links = [
  ['docs', '/docs', 'Documentation of the API, in Swagger UI'],
  ['redoc', '/redoc', 'Documentation of the API, in Redoc'],
  ['openapi', '/openapi.json', 'OpenAPI document'],
  ['health', '/health', 'Health'],
] as const;

/** The link to the console, where it is served. */
const consoleLink = ['console', '/console/', 'Console'] as const;

type Links = readonly (typeof consoleLink | (typeof links)[number])[];

const path = z.string();

const startPageSchema = z
  .object({
    service: z.string().describe('Name of the service'),
    version: z.string().describe('Version of the service'),
    links: z
      .object({ docs: path, redoc: path, openapi: path, health: path, console: path.optional() })
      .describe(
        'Paths of the documentation pages, the OpenAPI document, the health check, and the console where it is served',
      ),
  })
  .openapi('StartPage');

type StartPage = z.output<typeof startPageSchema>;

const startPageExample: StartPage = {
  service: 'orchestration-service',
  version,
  links: { docs: '/docs', redoc: '/redoc', openapi: '/openapi.json', health: '/health' },
};

const getStartPageRoute = getRoute('/', {
  operationId: 'getStartPage',
  tag: 'Operations',
  summary: 'Get links to the documentation and the health check',
  description: 'A page for browsers, and JSON unless `Accept` prefers `text/html`.',
  answer: [startPageSchema, 'The links'],
});

/** `GET /`. */
export function startPage(options: ResolvedHttpAppOptions) {
  const { version, maxBodyBytes, mountPath } = options;
  const served: Links = options.console === false ? links : [consoleLink, ...links];
  const { app, endpoint } = createResource(maxBodyBytes);
  const content = {
    'application/json': { schema: startPageSchema, example: startPageExample },
    'text/html': { schema: z.string(), example: htmlPage(startPageExample, links, '.') },
  };
  const responses = { 200: { description: getStartPageRoute.responses[200].description, content } };
  return app.openapi(endpoint(getStartPageRoute, { responses }), (c) => {
    const mount = mountPath(c, getStartPageRoute.path);
    const page = startPageAt(mount, version, served);
    c.get('headers')['Vary'] = 'Accept';
    if (!prefersHtml(c.req.header('accept'))) return jsonResponse(c, page, 200);
    // The typed client asks for JSON: the page is not part of its type.
    return pageResponse(c, htmlPage(page, served, baseOf(c, mount)), styleSource) as JsonResponse<
      StartPage,
      200
    >;
  });
}

function startPageAt(mount: string, version: string, served: Links): StartPage {
  const paths = served.map(([name, path]) => [name, `${mount}${path}`]);
  return { service: 'orchestration-service', version, links: Object.fromEntries(paths) };
}

/**
 * The base of the page's links. They are relative, so that they work behind a proxy that removes a path, unless the
 * page is mounted and was requested without a trailing slash.
 */
function baseOf(c: Context<AppEnv>, mount: string): string {
  const [received = ''] = (c.env?.incoming?.url ?? new URL(c.req.url).pathname).split('?', 1);
  return received.endsWith('/') ? '.' : mount;
}

const style =
  'body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color-scheme: light dark }';
const styleSource = `style-src 'sha256-${hash('sha256', style, 'base64')}'`;

function htmlPage({ version }: StartPage, served: Links, base: string): string {
  const items = served.map(
    ([, path, text]) => `      <li><a href="${escapeHtml(base + path)}">${text}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Orchestration service</title>
    <link rel="icon" href="${escapeHtml(base)}/docs/favicon.png">
    <style>${style}</style>
  </head>
  <body>
    <h1>Orchestration service</h1>
    <p>Version ${escapeHtml(version)}</p>
    <ul>
${items.join('\n')}
    </ul>
  </body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
