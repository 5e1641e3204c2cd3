import { maxEventLoopDelayMs } from '../load/event-loop.ts';
import { type Server, startService } from '../process/servers.ts';
import { memoryGrowthTarget } from '../report/memory-growth.ts';
import type { SectionResult } from '../report/section.ts';
import { median, medianRatio } from '../report/statistics.ts';
import { decimal, integer, markdownTable } from '../report/table.ts';
import { atMost, type TargetResult } from '../report/target.ts';

const MEBIBYTE = 1_024 * 1_024;

/** The largest possible limit: 10,000 steps with a hundred dependencies each take 9 MiB. */
const MAX_BODY_BYTES = String(64 * MEBIBYTE);

/**
 * The factor by which a step may take longer in a workflow with ten times the steps, for the time to count as linear.
 */
const MAX_GROWTH = 1.5;

const LAYER_WIDTH = 100;

/** The ids of the steps that a step depends on. */
type Dependencies = (step: number) => readonly string[];

/** Ids of the same length, so that the size of a definition depends only on its steps and dependencies. */
const id = (step: number) => `s${String(step).padStart(4, '0')}`;

const shapes: readonly (readonly [name: string, Dependencies])[] = [
  ['chain', (step) => (step === 0 ? [] : [id(step - 1)])],
  ['layers of 100, each step after one', (step) => (step < LAYER_WIDTH ? [] : [id(step - LAYER_WIDTH)])],
  [
    'layers of 100, each step after a complete layer',
    (step) => {
      const before = (Math.floor(step / LAYER_WIDTH) - 1) * LAYER_WIDTH;
      return before < 0 ? [] : Array.from({ length: LAYER_WIDTH }, (_, place) => id(before + place));
    },
  ],
];

/** One workflow and its samples, one per round. */
interface Case {
  readonly shape: string;
  readonly steps: number;
  /** The definition as JSON. */
  readonly body: string;
  readonly definitionMs: number[];
  readonly runMs: number[];
  readonly definitionStallMs: number[];
  readonly runStallMs: number[];
  readonly residentBytes: number[];
}

/** Creates and runs workflows of up to 10,000 steps over HTTP, alternating between the sizes, in one process. */
export async function measureWorkflows(quick: boolean): Promise<SectionResult> {
  const settings = { MAX_WORKFLOW_STEPS: '10000', MAX_BODY_BYTES };
  await using service = await startService(settings, { preload: 'loop-delay.ts' });
  const cases = shapes.flatMap(([shape, dependencies]) =>
    [100, 1_000, 10_000].map((steps) => createCase(shape, steps, dependencies)),
  );
  const residentBytes: number[] = [];
  for (let round = 0; round <= (quick ? 2 : 19); round++) {
    for (const item of cases) {
      // The first round is a warm-up, its samples are dropped.
      const samples = round === 0 ? createCase(item.shape, item.steps, () => []) : item;
      await measure(service, item.body, samples);
    }
    residentBytes.push(await service.residentBytes());
  }
  const bounded = quick ? [] : [memoryGrowthTarget('workflows of up to 10,000 steps', residentBytes)];
  return report(cases, residentBytes, bounded);
}

function createCase(shape: string, steps: number, dependencies: Dependencies): Case {
  const definition = {
    name: `${shape}, ${steps}`,
    steps: Array.from({ length: steps }, (_, step) => ({
      id: id(step),
      tool_name: 'refund_policy',
      depends_on: dependencies(step),
    })),
  };
  const samples = { definitionMs: [], runMs: [], definitionStallMs: [], runStallMs: [], residentBytes: [] };
  return { shape, steps, body: JSON.stringify(definition), ...samples };
}

