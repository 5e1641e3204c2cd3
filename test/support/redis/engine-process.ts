/**
 * A replica with the whole core and three background runs of three steps in sequence: `done` has ended, `running` waits
 * in its second step, and `waiting` waits for its start, because only one run may run at a time. Writes their ids as
 * JSON to standard output. A line on standard input ends the step; once nothing is left to do or to write, it writes
 * `idle`. Arguments: URL and key prefix of the store.
 */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { quickTimes } from '../stores.ts';
import { until } from '../until.ts';
import { callTool } from '../workflow/engine.ts';
import { createRedisEngine } from './engine.ts';
import { createStoresFactory } from './stores.ts';

const [, , url = '', prefix = ''] = process.argv;
const stored = await createStoresFactory().make(url, { prefix, ...quickTimes });
const engine = createRedisEngine(stored, { maxBackgroundRuns: 1, toolTimeoutMs: 600_000 });
const write = (line: string): void => void process.stdout.write(`${line}\n`);
const input = createInterface({ input: process.stdin });
const goesOn = once(input, 'line');

engine.tool('reply', async ({ name }) => ({ of: String(name) }));
engine.tool('hang', async () => {
  await goesOn;
  return { of: 'late' };
});

const [quick, slow] = await Promise.all(
  ['reply', 'hang'].map((second) =>
    engine.define(
      callTool('first', 'reply', { name: 'layer 0' }),
      callTool('second', second, { name: 'layer 1' }, ['first']),
      callTool('third', 'reply', { name: 'layer 2' }, ['second']),
    ),
  ),
);
if (quick === undefined || slow === undefined) throw new Error('the workflows were not created');
const done = await engine.workflows.run(quick.id, {});
const running = await engine.workflows.run(slow.id, { background: true });
const waiting = await engine.workflows.run(quick.id, { background: true });
await until('the second step acts', async () => {
  return (await engine.runs.get(running.runId)).stepResults[1]?.status === 'RUNNING';
});
write(JSON.stringify({ done: done.runId, running: running.runId, waiting: waiting.runId }));

await goesOn;
const isFinished = (runId: string): boolean =>
  engine.recorded.events.some((event) => event.type === 'run.finished' && event.runId === runId);
await until('its runs have ended', () => isFinished(running.runId) && isFinished(waiting.runId));
await until('the store is available', async () => (await stored.probe()) === 'ok');
write('idle');
