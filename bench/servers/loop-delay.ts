/**
 * Preloaded into the service: measures the event loop delay inside the process. On any message from the parent it sends
 * `{ longestMs }`, the longest delay since the last message, in milliseconds.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds to wait before reading, so that the histogram has recorded the last delay. */
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
