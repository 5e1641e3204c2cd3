import { readFile } from 'node:fs/promises';
import { measureInRounds } from '../support/in-process/rounds.ts';
import { REDIS_MISSING } from '../support/process/redis.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median, medianRatio } from '../support/report/statistics.ts';
import { decimal, integer, markdownTable } from '../support/report/table.ts';
import { atLeast, type TargetResult } from '../support/report/target.ts';
import { dags, toDefinition } from '../support/workloads/dag.ts';
import { startBullMq } from './bullmq.ts';
import { startLangGraph } from './langgraph.ts';
import { startMastra } from './mastra.ts';
import { startFloor, startOwn } from './orchestration-service.ts';
import type { Peer, Work } from './peer.ts';

const OWN = 'orchestration-service';
const UNSTORED = `${OWN}, record not stored`;

const measured = [dags.chain10, dags.fanOut, dags.square, dags.wide, dags.chain1000];

const counts = [10, 100, 1_000];

/** The factors by which this project must be faster than others; for routing, without storing the record. */
const speedTargets: readonly (readonly [row: string, own: string, other: string, times: number])[] = [
  [dags.square.name, OWN, 'Mastra', 20],
  [dags.square.name, OWN, 'LangGraph.js', 100],
  [dags.wide.name, OWN, 'Mastra', 100],
  ['1,000 subtasks', UNSTORED, 'Mastra foreach', 20],
];

/** Milliseconds of every engine, one sample per round, without engines that failed. */
interface Row {
  readonly name: string;
  readonly samples: ReadonlyMap<string, readonly number[]>;
}

export const comparison: Section = {
  name: 'peers',
  title: 'Comparison with other engines',
  async measure(quick) {
    await using stack = new AsyncDisposableStack();
    const remarks: string[] = [];
    const peers: Peer[] = [];
    for (const start of [startFloor, startOwn, startMastra, startLangGraph, startBullMq]) {
      const peer = await start();
      if (peer === undefined) remarks.push(`BullMQ: ${REDIS_MISSING}`);
      else peers.push(stack.use(peer));
    }
    const rows: Row[] = [];
    for (const dag of measured) {
      const definition = toDefinition(dag);
      const prepared = peers.map(({ name, workflow }) => [name, () => workflow(definition)] as const);
      rows.push(await measure(dag.name, prepared, remarks, quick));
    }
    const ways = peers.flatMap(({ routing }) => Object.entries(routing));
    const routed: Row[] = [];
    for (const count of counts) {
      const prepared = ways.map(([name, prepare]) => [name, () => prepare(count)] as const);
      routed.push(await measure(`${integer(count)} subtasks`, prepared, remarks, quick));
    }
    return report(await versions(), rows, routed, remarks);
  },
};

async function measure(
  name: string,
  prepared: readonly (readonly [name: string, prepare: () => Promise<Work>])[],
  remarks: string[],
  quick: boolean,
): Promise<Row> {
  process.stderr.write(`measuring ${name} …\n`);
  const workloads: { name: string; run: Work }[] = [];
  for (const [peer, prepare] of prepared) {
    try {
      workloads.push({ name: peer, run: await prepare() });
    } catch (error) {
      remarks.push(
        `**${peer} could not be measured on ${name}:** ${error instanceof Error ? error.message : error}`,
      );
    }
  }
  const plan = quick ? { rounds: 3, roundMs: 50 } : { rounds: 9, roundMs: 250 };
  const samples = await measureInRounds(workloads, plan);
  return {
    name,
    samples: new Map(workloads.map((workload, index) => [workload.name, samples[index] ?? []])),
  };
}

function report(
  using: string,
  rows: readonly Row[],
  routed: readonly Row[],
  remarks: readonly string[],
): SectionResult {
  const targets = speedTargets.flatMap(([name, ours, other, times]): TargetResult[] => {
    const row = [...rows, ...routed].find((workload) => workload.name === name);
    const [own, others] = [row?.samples.get(ours), row?.samples.get(other)];
    if (own === undefined || others === undefined) return [];
    return [atLeast(`${name}, faster than ${other}`, medianRatio(others, own), times, ' times')];
  });
  return {
    targets,
    blocks: [
      `${using}. Steps, nodes, jobs and tasks are no-ops; everything runs in one process, except BullMQ's Redis. This project saves every layer, and every routed goal unless it says otherwise, to its store in memory; Mastra and LangGraph.js run without storage and save nothing; BullMQ saves every job to Redis. A BullMQ flow is a tree: if several steps depend on one, the flow has the same number of jobs, but fewer dependencies.`,
      'Milliseconds per run, and in brackets the ratio to this project:',
      table('DAG', rows),
      'Milliseconds for concurrent tasks:',
      table('Routing', routed),
      ...remarks,
    ],
  };
}

function table(first: string, rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ samples }) => [...samples.keys()]))];
  const cells = rows.map(({ name, samples }) => [name, ...names.map((column) => cell(samples, column))]);
  return markdownTable([first, ...names], cells);
}

function cell(samples: Row['samples'], name: string): string {
  const own = samples.get(OWN) ?? [];
  const sample = samples.get(name);
  if (sample === undefined) return 'none';
  const ms = decimal(median(sample), median(sample) < 10 ? 3 : 0);
  if (name === OWN) return ms;
  const times = medianRatio(sample, own);
  return `${ms} (${decimal(times, times < 10 ? 1 : 0)})`;
}

async function versions(): Promise<string> {
  const text = await readFile(new URL('./package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  return ['@mastra/core', '@langchain/langgraph', 'bullmq']
    .map((name) => `${name} ${dependencies[name]}`)
    .join(', ');
}
