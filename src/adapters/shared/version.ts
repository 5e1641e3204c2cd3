import { readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from './package-folder.ts';

/** The version of this package. */
export const version: string = readVersion();

function readVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('package.json', PACKAGE_FOLDER), 'utf8'),
  );
  return manifest.version;
}
