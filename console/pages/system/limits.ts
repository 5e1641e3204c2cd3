import { formatDuration, formatNumber } from '../../ui/format.ts';

interface RateLimit {
  readonly requests: number;
  readonly window_seconds: number;
}

/** The limits as words and values: `max_body_bytes` is `max body: 1 MiB`. */
export function limitsOf(
  limits: Readonly<Record<string, number | RateLimit | null>>,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(limits).map(([name, value]) => {
    if (value === null) return [wordsOf(name), 'none'];
    if (typeof value === 'object') {
      return [wordsOf(name), `${formatNumber(value.requests)} requests in ${value.window_seconds} s`];
    }
    if (name.endsWith('_bytes')) return [wordsOf(name.slice(0, -'_bytes'.length)), formatBytes(value)];
    if (name.endsWith('_ms')) return [wordsOf(name.slice(0, -'_ms'.length)), formatDuration(value)];
    return [wordsOf(name), formatNumber(value)];
  });
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

function formatBytes(bytes: number): string {
  if (bytes >= 1_048_576) return `${Number((bytes / 1_048_576).toFixed(1))} MiB`;
  return bytes >= 1_024 ? `${Number((bytes / 1_024).toFixed(1))} KiB` : `${bytes} bytes`;
}
