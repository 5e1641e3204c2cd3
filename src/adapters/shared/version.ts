import { readFileSync } from 'node:fs';

/** The version of this package. The path to its package.json is the same from `src` and from `dist`. */
export const version: string = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  return 'unknown';
}
