/** A request as it would be sent. */
export interface PlainRequest {
  readonly method: string;
  readonly url: string;
  /** The JSON body; undefined when there is none. */
  readonly body: string | undefined;
  readonly headers: readonly (readonly [string, string])[];
}

/** Text as one word of a POSIX shell. */
export function quoteForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * JSON with escapes in place of the characters that change the direction of the text after them, so that nobody can
 * make a command look like another one. It means the same. An address and headers cannot contain them.
 */
function showDirections(json: string): string {
  return json.replaceAll(
    /\p{Bidi_Control}/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Headers that are of the console and not of the request. */
const ownHeaders: ReadonlySet<string> = new Set(['accept', 'content-type']);

/**
 * The command that sends a request. `upstream` is the address of a service behind the local proxy: the command then
 * asks the service itself, with the key from the variable `API_KEY`.
 */
export function toCurl(request: PlainRequest, base: string, upstream: string | null): string {
  const url =
    upstream === null ? request.url : upstream.replace(/\/?$/, '/') + request.url.slice(base.length);
  const parts = ['curl -s'];
  if (request.method !== 'GET' && !(request.method === 'POST' && request.body !== undefined)) {
    parts[0] += ` -X ${request.method}`;
  }
  parts[0] += ` ${quoteForShell(url)}`;
  if (upstream !== null) parts.push('-H "X-Api-Key: $API_KEY"');
  for (const [name, value] of request.headers) {
    if (!ownHeaders.has(name)) parts.push(`-H ${quoteForShell(`${name}: ${value}`)}`);
  }
  if (request.body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${quoteForShell(showDirections(request.body))}`);
  }
  return parts.join(' \\\n  ');
}
