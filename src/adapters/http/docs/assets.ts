import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER } from '../../shared/package-folder.ts';

/** A file that the documentation pages load from this service. */
export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Changes when the bytes change. */
  readonly etag: string;
}

/** Loads an asset at the first call and caches it. Undefined when the asset is not installed. */
export type LoadAsset = () => Promise<Asset | undefined>;

/** The content type of scripts. */
export const scriptType = 'text/javascript; charset=utf-8';

/** A file of Swagger UI. */
export function swaggerUiAsset(name: string, contentType: string): LoadAsset {
  return cached(async () => {
    const path = assetPath(`swagger-ui/${name}`, () =>
      join(dirname(require.resolve('swagger-ui-dist/package.json')), name),
    );
    return path === undefined ? undefined : createAsset(await readFile(path), contentType);
  });
}

/** The bundle of Redoc, without the logo that it would load from its vendor's server. */
export function redocAsset(): LoadAsset {
  return cached(async () => {
    const path = assetPath('redoc/redoc.standalone.js', () =>
      require.resolve('redoc/bundles/redoc.standalone.js'),
    );
    if (path === undefined) return undefined;
    const text = await readFile(path, 'utf8');
    return createAsset(Buffer.from(text.replaceAll(REDOC_LOGO, 'data:,')), scriptType);
  });
}

/** A text of this service, such as the script of a page. */
export function textAsset(text: string, contentType: string): LoadAsset {
  return cached(async () => createAsset(Buffer.from(text), contentType));
}

const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

const assetsFolder = fileURLToPath(new URL('assets', PACKAGE_FOLDER));
const require = createRequire(import.meta.url);

/** The published package contains its assets; a checkout has them in node_modules. */
function assetPath(name: string, resolveInCheckout: () => string): string | undefined {
  const published = join(assetsFolder, name);
  if (existsSync(published)) return published;
  try {
    return resolveInCheckout();
  } catch {
    return undefined;
  }
}

function createAsset(content: Buffer, contentType: string): Asset {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { bytes: Uint8Array.from(content), contentType, etag };
}

/** Caches the result, but not a failure: the next call tries again. */
function cached(load: LoadAsset): LoadAsset {
  let loaded: Promise<Asset | undefined> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
