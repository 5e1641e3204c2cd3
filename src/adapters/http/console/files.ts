import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PACKAGE_FOLDER } from '../../shared/package-folder.ts';

/** A file of the console. */
export interface ConsoleFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Changes when the bytes change. Without quotes. */
  readonly tag: string;
  /** The bytes with gzip, compressed at the first call. Undefined for what is compressed already. */
  readonly compressed: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined;
}

/** The files of the console by their names, such as `index.html` and `static/main-1a2b.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** The folder of the built console. */
export const builtConsole: string = fileURLToPath(new URL('assets/console', PACKAGE_FOLDER));

/** The page itself. Without it there is no console. */
export const PAGE = 'index.html';

/** The folder of the files whose names change with their content. */
export const HASHED = 'static/';

/** The types of files that are served, and whether they get smaller by compression. */
const types: ReadonlyMap<string, readonly [contentType: string, isText: boolean]> = new Map([
  ['.html', ['text/html; charset=utf-8', true]],
  ['.js', ['text/javascript; charset=utf-8', true]],
  ['.css', ['text/css; charset=utf-8', true]],
  ['.svg', ['image/svg+xml', true]],
  ['.json', ['application/json', true]],
  ['.png', ['image/png', false]],
  ['.ico', ['image/x-icon', false]],
  ['.woff2', ['font/woff2', false]],
]);

/**
 * Reads the files of a folder with the console: those directly in it, and those in `static`. Links, deeper folders and
 * files of other types are left out. Resolves to undefined where there is no page, because it is not built.
 */
export async function readConsole(folder: string): Promise<ConsoleFiles | undefined> {
  const names = [
    ...(await filesIn(folder)),
    ...(await filesIn(`${folder}/${HASHED}`)).map((name) => HASHED + name),
  ];
  if (!names.includes(PAGE)) return undefined;
  const files = names.map(async (name): Promise<readonly [string, ConsoleFile] | undefined> => {
    const type = types.get(extname(name));
    return type && [name, createFile(await readFile(`${folder}/${name}`), ...type)];
  });
  return new Map((await Promise.all(files)).filter((file) => file !== undefined));
}

/** The names of the files in a folder; empty where there is no such folder. */
async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

const compress = promisify(gzip);

function createFile(content: Buffer, contentType: string, isText: boolean): ConsoleFile {
  const bytes = Uint8Array.from(content);
  let compressing: Promise<Uint8Array<ArrayBuffer>> | undefined;
  return {
    bytes,
    contentType,
    tag: hash('sha256', bytes, 'base64url').slice(0, 22),
    compressed: isText
      ? () => {
          compressing ??= compress(bytes, { level: 9 }).then((buffer) => Uint8Array.from(buffer));
          return compressing;
        }
      : undefined,
  };
}
