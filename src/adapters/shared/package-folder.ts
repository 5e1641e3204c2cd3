import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('orchestration-service/package.json');

/** The URL of the folder of this package, the same for modules in `src` and in `dist`. It ends with a slash. */
export const PACKAGE_FOLDER = new URL('.', pathToFileURL(manifest));
