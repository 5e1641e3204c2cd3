/**
 * Loaded into the service before its own modules: measures from inside for how long the event loop was held up, and
 * tells the parent process the longest delay since it was last asked, in milliseconds.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds for the histogram's timer to see the end of a delay before it is read. */
const SETTLE_MS = 10;

const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();

process.on('message', () => {
  setTimeout(() => {
    const longestMs = histogram.max / 1e6;
    histogram.reset();
    process.send?.({ longestMs });
  }, SETTLE_MS);
});
process.channel?.unref();
