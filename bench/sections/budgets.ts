import { createHook } from 'node:async_hooks';
import { systemClock } from '../../src/adapters/shared/system.ts';
import type { Orchestrator } from '../../src/application/orchestrator.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { countRoundTrips } from '../support/load/round-trips.ts';
import { REDIS_MISSING, startRedis } from '../support/process/redis.ts';
import { startService } from '../support/process/servers.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median } from '../support/report/statistics.ts';
import { markdownTable } from '../support/report/table.ts';
import { atMost, type TargetResult, targetCell } from '../support/report/target.ts';
import { createBenchOrchestrator, createSubtasks } from '../support/workloads/core.ts';
import { type Dag, dags, toDraft } from '../support/workloads/dag.ts';
import {
  createRunRequest,
  postMessage,
  sampleMessage,
  sendAndExpectCompleted,
  toCustomerMessage,
} from '../support/workloads/requests.ts';

/** The most that one item may use: more than twice what it uses today, so that simpler code fits too. */
type Budget = WorkCounts & { readonly bytes: number };

/** A kind of item whose work is counted. */
interface Subject {
  readonly name: string;
  /** Prepares work that handles `count` items. */
  prepare(orchestrator: Orchestrator, count: number): Promise<() => Promise<unknown>>;
  readonly budget: Budget;
}

const subjects: readonly Subject[] = [
  {
    name: 'message',
    prepare: prepareMessages,
    budget: { promises: 150, clockReads: 60, timers: 15, bytes: 60_000 },
  },
  {
    name: 'step of a layer',
    prepare: (orchestrator, count) => prepareRun(orchestrator, { name: 'layer', widths: [count] }),
    budget: { promises: 40, clockReads: 12, timers: 3, bytes: 24_000 },
  },
  {
    name: 'step of a chain',
    prepare: (orchestrator, count) =>
      prepareRun(orchestrator, { name: 'chain', widths: new Array<number>(count).fill(1) }),
    budget: { promises: 60, clockReads: 15, timers: 3, bytes: 30_000 },
  },
  {
    name: 'subtask of a routed goal',
    prepare: prepareRouting,
    budget: { promises: 40, clockReads: 10, timers: 3, bytes: 12_000 },
  },
];

const counted = ['promises', 'clock reads', 'timers', 'bytes allocated'];

/** Items of the smaller and of the larger count; their difference leaves out what does not depend on the number. */
const SMALL = 100;
const LARGE = 200;

/** Counts work instead of timing it, and compares it with budgets that leave slack. */
export const budgets: Section = {
  name: 'budgets',
  title: 'Work budgets',
  async measure(quick) {
    const rows: string[][] = [];
    const targets: TargetResult[] = [];
    for (const subject of subjects) {
      const results = await measureSubject(subject, quick);
      rows.push([subject.name, ...results.map(targetCellWithValue)]);
      targets.push(...results);
    }
    const redis = await measureRoundTrips();
    return {
      blocks: [
        'Counted in one process, without HTTP, with tools and agents that return a promise: what each further item uses, from 100 to 200 items.',
        markdownTable(['Each', ...counted], rows, counted),
        ...redis.blocks,
      ],
      targets: [...targets, ...redis.targets],
    };
  },
};

async function measureSubject({ name, prepare, budget }: Subject, quick: boolean): Promise<TargetResult[]> {
  const counter = createWorkCounter();
  const orchestrator = createBenchOrchestrator(
    { clock: counter.clock },
    { maxWorkflowSteps: LARGE, maxSubtasks: LARGE },
  );
  orchestrator.tools.register({
    name: 'nothing',
    description: 'Does nothing',
    input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
    execute: async () => ({}),
  });
  orchestrator.agents.register({ name: 'nothing', description: 'Does nothing', handle: async () => ({}) });
  const small = await prepare(orchestrator, SMALL);
  const counts = await countEach(counter, small, await prepare(orchestrator, LARGE));
  const bytes = (await allocatedBytes(small, quick ? 21 : 101)) / SMALL;
  await orchestrator.close(0);
  return [
    atMost(`${name}, promises`, counts.promises, budget.promises),
    atMost(`${name}, clock reads`, counts.clockReads, budget.clockReads),
    atMost(`${name}, timers`, counts.timers, budget.timers),
    atMost(`${name}, bytes allocated`, bytes, budget.bytes),
  ];
}

