/** The entry of `ALLOWED_HOSTS` that allows every host. */
export const ANY_HOST = '*';

/** A host with or without a port, as in a Host header. */
export interface HostName {
  /** In lower case, an address in its short form without brackets, without the dot that may end a name. */
  readonly name: string;
  /** The port as it was given; empty where there was none. */
  readonly port: string;
}

/** Parses a host with or without a port, as in a Host header. Undefined for any other text. */
export function parseHost(text: string): HostName | undefined {
  const [, sent = '', port = ''] =
    /^(\[[\da-f:.]{2,45}\]|[^\s:[\]@/\\?#%*]{1,253})(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const hostname = sent === '' ? undefined : URL.parse(`http://${sent}`)?.hostname;
  if (hostname === undefined) return undefined;
  return { name: hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''), port };
}

/**
 * Parses an origin as browsers send it: a scheme and a host, without a default port. Undefined for any other text, such
 * as one with a path.
 */
export function parseOrigin(text: string): string | undefined {
  const match = /^([a-z][a-z\d+.-]*):\/\/([^\s/\\?#@*]+)$/i.exec(text);
  if (match === null) return undefined;
  const url = URL.parse(text);
  if (url === null) return undefined;
  // Of other schemes, such as that of an extension, the URL parser has no origin.
  return url.origin === 'null' ? text.toLowerCase() : url.origin;
}

/** The issues of a list of allowed hosts, which name entries by their position; empty when it is valid. */
export function allowedHostIssues(entries: readonly string[]): string[] {
  return entries.flatMap((text, index) =>
    text === ANY_HOST || parseHost(text) !== undefined
      ? []
      : [`entry ${index + 1} must be a host such as app.example or app.example:8000, or * for every host`],
  );
}

/** The issues of a list of allowed origins, which name entries by their position; empty when it is valid. */
export function allowedOriginIssues(entries: readonly string[]): string[] {
  return entries.flatMap((text, index) =>
    parseOrigin(text) === undefined
      ? [`entry ${index + 1} must be an origin such as https://app.example, without a path or *`]
      : [],
  );
}
