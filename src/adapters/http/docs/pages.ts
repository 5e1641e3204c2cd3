import { randomBytes } from 'node:crypto';
import { SwaggerUI } from '@hono/swagger-ui';
import type { Context, Hono } from 'hono';
import type { AppEnv } from '../env.ts';
import { errorResponse, createResponse } from '../response.ts';
import { type LoadAsset, redocAsset, swaggerUiAsset, textAsset } from './assets.ts';

const script = 'text/javascript; charset=utf-8';

/** The files that the pages may load, by the only paths that they are served at. */
const assets: readonly (readonly [string, LoadAsset])[] = [
  ['/docs/swagger-ui-dist/swagger-ui.css', swaggerUiAsset('swagger-ui.css', 'text/css; charset=utf-8')],
  ['/docs/swagger-ui-dist/index.css', swaggerUiAsset('index.css', 'text/css; charset=utf-8')],
  ['/docs/swagger-ui-dist/swagger-ui-bundle.js', swaggerUiAsset('swagger-ui-bundle.js', script)],
  ['/docs/favicon.png', swaggerUiAsset('favicon-32x32.png', 'image/png')],
  [
    '/docs/start.js',
    textAsset(
      `const place = document.getElementById('swagger-ui');
SwaggerUIBundle({ domNode: place, url: place.dataset.document, deepLinking: true, validatorUrl: null });
`,
      script,
    ),
  ],
  ['/redoc/redoc.standalone.js', redocAsset()],
  [
    '/redoc/start.js',
    textAsset(
      `const place = document.getElementById('redoc');
Redoc.init(place.dataset.document, { nonce: place.dataset.nonce, hideDownloadButton: true }, place);
`,
      script,
    ),
  ],
];

/** Two style sheets that Redoc's bundle adds without the nonce, an empty one and a fixed one, by their digests. */
const redocStyles =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='";

/**
 * Serves the OpenAPI description as pages for people: Swagger UI at `/docs`, Redoc at `/redoc` (decisions,
 * section 1). All they load comes from this service, so that they work without internet and under a policy that
 * lets nothing else in. Their links are relative, so that they work wherever the app is mounted.
 */
export function serveDocs(app: Hono<AppEnv>): void {
  app.get('/docs', (c) => page(c, swaggerPage(baseOf(c)), "style-src 'self'"));
  app.get('/redoc', (c) => {
    const nonce = randomBytes(16).toString('base64url');
    return page(
      c,
      redocPage(baseOf(c), nonce),
      `style-src 'self' 'nonce-${nonce}' ${redocStyles}; worker-src blob:`,
    );
  });
  for (const [path, load] of assets) app.get(path, (c) => answerAsset(c, load));
}

/** What the page's relative links begin with: where a trailing slash was asked for, they start one level deeper. */
function baseOf(c: Context<AppEnv>): string {
  return new URL(c.req.url).pathname.endsWith('/') ? '..' : '.';
}

function page(c: Context<AppEnv>, html: string, styles: string): Response {
  return createResponse(c, html, 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; ${styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  });
}

async function answerAsset(c: Context<AppEnv>, load: LoadAsset): Promise<Response> {
  const asset = await load();
  if (asset === undefined) {
    return errorResponse(
      c,
      404,
      'this file is not installed: it comes with the package, or with npm ci in a checkout',
    );
  }
  const { bytes, contentType, etag } = asset;
  const headers = { 'Cache-Control': 'private, max-age=3600', ETag: etag };
  if (c.req.header('if-none-match') === etag) return createResponse(c, null, 304, headers);
  return createResponse(c, bytes, 200, { ...headers, 'Content-Type': contentType });
}

function swaggerPage(base: string): string {
  return SwaggerUI({
    url: `${base}/openapi.json`,
    baseUrl: `${base}/docs`,
    manuallySwaggerUIHtml: ({ css, js }) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Orchestration service: Swagger UI</title>
    <link rel="icon" href="${base}/docs/favicon.png">
    <link rel="stylesheet" href="${base}/docs/swagger-ui-dist/index.css">
    ${css.map((url) => `<link rel="stylesheet" href="${url}">`).join('\n    ')}
  </head>
  <body>
    <div id="swagger-ui" data-document="${base}/openapi.json"></div>
    ${js.map((url) => `<script src="${url}"></script>`).join('\n    ')}
    <script src="${base}/docs/start.js"></script>
  </body>
</html>
`,
  });
}

function redocPage(base: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Orchestration service: Redoc</title>
    <link rel="icon" href="${base}/docs/favicon.png">
    <style nonce="${nonce}">body { margin: 0 }</style>
  </head>
  <body>
    <div id="redoc" data-document="${base}/openapi.json" data-nonce="${nonce}"></div>
    <script src="${base}/redoc/redoc.standalone.js"></script>
    <script src="${base}/redoc/start.js"></script>
  </body>
</html>
`;
}
