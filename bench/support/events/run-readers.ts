import { setTimeout as sleep } from 'node:timers/promises';
import { type EventReaders, startEventReaders } from '../load/event-readers.ts';
import { type Server, startService } from '../process/servers.ts';
import type { SectionResult } from '../report/section.ts';
import { median, medianRatio } from '../report/statistics.ts';
import { decimal, integer, markdownTable } from '../report/table.ts';
import { atMost, targetCell } from '../report/target.ts';
import { createGatedWorkflow, type GatedWorkflow, stepToolSettings } from '../workloads/gated-runs.ts';

/** The longest run with readers, in multiples of that without. */
const MAX_SLOWDOWN = 1.2;

const READERS = 500;
const STEPS = 400;

interface RunSamples {
  readonly ms: number[];
  readonly cpuMs: number[];
}

/** Runs in memory with and without readers, in turn. */
export async function measureRunReaders(quick: boolean): Promise<SectionResult> {
  await using service = await startService(stepToolSettings);
  await using readers = await startEventReaders();
  const workflow = await createGatedWorkflow(service, STEPS, 2);
  const samples = new Map([0, READERS].map((count): [number, RunSamples] => [count, { ms: [], cpuMs: [] }]));
  for (let round = 0; round <= (quick ? 5 : 15); round++) {
    for (const [count, { ms, cpuMs }] of samples) {
      const sample = await runOnce(service, workflow, readers, count);
      // The first round is a warm-up.
      if (round === 0) continue;
      ms.push(sample.ms);
      cpuMs.push(sample.cpuMs);
    }
  }
  const without = samples.get(0)?.ms ?? [];
  const name = `a run of ${STEPS} steps with ${READERS} readers`;
  const slowdown = medianRatio(samples.get(READERS)?.ms ?? [], without);
  const target = atMost(name, slowdown, MAX_SLOWDOWN, ' times that without');
  const rows = [...samples].map(([count, { ms, cpuMs }]) => [
    count,
    integer(median(ms)),
    `${integer(Math.min(...ms))} to ${integer(Math.max(...ms))}`,
    integer(median(cpuMs)),
    decimal(medianRatio(ms, without), 2),
    count === 0 ? '' : targetCell(target),
  ]);
  const head = [
    'Readers',
    'run, ms',
    'shortest to longest',
    'CPU ms until all have its end',
    'of that without',
    'target',
  ];
  return {
    targets: [target],
    blocks: [
      `A run in memory of ${STEPS} steps, one after the other, that wait 2 ms each; its readers are in another process and connected before its first step.`,
      markdownTable(head, rows, ['target']),
    ],
  };
}

/** Runs the workflow while `count` readers receive its events. Returns how long it took without its gate. */
async function runOnce(
  service: Server,
  workflow: GatedWorkflow,
  readers: EventReaders,
  count: number,
): Promise<{ ms: number; cpuMs: number }> {
  const run = await workflow.start();
  await readers.open(service, run.eventsPath, count);
  const before = await service.cpuMs();
  await workflow.openGate();
  const { duration_ms: runMs, step_results: steps } = await run.completed();
  const endedAt = performance.now();
  while ((await readers.received()).ended < count) {
    if (performance.now() - endedAt > 60_000)
      throw new Error('the readers did not receive the end of the run');
    await sleep(50);
  }
  const cpuMs = (await service.cpuMs()) - before;
  await readers.close();
  return { ms: runMs - (steps['gate']?.duration_ms ?? Number.NaN), cpuMs };
}
