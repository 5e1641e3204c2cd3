import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that the documentation pages load from this service. */
export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Changes when the bytes change. */
  readonly etag: string;
}

/** Loads an asset when it is first asked for and keeps it; undefined where it is not installed. */
export type LoadAsset = () => Promise<Asset | undefined>;

const require = createRequire(import.meta.url);

/** A file of Swagger UI's own distribution. */
export function swaggerUiAsset(name: string, contentType: string): LoadAsset {
  return kept(async () => {
    const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
    return asset(await readFile(join(folder, name)), contentType);
  });
}

/**
 * Redoc's bundle: from the package that it was built into, or in a checkout from node_modules. Its footer's logo,
 * which it would load from its maker's server, is taken out.
 */
export function redocAsset(): LoadAsset {
  return kept(async () => {
    const path = redocPath();
    if (path === undefined) return undefined;
    const text = await readFile(path, 'utf8');
    return asset(Buffer.from(text.replaceAll(REDOC_LOGO, 'data:,')), 'text/javascript; charset=utf-8');
  });
}

const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

function redocPath(): string | undefined {
  const built = fileURLToPath(new URL('../../../../assets/redoc.standalone.js', import.meta.url));
  if (existsSync(built)) return built;
  try {
    return require.resolve('redoc/bundles/redoc.standalone.js');
  } catch {
    return undefined;
  }
}

/** A text of our own, such as a page's script. */
export function textAsset(text: string, contentType: string): LoadAsset {
  return kept(async () => asset(Buffer.from(text), contentType));
}

function asset(content: Buffer, contentType: string): Asset {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { bytes: Uint8Array.from(content), contentType, etag };
}

/** A failed load is not kept: a file that could not be opened just now may be read the next time. */
function kept(load: LoadAsset): LoadAsset {
  let loaded: Promise<Asset | undefined> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
