import { now } from '../app/now.ts';
import { formatAge, formatDuration, formatTime } from './format.ts';

/** The age of a point in time; the point itself as a tooltip. */
export function Age({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAge(at, now.value)}
    </time>
  );
}

/** The duration of something, or its time so far. */
export function Lasting({ from, ms }: { readonly from: string | null; readonly ms: number | null }) {
  if (ms !== null) return <span class="number">{formatDuration(ms)}</span>;
  if (from === null) return <span class="faint">–</span>;
  return <span class="number">{formatDuration(Math.max(0, now.value - Date.parse(from)))}</span>;
}
