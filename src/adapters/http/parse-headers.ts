/** True when an Accept header names `mediaType` itself, not only a range that contains it, with a quality above 0. */
export function namesMediaType(accept: string | undefined, mediaType: string): boolean {
  return parseWeighted(accept).some(({ name, quality }) => name === mediaType && quality > 0);
}

/** The quality of `mediaType`, by the most specific range that contains it; 0 when none does. */
export function qualityOf(accept: string | undefined, mediaType: string): number {
  const ranges = parseWeighted(accept);
  const [type = ''] = mediaType.split('/', 1);
  for (const range of [mediaType, `${type}/*`, '*/*']) {
    const qualities = ranges.filter(({ name }) => name === range).map(({ quality }) => quality);
    if (qualities.length > 0) return qualities.reduce((one, other) => Math.max(one, other));
  }
  return 0;
}

/** True when an Accept header prefers a page to JSON, as browsers do when they open an address. */
export function prefersHtml(accept: string | undefined): boolean {
  return qualityOf(accept, 'text/html') > qualityOf(accept, 'application/json');
}

/** True when an Accept-Encoding header takes gzip: by its name, or by `*` where it is not named. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const codings = parseWeighted(acceptEncoding);
  const coding = codings.find(({ name }) => name === 'gzip') ?? codings.find(({ name }) => name === '*');
  return coding !== undefined && coding.quality > 0;
}

/** The preferences of a request that takes a while (RFC 7240). */
export interface Preferences {
  /** True when it has `respond-async`: respond before the work is done. */
  readonly respondAsync: boolean;
  /** The seconds of `wait`: respond at the latest then. Undefined when absent or not a number. */
  readonly waitSeconds: number | undefined;
}

/** The longest wait, in seconds: that of a timer of Node. */
const MAX_WAIT_SECONDS = 2_147_483;

/** Parses a Prefer header. Ignores other preferences, and of a repeated preference all but the first. */
export function parsePrefer(header: string | undefined): Preferences {
  const preferences = new Map<string, string>();
  for (const member of splitHeader(header ?? '', ',')) {
    const [preference = ''] = splitHeader(member, ';');
    const [name, value] = parsePair(preference);
    if (!preferences.has(name)) preferences.set(name, value);
  }
  const wait = preferences.get('wait') ?? '';
  return {
    respondAsync: preferences.get('respond-async') === '',
    waitSeconds: /^\d+$/.test(wait) ? Math.min(Number(wait), MAX_WAIT_SECONDS) : undefined,
  };
}

const qualityPattern = /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/;

/** The members of a list, in lower case, each with its quality from 0 to 1: 0 for one that is no such number. */
function parseWeighted(header = ''): readonly { readonly name: string; readonly quality: number }[] {
  return splitHeader(header, ',').map((member) => {
    const [name = '', ...parameters] = splitHeader(member, ';');
    const [, weight = '1'] = parameters.map(parsePair).find(([key]) => key === 'q') ?? [];
    return { name: name.toLowerCase(), quality: qualityPattern.test(weight) ? Number(weight) : 0 };
  });
}

/**
 * The members of a header that is a list, without the spaces around them. Separators in quoted strings do not count.
 */
function splitHeader(text: string, separator: ',' | ';'): readonly string[] {
  const members: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') quoted = !quoted;
    else if (quoted && character === '\\') index++;
    else if (!quoted && character === separator) {
      members.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  members.push(text.slice(start).trim());
  return members;
}

/** A `name=value` of a header: the name in lower case, the value without its quotes. Without a value, it is empty. */
function parsePair(text: string): readonly [name: string, value: string] {
  const [name = '', ...rest] = text.split('=');
  const value = rest.join('=').trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return [name.trim().toLowerCase(), isQuoted ? value.slice(1, -1) : value];
}