/** The work of each further item. */
async function countEach(
  counter: WorkCounter,
  small: () => Promise<unknown>,
  large: () => Promise<unknown>,
): Promise<WorkCounts> {
  // The first run compiles validators and plans.
  for (const work of [small, large]) await work();
  const [few, many] = [await counter.count(small), await counter.count(large)];
  const each = (count: keyof WorkCounts): number => (many[count] - few[count]) / (LARGE - SMALL);
  return { promises: each('promises'), clockReads: each('clockReads'), timers: each('timers') };
}

async function prepareMessages(orchestrator: Orchestrator, count: number) {
  const message = toCustomerMessage(sampleMessage);
  return async () => {
    for (let number = 0; number < count; number++) await orchestrator.messages.process(message);
  };
}

async function prepareRun(orchestrator: Orchestrator, dag: Dag) {
  const { id } = await orchestrator.workflows.create(toDraft(dag));
  return async () => {
    const { status, error } = await orchestrator.workflows.run(id);
    if (status !== 'COMPLETED') throw new Error(`the ${dag.name} ended as ${status}: ${error}`);
  };
}

async function prepareRouting(orchestrator: Orchestrator, count: number) {
  const subtasks = createSubtasks('nothing', count);
  return async () => {
    const { status } = await orchestrator.agents.route({ goal: 'count', subtasks });
    if (status !== 'completed') throw new Error(`the goal ended as ${status}`);
  };
}

/** The round trips to Redis for one message and for one run. */
async function measureRoundTrips(): Promise<SectionResult> {
  await using redis = await startRedis();
  if (redis === undefined) return { blocks: [REDIS_MISSING], targets: [] };
  await using service = await startService({ TRACE_BACKEND: 'kvstore', KVSTORE_URL: redis.url });
  const run = await createRunRequest(service, dags.square);
  for (const request of [postMessage, run]) await sendAndExpectCompleted(service, request);
  const targets = [
    atMost('message, round trips to Redis', await countRoundTrips(redis, service, postMessage), 2),
    atMost('run of 10 layers of 10, round trips to Redis', await countRoundTrips(redis, service, run), 30),
  ];
  const rows = targets.map((target) => [target.name, targetCellWithValue(target)]);
  return { blocks: [markdownTable(['With Redis', 'measured'], rows, ['measured'])], targets };
}

function targetCellWithValue(target: TargetResult): string {
  return `${target.measured} (${targetCell(target)})`;
}

/**
 * Bytes that `work` allocates on the heap, garbage included: the median of `times` runs, so that runs with a garbage
 * collection do not count. One run must allocate much less than the young generation holds (some megabytes).
 */
async function allocatedBytes(work: () => unknown, times: number): Promise<number> {
  const samples: number[] = [];
  for (let time = 0; time < times; time++) {
    const before = process.memoryUsage().heapUsed;
    await work();
    samples.push(process.memoryUsage().heapUsed - before);
  }
  return median(samples);
}

/** The use of resources by some work: counts that, unlike times, hardly depend on the machine. */
interface WorkCounts {
  /** Promises created, those of `await` included. */
  readonly promises: number;
  /** Calls of `now` and `monotonic`. */
  readonly clockReads: number;
  /** Timers set. */
  readonly timers: number;
}

/** Counts the work of code that uses `clock`. */
interface WorkCounter {
  /** The system clock, counted. */
  readonly clock: Clock;
  /** Runs `work` and counts what it used. */
  count(work: () => Promise<unknown>): Promise<WorkCounts>;
}

function createWorkCounter(): WorkCounter {
  let promises = 0;
  let clockReads = 0;
  let timers = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1;
    },
  });
  return {
    clock: {
      now() {
        clockReads += 1;
        return systemClock.now();
      },
      monotonic() {
        clockReads += 1;
        return systemClock.monotonic();
      },
      after(ms, callback) {
        timers += 1;
        return systemClock.after(ms, callback);
      },
    },
    async count(work) {
      const before = { promises, clockReads, timers };
      hook.enable();
      try {
        await work();
      } finally {
        hook.disable();
      }
      return {
        promises: promises - before.promises,
        clockReads: clockReads - before.clockReads,
        timers: timers - before.timers,
      };
    },
  };
}
