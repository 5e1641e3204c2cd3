import { useEffect, useState } from 'preact/hooks';
import { openItems } from '../../api/inbox-count.ts';
import { useRead } from '../../api/use-read.ts';
import type { PageProps } from '../../app/place.ts';
import { setQuery } from '../../app/router.ts';
import { system } from '../../app/settings.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Reading } from '../../ui/states.tsx';
import { Happening } from './happening.tsx';
import { Latency } from './latency.tsx';
import { Needs } from './needs.tsx';
import { openItemsOf, readStats, windowOf, windows } from './stats.ts';
import { Tiles } from './tiles.tsx';
import './overview.css';

/** The overview: how much comes in, how it goes, what needs somebody, and what happens just now. */
export default function Overview({ query }: PageProps) {
  // The window does not change by itself while the process grows older.
  const [openedAt] = useState(Date.now);
  const window = windowOf(query, system.value && openedAt - Date.parse(system.value.started_at));
  const stats = useRead(`stats ${window}`, readStats(window), {
    stale: ({ type }) => counted.test(type),
    againMs: GROUPS_MS,
  });
  useEffect(() => {
    if (stats.value !== undefined) openItems.value = openItemsOf(stats.value.now.inbox);
  }, [stats.value]);
  return (
    <>
      <PageHead
        title="Overview"
        actions={
          <label class="overview-window">
            <span class="only-read">Time</span>
            <select value={window} onChange={(event) => setQuery({ window: event.currentTarget.value })}>
              {windows.map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </select>
          </label>
        }
        calls={[{ label: 'Statistics', call: stats.call }]}
      />
      <Reading read={stats} what="Reading the statistics" rows={6}>
        {(value) => (
          <>
            <Tiles stats={value} window={window} />
            <Latency stats={value} />
            <div class="overview-halves">
              <Needs stats={value} />
              <Happening />
            </div>
          </>
        )}
      </Reading>
    </>
  );
}

/** The groups of failed runs may be four seconds old. */
const GROUPS_MS = 4_500;

/** Events after which the statistics differ. Steps and tools come with the end of their run or message. */
const counted = /^(message|execution|routing|inbox)\./;
