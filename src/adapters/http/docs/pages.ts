import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { AppEnv } from '../env.ts';
import { createResponse, errorResponse } from '../response.ts';
import { type LoadAsset, redocAsset, scriptType, swaggerUiAsset, textAsset } from './assets.ts';

const styleType = 'text/css; charset=utf-8';

/** The only files that the pages may load, with their paths. */
const assets: readonly (readonly [string, LoadAsset])[] = [
  ['/docs/swagger-ui-dist/swagger-ui.css', swaggerUiAsset('swagger-ui.css', styleType)],
  ['/docs/swagger-ui-dist/index.css', swaggerUiAsset('index.css', styleType)],
  ['/docs/swagger-ui-dist/swagger-ui-bundle.js', swaggerUiAsset('swagger-ui-bundle.js', scriptType)],
  ['/docs/favicon.png', swaggerUiAsset('favicon-32x32.png', 'image/png')],
  [
    '/docs/start.js',
    textAsset(
      `const element = document.getElementById('swagger-ui');
SwaggerUIBundle({ domNode: element, url: element.dataset.document, deepLinking: true, validatorUrl: null });
`,
      scriptType,
    ),
  ],
  ['/redoc/redoc.standalone.js', redocAsset()],
  [
    '/redoc/start.js',
    textAsset(
      `const element = document.getElementById('redoc');
Redoc.init(element.dataset.document, { nonce: element.dataset.nonce, hideDownloadButton: true }, element);
`,
      scriptType,
    ),
  ],
];

/** The hashes of two style sheets that Redoc adds without the nonce: an empty one and a fixed one. */
const redocStyles =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='";

/**
 * Serves Swagger UI at `/docs` and Redoc at `/redoc` (decisions, section 1). All their files come from this service, so
 * that they work without internet access and under a policy that allows nothing else. Their links are relative, so
 * that they work under the path of a mount.
 */
export function serveDocs(app: Hono<AppEnv>): void {
  app.get('/docs', (c) => pageResponse(c, swaggerPage(baseOf(c)), "style-src 'self'"));
  app.get('/redoc', (c) => {
    const nonce = randomBytes(16).toString('base64url');
    const styles = `style-src 'self' 'nonce-${nonce}' ${redocStyles}; worker-src blob:`;
    return pageResponse(c, redocPage(baseOf(c), nonce), styles);
  });
  for (const [path, load] of assets) app.get(path, (c) => assetResponse(c, load));
}

/** The base of the page's relative links: a URL with a trailing slash is one level deeper. */
function baseOf(c: Context<AppEnv>): string {
  return new URL(c.req.url).pathname.endsWith('/') ? '..' : '.';
}

/** An HTML page under a policy that allows only the files of this service, and the style sheets of `styles`. */
export function pageResponse(c: Context<AppEnv>, html: string, styles: string): Response {
  return createResponse(c, html, 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; ${styles}; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  });
}

async function assetResponse(c: Context<AppEnv>, load: LoadAsset): Promise<Response> {
  const asset = await load();
  if (asset === undefined) {
    const detail = 'this file is not installed: run npm ci, or use the published package';
    return errorResponse(c, { status: 404, detail });
  }
  const { bytes, contentType, etag } = asset;
  const headers = { 'Cache-Control': 'private, max-age=3600', ETag: etag };
  if (c.req.header('if-none-match') === etag) return createResponse(c, null, 304, headers);
  return createResponse(c, bytes, 200, { ...headers, 'Content-Type': contentType });
}

function swaggerPage(base: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Orchestration service: Swagger UI</title>
    <link rel="icon" href="${base}/docs/favicon.png">
    <link rel="stylesheet" href="${base}/docs/swagger-ui-dist/index.css">
    <link rel="stylesheet" href="${base}/docs/swagger-ui-dist/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui" data-document="${base}/openapi.json"></div>
    <script src="${base}/docs/swagger-ui-dist/swagger-ui-bundle.js"></script>
    <script src="${base}/docs/start.js"></script>
  </body>
</html>
`;
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
