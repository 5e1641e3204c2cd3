import type { Server } from '../process/servers.ts';
import { median } from '../report/statistics.ts';
import { decimal, integer } from '../report/table.ts';
import { type LoadResult, runLoad } from './generator.ts';
import type { Request } from './raw-http.ts';

/** A request to a server that is measured beside others. */
export interface LoadWorkload {
  readonly name: string;
  readonly server: Server;
  /** Sent by turns. */
  readonly requests: readonly Request[];
}

/** How servers are measured beside each other. */
export interface LoadPlan {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  readonly connections: number;
}

/** What one candidate reached, one figure a round. */
export interface LoadFigures {
  readonly name: string;
  readonly perSecond: readonly number[];
  readonly p99Ms: readonly number[];
  /** CPU time of the server for each request, in microseconds. */
  readonly cpuMicroseconds: readonly number[];
  /** Replies other than 2xx, over all rounds. */
  readonly failures: number;
}

type RoundResult = LoadResult & { readonly cpuMicroseconds: number };

/** The plan of both lengths: 64 connections, as many as keep a process busy without a queue in front of it. */
export function loadPlan(quick: boolean): LoadPlan {
  return quick
    ? { rounds: 3, roundMs: 300, warmUpMs: 500, connections: 64 }
    : { rounds: 7, roundMs: 4_000, warmUpMs: 2_000, connections: 64 };
}

/** Measures the candidates by turns, so that what disturbs the machine disturbs all of them. */
export async function measureLoads(
  candidates: readonly LoadWorkload[],
  { rounds, roundMs, warmUpMs, connections }: LoadPlan,
): Promise<readonly LoadFigures[]> {
  const results = candidates.map((): RoundResult[] => []);
  for (const { server, requests } of candidates)
    await runLoad(server.port, requests, { connections, ms: warmUpMs });
  for (let round = 0; round < rounds; round++) {
    for (const [index, candidate] of candidates.entries()) {
      results[index]?.push(await measureRound(candidate, { connections, ms: roundMs }));
    }
  }
  return candidates.map(({ name }, index) => {
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

/** What a candidate reached, as cells of a table. Failures stand beside the name, for nothing else counts then. */
export function loadCells(figures: LoadFigures): [name: string, ...cells: string[]] {
  const { name, failures } = figures;
  return [
    failures === 0 ? name : `${name} (**${integer(failures)} requests failed**)`,
    integer(median(figures.perSecond)),
    decimal(median(figures.p99Ms), 1),
    integer(median(figures.cpuMicroseconds)),
  ];
}
