/**
 * Measures the turns of the event loop of the process that loads it, by `--import`: the longest time of the processor
 * that its main thread took in one turn. Other processes of the machine do not count. `SIGUSR2` writes it as a line of
 * the log, and begins anew.
 */

/** Milliseconds between two looks. A turn that is shorter may be counted with its neighbours. */
const INTERVAL_MS = 2;

let longestMs = 0;
let before = process.threadCpuUsage();

function look(): void {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1_000);
}

setInterval(look, INTERVAL_MS).unref();

process.on('SIGUSR2', () => {
  look();
  process.stdout.write(`${JSON.stringify({ msg: 'longest turn', ms: longestMs })}\n`);
  longestMs = 0;
});
