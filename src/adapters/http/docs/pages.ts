import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Hono } from 'hono';
import { PACKAGE_FOLDER } from '../../shared/package-folder.ts';
import type { AppEnv } from '../env.ts';
import { createResponse, errorResponse } from '../response.ts';

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
  for (const [path, contentType, read] of assets) {
    const load = cached(read);
    app.get(path, async (c) => assetResponse(c, contentType, await load()));
  }
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

const styleType = 'text/css; charset=utf-8';
const scriptType = 'text/javascript; charset=utf-8';

/** The only files that the pages may load: the path, the type, and what reads the content. */
const assets: readonly (readonly [string, string, () => Promise<Buffer | undefined>])[] = [
  ['/docs/swagger-ui-dist/swagger-ui.css', styleType, () => readSwaggerUi('swagger-ui.css')],
  ['/docs/swagger-ui-dist/index.css', styleType, () => readSwaggerUi('index.css')],
  ['/docs/swagger-ui-dist/swagger-ui-bundle.js', scriptType, () => readSwaggerUi('swagger-ui-bundle.js')],
  ['/docs/favicon.png', 'image/png', () => readSwaggerUi('favicon-32x32.png')],
  ['/docs/start.js', scriptType, async () => Buffer.from(swaggerScript)],
  ['/redoc/redoc.standalone.js', scriptType, readRedoc],
  ['/redoc/start.js', scriptType, async () => Buffer.from(redocScript)],
];

const swaggerScript = `const element = document.getElementById('swagger-ui');
SwaggerUIBundle({ domNode: element, url: element.dataset.document, deepLinking: true, validatorUrl: null });
`;

const redocScript = `const element = document.getElementById('redoc');
Redoc.init(element.dataset.document, { nonce: element.dataset.nonce, hideDownloadButton: true }, element);
`;

async function readSwaggerUi(name: string): Promise<Buffer | undefined> {
  return readAsset(`swagger-ui/${name}`, () =>
    join(dirname(require.resolve('swagger-ui-dist/package.json')), name),
  );
}

/** The bundle of Redoc, without the logo that it would load from its vendor's server. */
async function readRedoc(): Promise<Buffer | undefined> {
  const bundle = await readAsset('redoc/redoc.standalone.js', () =>
    require.resolve('redoc/bundles/redoc.standalone.js'),
  );
  const logo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
  return bundle && Buffer.from(bundle.toString().replaceAll(logo, 'data:,'));
}

const assetsFolder = fileURLToPath(new URL('assets', PACKAGE_FOLDER));
const require = createRequire(import.meta.url);

/** The published package contains its assets; a checkout has them in node_modules. Undefined where neither is there. */
async function readAsset(name: string, resolveInCheckout: () => string): Promise<Buffer | undefined> {
  const published = join(assetsFolder, name);
  if (existsSync(published)) return readFile(published);
  let path: string;
  try {
    path = resolveInCheckout();
  } catch {
    return undefined;
  }
  return readFile(path);
}

/** A file that a page loads, with a tag that changes when its bytes change. */
interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Reads an asset at the first call, and keeps it, but not a failure: the next call tries again. */
function cached(read: () => Promise<Buffer | undefined>): () => Promise<Asset | undefined> {
  let asset: Asset | undefined;
  return async () => {
    const content = asset === undefined ? await read() : undefined;
    if (content !== undefined) {
      const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
      asset = { bytes: Uint8Array.from(content), etag };
    }
    return asset;
  };
}

function assetResponse(c: Context<AppEnv>, contentType: string, asset: Asset | undefined): Response {
  if (asset === undefined) {
    const detail = 'this file is not installed: run npm ci, or use the published package';
    return errorResponse(c, { status: 404, detail });
  }
  const { bytes, etag } = asset;
  const headers = { 'Cache-Control': 'private, max-age=3600', ETag: etag };
  if (c.req.header('if-none-match') === etag) return createResponse(c, null, 304, headers);
  return createResponse(c, bytes, 200, { ...headers, 'Content-Type': contentType });
}

/** The hashes of two style sheets that Redoc adds without the nonce: an empty one and a fixed one. */
const redocStyles =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='";

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
