import type { Server } from '../process/servers.ts';
import { median } from '../report/statistics.ts';
import { decimal, integer } from '../report/table.ts';
import { type LoadResult, runLoad } from './generator.ts';
import type { Request } from './raw-http.ts';

/** Requests to a server that is compared with others. */
export interface LoadWorkload {
  readonly name: string;
  readonly server: Server;
  /** Sent in turn. */
  readonly requests: readonly Request[];
}

/** Length and number of the rounds of {@link measureLoads}. */
export interface LoadPlan {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  readonly connections: number;
}

/** The samples of one workload, one per round. */
export interface LoadSamples {
  readonly name: string;
  readonly perSecond: readonly number[];
  readonly p99Ms: readonly number[];
  /** CPU time of the server per request, in microseconds. */
  readonly cpuMicroseconds: readonly number[];
  /** Responses other than 2xx, in all rounds. */
  readonly failures: number;
}

type RoundResult = LoadResult & { readonly cpuMicroseconds: number };

/** The quick or the full plan. 64 connections keep a process busy without a long queue. */
export function loadPlan(quick: boolean): LoadPlan {
  return quick
    ? { rounds: 3, roundMs: 300, warmUpMs: 500, connections: 64 }
    : { rounds: 7, roundMs: 4_000, warmUpMs: 2_000, connections: 64 };
}

/** Measures the workloads in alternating rounds, so that other load on the machine affects all of them. */
export async function measureLoads(
  workloads: readonly LoadWorkload[],
  { rounds, roundMs, warmUpMs, connections }: LoadPlan,
): Promise<readonly LoadSamples[]> {
  const results = workloads.map((): RoundResult[] => []);
  for (const { server, requests } of workloads)
    await runLoad(server.port, requests, { connections, ms: warmUpMs });
  for (let round = 0; round < rounds; round++) {
    for (const [index, workload] of workloads.entries()) {
      results[index]?.push(await measureRound(workload, { connections, ms: roundMs }));
    }
  }
  return workloads.map(({ name }, index) => {
    const own = results[index] ?? [];
    return {
      name,
      perSecond: own.map((round) => round.perSecond),
      p99Ms: own.map((round) => round.p99Ms),
      cpuMicroseconds: own.map((round) => round.cpuMicroseconds),
      failures: own.reduce((sum, round) => sum + round.failures, 0),
    };
  });
}

async function measureRound(
  { server, requests }: LoadWorkload,
  amount: { connections: number; ms: number },
): Promise<RoundResult> {
  const before = await server.cpuMs();
  const result = await runLoad(server.port, requests, amount);
  const cpuMs = (await server.cpuMs()) - before;
  return { ...result, cpuMicroseconds: (cpuMs * 1_000) / result.requests };
}

/** Names of the columns that {@link loadCells} fills. */
export const loadColumns = ['per second', 'p99 ms', 'CPU µs a request'] as const;

/** The medians of a workload as table cells. Failures are shown beside the name, since they invalidate the rest. */
export function loadCells(samples: LoadSamples): [name: string, ...cells: string[]] {
  const { name, failures } = samples;
  return [
    failures === 0 ? name : `${name} (**${integer(failures)} requests failed**)`,
    integer(median(samples.perSecond)),
    decimal(median(samples.p99Ms), 1),
    integer(median(samples.cpuMicroseconds)),
  ];
}
