import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runLoad } from '../support/load/generator.ts';
import type { Request } from '../support/load/raw-http.ts';
import { startProgram } from '../support/process/programs.ts';
import { type Server, startService } from '../support/process/servers.ts';
import { dags } from '../support/workloads/dag.ts';
import {
  createRunRequest,
  mixedMessages,
  postMessage,
  sendAndExpectCompleted,
} from '../support/workloads/requests.ts';

const CONNECTIONS = 64;

/** The mean time of one operation, in microseconds. */
export interface Sample {
  readonly wallUs: number;
  /** CPU time of all threads of the measured process. */
  readonly cpuUs: number;
}

/** The message that asks the worker for a sample. */
export interface SampleRequest {
  readonly workload: string;
  readonly ms: number;
}

/** A process of one checkout; disposing of it ends the process. */
export interface Target extends AsyncDisposable {
  /** Runs a workload for at least `ms` milliseconds. */
  sample(workload: string, ms: number): Promise<Sample>;
}

/** Workloads that can be compared, in groups that `--only` selects. */
export const groups = {
  engine: [dags.chain10.name, dags.square.name, dags.wide.name, dags.chain1000.name, dags.chain10000.name],
  routing: ['1,000 subtasks'],
  pipeline: ['500 messages', 'batch of 100'],
  http: [
    'POST /messages',
    'POST /messages, 500 different',
    'GET /trace/{id}',
    'POST /workflows/{id}/run, 10 layers of 10',
    'POST /workflows/{id}/run, chain of 100',
  ],
} as const satisfies Record<string, readonly string[]>;

export type Group = keyof typeof groups;

/** Starts a process for the workloads of a group: a worker with the core, or the service. */
export function startTarget(group: Group, checkout: string): Promise<Target> {
  return group === 'http' ? startHttpTarget(checkout) : startWorker(checkout);
}

async function startWorker(checkout: string): Promise<Target> {
  const path = fileURLToPath(new URL('worker.ts', import.meta.url));
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
  const program = startProgram(process.execPath, [path, checkout], { stdio: [...stdio] });
  const { child } = program;
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`the worker of ${checkout} ended`)));
  exited.catch(() => undefined);
  return {
    async sample(workload, ms) {
      const reply = once(child, 'message');
      child.send({ workload, ms } satisfies SampleRequest);
      const [sample] = await Promise.race([reply, exited]);
      return sample as Sample;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

async function startHttpTarget(checkout: string): Promise<Target> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startService({}, { checkout }));
  // 10,000 newer traces evict a trace, so the one that is read is owned in another process.
  const reader = stack.use(await startService({}, { checkout }));
  const { trace_id: traceId } = await postForTrace(reader);
  const runs = [await createRunRequest(service, dags.square), await createRunRequest(service, dags.chain100)];
  const workloads: readonly Workload[] = [
    { server: service, requests: [postMessage] },
    { server: service, requests: mixedMessages(500) },
    { server: reader, requests: [{ method: 'GET', path: `/trace/${traceId}` }] },
    ...runs.map((run) => ({ server: service, requests: [run] })),
  ];
  const byName = new Map(groups.http.map((name, index) => [name as string, workloads[index]]));
  const owned = stack.move();
  return {
    async sample(name, ms) {
      const workload = byName.get(name);
      if (workload === undefined) throw new Error(`unknown workload: ${name}`);
      const { server, requests } = workload;
      const cpuBefore = await server.cpuMs();
      const result = await runLoad(server.port, requests, { connections: CONNECTIONS, ms });
      if (result.failures > 0) throw new Error(`${name}: ${result.failures} requests failed`);
      const cpuMs = (await server.cpuMs()) - cpuBefore;
      return { wallUs: 1e6 / result.perSecond, cpuUs: (cpuMs * 1_000) / result.requests };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface Workload {
  readonly server: Server;
  readonly requests: readonly Request[];
}

function postForTrace(server: Server): Promise<{ status: string; trace_id: string }> {
  return sendAndExpectCompleted(server, postMessage);
}
