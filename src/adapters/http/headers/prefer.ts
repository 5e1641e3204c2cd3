import { parsePair, splitHeader } from './list.ts';

/** What a Prefer header (RFC 7240) asks of a request that takes a while. */
export interface Preferences {
  /** Whether it has `respond-async`: respond before the work is done. */
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
