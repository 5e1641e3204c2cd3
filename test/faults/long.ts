/**
 * Kills processes of the service and of Redis at random times under load, and compares the responses, the final state,
 * and what the steps did. Prints the figures of each part, and exits with 1 if a promise was broken.
 *
 * --only sqlite,redis  runs some parts only; `parts` has the names
 * --kills 50           kills so many processes in the parts that take a number, in place of 200
 * --seed 7             repeats the faults of an earlier run; FAULT_SEED does the same
 */
import { parseArgs } from 'node:util';
import { refreshService } from '../../build/service.ts';
import { parts } from '../support/faults/parts.ts';
import { faultSeed } from '../support/faults/run.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, kills: { type: 'string' }, seed: { type: 'string' } },
});
const chosen = values.only?.split(',') ?? [...parts.keys()];
const seed = values.seed === undefined ? faultSeed() : Number(values.seed);
const kills = Number(values.kills ?? 200);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

// Exits through `process.exit`, which stops everything that was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(kills)) {
  print('--seed and --kills must be integers');
  process.exit(1);
}
await refreshService();
for (const name of chosen) {
  const run = parts.get(name);
  if (run === undefined) {
    print(`--only takes ${[...parts.keys()].join(', ')}`);
    process.exit(1);
  }
  print(`\n${name} --seed ${seed}`);
  const { figures, violations } = await run({ seed, kills, onProgress: (text) => print(`… ${text}`) });
  for (const [figure, value] of figures) print(`${figure.padEnd(80)}${Math.round(value * 10_000) / 10_000}`);
  print(`${'kinds of violations'.padEnd(80)}${violations.size}`);
  for (const [kind, { count, example }] of violations)
    print(`VIOLATED ${kind}: ${count} times, for example ${example}`);
  if (violations.size > 0) process.exitCode = 1;
}
