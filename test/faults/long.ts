/**
 * Kills at least two hundred processes of the service and of Redis at random times under load, with a Redis that hangs
 * or is full in between, and compares the responses with the final state. Exits with 1 if a promise was broken.
 * FAULT_SEED repeats the faults of an earlier run.
 */
import { type FaultCounts, killsIn } from '../support/faults/plan.ts';
import { faultSeed, runFaults } from '../support/faults/run.ts';

const faults: FaultCounts = { replica: 150, store: 40, both: 15, freeze: 15, full: 15 };
const total = Object.values(faults).reduce((sum, count) => sum + count, 0);
const seed = faultSeed();
const print = (text: string): void => void process.stdout.write(`${text}\n`);

// Exits through `process.exit`, which stops everything that was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
print(`FAULT_SEED=${seed}`);
const since = performance.now();
const { figures, violations, endedAfterMs } = await runFaults({
  seed,
  replicas: 3,
  faults,
  onFault: (count) => {
    if (count % 25 === 0) print(`${count} of ${total} faults`);
  },
});

const rows: readonly (readonly [string, string | number])[] = [
  ['kill points', killsIn(faults)],
  ['other faults of the store', faults.freeze + faults.full],
  ...Object.entries(figures).map(([name, value]) => [name, Math.round(value * 10_000) / 10_000] as const),
  ['ms from the last fault to the last end', Math.round(endedAfterMs)],
  ['seconds in all', Math.round((performance.now() - since) / 1_000)],
  ['kinds of violations', violations.size],
];
for (const [name, value] of rows) print(`${name.padEnd(42)}${value}`);
for (const [kind, { count, example }] of violations)
  print(`VIOLATED ${kind}: ${count} times, for example ${example}`);
if (violations.size > 0) process.exitCode = 1;
