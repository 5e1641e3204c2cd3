import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PACKAGE_FOLDER } from '../../shared/package-folder.ts';
import { acceptsGzip } from '../parse-headers.ts';
import { matchesTag } from '../record-headers.ts';
import { notBuiltPage } from './pages.ts';

/** A request for a file of the console. */
interface ConsoleRequest {
  /** The name of the file, percent-decoded; empty for the page. */
  readonly name: string;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** For HEAD it is sent without the body. The policy of the console and the headers of every reply are added. */
interface ConsoleResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | string | null;
}

/**
 * Creates a responder to requests for the console in a folder; it resolves to undefined for a name that there is not.
 * Only the files that are in the folder at the first request are ever sent, by exactly their names. While the console
 * is not built, each request looks for it again. The page gets the settings as `settings.json`: `readOnly`, true when
 * requests that change something are refused, and `upstream`, the address of the service where that is another server.
 */
export function createConsoleResponder(
  { readOnly, upstream }: { readonly readOnly: boolean; readonly upstream: string | null },
  folder: string = builtConsole,
): (request: ConsoleRequest) => Promise<ConsoleResponse | undefined> {
  const settings = JSON.stringify({ read_only: readOnly, upstream });
  let reading: Promise<ConsoleFiles | undefined> | undefined;

  async function readAgain(): Promise<ConsoleFiles | undefined> {
    let files: ConsoleFiles | undefined;
    try {
      files = await readConsole(folder);
    } finally {
      if (files === undefined) reading = undefined;
    }
    return files;
  }

  return async function respond(request) {
    if (request.name === 'settings.json') {
      const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
      return { status: 200, headers, body: settings };
    }
    reading ??= readAgain();
    const files = await reading;
    if (files === undefined) return request.name === '' ? notBuilt : undefined;
    // The page has one URL: its links are relative to it.
    const file = request.name === PAGE ? undefined : files.get(request.name || PAGE);
    return file && fileResponse(file, request);
  };
}

/** 503: monitoring notices it, and the page will be there once it is built. */
const notBuilt: ConsoleResponse = {
  status: 503,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
  },
  body: notBuiltPage,
};

async function fileResponse(file: ConsoleFile, request: ConsoleRequest): Promise<ConsoleResponse> {
  const { bytes, contentType, tag, compressed } = file;
  const isCompressed = compressed !== undefined && acceptsGzip(request.acceptEncoding);
  const etag = `"${tag}${isCompressed ? '-gzip' : ''}"`;
  const isHashed = request.name.startsWith(HASHED);
  const headers = {
    'Cache-Control': isHashed ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    ETag: etag,
    ...(compressed !== undefined && { Vary: 'Accept-Encoding' }),
  };
  if (request.ifNoneMatch !== undefined && matchesTag(request.ifNoneMatch, etag)) {
    return { status: 304, headers, body: null };
  }
  return {
    status: 200,
    headers: { ...headers, 'Content-Type': contentType, ...(isCompressed && { 'Content-Encoding': 'gzip' }) },
    body: isCompressed ? await compressed() : bytes,
  };
}

/** A file of the console. */
interface ConsoleFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  /** Changes when the bytes change. Without quotes. */
  readonly tag: string;
  /** The bytes with gzip, compressed at the first call. Undefined for what is compressed already. */
  readonly compressed: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined;
}

/** The files of the console by their names, such as `index.html` and `static/main-1a2b.js`. */
type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** The folder of the built console: `assets/console` beside `src` in a checkout, and beside `dist` in the package. */
const builtConsole: string = fileURLToPath(new URL('assets/console', PACKAGE_FOLDER));

/** The page itself. Without it there is no console. */
const PAGE = 'index.html';

/** The folder of the files whose names change with their content. */
const HASHED = 'static/';

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
async function readConsole(folder: string): Promise<ConsoleFiles | undefined> {
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
