import { matchesTag } from '../headers/entity-tag.ts';
import { parsePair, splitHeader } from '../headers/list.ts';
import { builtConsole, type ConsoleFile, type ConsoleFiles, HASHED, PAGE, readConsole } from './files.ts';
import { notBuiltPage } from './pages.ts';

/** What the page asks for before anything else, as `settings.json`. */
export interface ConsoleSettings {
  /** Whether requests that change something are refused. */
  readonly readOnly: boolean;
  /**
   * The address of the service where the page comes from another server; null where it comes from the service itself.
   */
  readonly upstream: string | null;
}

/** A request for a file of the console. */
export interface ConsoleRequest {
  /** The name of the file, percent-decoded; empty for the page. */
  readonly name: string;
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** What is sent: for HEAD without the body. The policy of the console and the headers of every reply come with it. */
export interface ConsoleResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | string | null;
}

/** Responds to requests for files of the console. Resolves to undefined for a name that there is not. */
export type ConsoleResponder = (request: ConsoleRequest) => Promise<ConsoleResponse | undefined>;

/**
 * Creates a responder for a folder with the console. Only the files that are in the folder at the first request are
 * ever sent, by exactly their names. While the console is not built, each request looks for it again.
 */
export function createConsoleResponder(
  settings: ConsoleSettings,
  folder: string = builtConsole,
): ConsoleResponder {
  const settingsBody = JSON.stringify({ read_only: settings.readOnly, upstream: settings.upstream });
  let reading: Promise<ConsoleFiles | undefined> | undefined;

  async function read(): Promise<ConsoleFiles | undefined> {
    reading ??= readConsole(folder);
    const current = reading;
    try {
      const files = await current;
      if (files === undefined && reading === current) reading = undefined;
      return files;
    } catch (error) {
      if (reading === current) reading = undefined;
      throw error;
    }
  }

  return async function respond(request) {
    if (request.name === 'settings.json') {
      const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
      return { status: 200, headers, body: settingsBody };
    }
    const files = await read();
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

/** Whether an Accept-Encoding header takes gzip: by its name, or by `*` where it is not named. */
function acceptsGzip(acceptEncoding = ''): boolean {
  const codings = splitHeader(acceptEncoding, ',').map((member) => {
    const [coding = '', ...parameters] = splitHeader(member, ';');
    const weight = parameters.map(parsePair).find(([name]) => name === 'q')?.[1];
    return [coding.toLowerCase(), weight === undefined || Number(weight) > 0] as const;
  });
  const named = codings.find(([coding]) => coding === 'gzip') ?? codings.find(([coding]) => coding === '*');
  return named?.[1] === true;
}
