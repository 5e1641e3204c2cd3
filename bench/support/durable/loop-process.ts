import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Program, startProgram } from '../process/programs.ts';
import type { LoopReply, LoopRequest, LoopWork } from './loop.ts';

/** A process that runs workloads: see `serveLoop`. */
export interface LoopProcess extends Program {
  ask(request: LoopRequest): Promise<LoopReply>;
}

/** One kind of runs, in one or several processes that share them. */
export interface LoopCase {
  readonly name: string;
  readonly processes: readonly LoopProcess[];
  /** CPU time of the shared store until now, in milliseconds; absent for a store in the processes. */
  readonly storeCpuMs?: () => Promise<number>;
}

/** Samples of one case, one per round. */
export interface LoopSamples {
  readonly name: string;
  readonly perSecond: readonly number[];
  /** CPU time of the processes for a run, in milliseconds. */
  readonly cpuMs: readonly number[];
  /** CPU time of the shared store for a run, in milliseconds; `NaN` for a store in the processes. */
  readonly storeCpuMs: readonly number[];
}

/** Milliseconds that runs under way may take to end after a round. */
const MAX_DRAIN_MS = 60_000;

/** Starts a module that calls `serveLoop`, with one argument. Rejects when it does not start. */
export async function startLoop(module: URL, argument: string): Promise<LoopProcess> {
  const path = fileURLToPath(module);
  const program = startProgram(process.execPath, [path, argument], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { child } = program;
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${path} ended with ${code}`)));
  ended.catch(() => undefined);
  const reply = async (): Promise<LoopReply> => (await Promise.race([once(child, 'message'), ended]))[0];
  await reply();
  return {
    ...program,
    ask(request) {
      const answered = reply();
      child.send(request);
      return answered;
    },
  };
}

/**
 * Measures the cases in alternating rounds after one to warm up, so that other load on the machine affects all. A run
 * counts until its end: a sample is over when none is under way.
 */
export async function measureLoops(
  cases: readonly LoopCase[],
  work: LoopWork,
  rounds: number,
): Promise<readonly LoopSamples[]> {
  const samples = cases.map(({ name }) => ({
    name,
    perSecond: [] as number[],
    cpuMs: [] as number[],
    storeCpuMs: [] as number[],
  }));
  for (let round = -1; round < rounds; round++) {
    for (const [index, loopCase] of cases.entries()) {
      const sample = await sampleOf(loopCase, work);
      if (round < 0) continue;
      samples[index]?.perSecond.push(sample.perSecond);
      samples[index]?.cpuMs.push(sample.cpuMs);
      samples[index]?.storeCpuMs.push(sample.storeCpuMs);
    }
  }
  return samples;
}

async function sampleOf({ name, processes, storeCpuMs }: LoopCase, work: LoopWork) {
  const storeBefore = await storeCpuMs?.();
  await Promise.all(processes.map(({ ask }) => ask({ work })));
  await sleep(work.ms);
  const replies = await untilEnded(name, processes);
  const storeMs = ((await storeCpuMs?.()) ?? Number.NaN) - (storeBefore ?? Number.NaN);
  const runs = sum(replies.map((reply) => reply.runs));
  const beganAt = Math.min(...replies.map((reply) => reply.beganAt));
  const endedAt = Math.max(...replies.map((reply) => reply.endedAt));
  return {
    perSecond: (runs * 1_000) / (endedAt - beganAt),
    cpuMs: sum(replies.map((reply) => reply.cpuMs)) / runs,
    storeCpuMs: storeMs / runs,
  };
}

/** Waits until no run is under way. */
async function untilEnded(name: string, processes: readonly LoopProcess[]): Promise<LoopReply[]> {
  const until = performance.now() + MAX_DRAIN_MS;
  while (performance.now() < until) {
    const replies = await Promise.all(processes.map(({ ask }) => ask({})));
    if (sum(replies.map(({ open }) => open)) === 0) return replies;
    await sleep(20);
  }
  throw new Error(`${name}: runs did not end`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