/** Creates a workflow, runs it, checks that every step completed, and deletes it. */
async function measure(service: Server, body: string, into: Case): Promise<void> {
  await maxEventLoopDelayMs(service);
  const defined = await send<{ id: string }>(service, 'POST', '/workflows', body);
  into.definitionMs.push(defined.tookMs);
  into.definitionStallMs.push(await maxEventLoopDelayMs(service));
  const path = `/workflows/${defined.reply.id}`;
  const run = await send<Execution>(service, 'POST', `${path}/run`, '{}');
  into.runMs.push(run.tookMs);
  into.runStallMs.push(await maxEventLoopDelayMs(service));
  into.residentBytes.push(await service.residentBytes());
  expectCompleted(run.reply, into);
  await fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'DELETE' });
}

interface Execution {
  readonly status: string;
  readonly error: string | null;
  readonly step_results: Readonly<Record<string, { readonly status: string }>>;
}

function expectCompleted(execution: Execution, { shape, steps }: Case): void {
  const results = Object.values(execution.step_results);
  const completed = results.filter(({ status }) => status === 'COMPLETED').length;
  if (execution.status === 'COMPLETED' && completed === steps && results.length === steps) return;
  const outcome = `${execution.status} (${execution.error})`;
  throw new Error(`${shape} of ${steps}: ${outcome}, ${completed} of ${results.length} steps completed`);
}

/** Sends a request and parses the response; the time ends with the last byte, before parsing. */
async function send<Shape>(
  { port }: Server,
  method: string,
  path: string,
  body: string,
): Promise<{ reply: Shape; tookMs: number }> {
  const startedAt = performance.now();
  const headers = { 'Content-Type': 'application/json' };
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
  const text = await reply.text();
  const tookMs = performance.now() - startedAt;
  if (!reply.ok) throw new Error(`${method} ${path} responded with ${reply.status}: ${text.slice(0, 300)}`);
  return { reply: JSON.parse(text) as Shape, tookMs };
}

function report(
  cases: readonly Case[],
  residentBytes: readonly number[],
  bounded: readonly TargetResult[],
): SectionResult {
  const rows = cases.map((item) => [
    item.shape,
    integer(item.steps),
    decimal(item.body.length / MEBIBYTE, 2),
    decimal(median(item.definitionMs), 1),
    decimal((median(item.definitionMs) * 1_000) / item.steps, 1),
    decimal(median(item.runMs), 1),
    decimal((median(item.runMs) * 1_000) / item.steps, 1),
    integer(median(item.definitionStallMs)),
    integer(median(item.runStallMs)),
    integer(median(item.residentBytes) / MEBIBYTE),
  ]);
  const head = [
    'Workflow',
    'steps',
    'definition, MiB',
    'create, ms',
    'µs per step',
    'run, ms',
    'µs per step',
  ];
  const further = ['loop delay of create, ms', 'of run, ms', 'resident after, MiB'];
  return {
    targets: [...shapes.flatMap(([shape]) => growthTargets(cases, shape)), ...bounded],
    blocks: [
      explanation,
      markdownTable([...head, ...further], rows),
      `Resident memory after each round, in MiB: ${residentBytes.map((bytes) => integer(bytes / MEBIBYTE)).join(', ')}.`,
    ],
  };
}

function growthTargets(cases: readonly Case[], shape: string): TargetResult[] {
  const perStep = (steps: number, samples: (item: Case) => readonly number[]): number[] => {
    const found = cases.find((item) => item.shape === shape && item.steps === steps);
    return found === undefined ? [] : samples(found).map((ms) => ms / steps);
  };
  const growth = (what: string, samples: (item: Case) => readonly number[]): TargetResult => {
    const ratio = medianRatio(perStep(10_000, samples), perStep(1_000, samples));
    return atMost(
      `${what} per step, 10,000 steps compared with 1,000: ${shape}`,
      ratio,
      MAX_GROWTH,
      ' times',
    );
  };
  return [growth('time to create', (item) => item.definitionMs), growth('time to run', (item) => item.runMs)];
}

const explanation =
  'Workflows with `MAX_WORKFLOW_STEPS=10000` and a body limit of 64 MiB, one request at a time over HTTP; each step calls `refund_policy`, and every step completed. The time ends with the last byte of the response. The event loop delay is measured inside the process.';
