import type { WorkflowRunner } from '../../src/application/run-workflow.ts';
import type { WorkflowDefinition } from '../../src/domain/workflow.ts';
import { allocatedBytes } from '../support/allocation.ts';
import { bareLoop, type Dag, dags, definitionOf } from '../support/dag.ts';
import { type Interleaving, interleave } from '../support/interleave.ts';
import { makeEngine } from '../support/rigs.ts';
import type { Findings, Section } from '../support/section.ts';
import { median, medianRatio } from '../support/statistics.ts';
import { decimal, markdownTable, whole } from '../support/table.ts';
import { atMost, type Verdict, verdictCell } from '../support/verdict.ts';

/** Workflows whose time is held to a multiple of the floor's. */
const judged: readonly Dag[] = [dags.chain10, dags.square, dags.chain1000, dags.chain10000];

const inTurn = [
  dags.chain10,
  dags.fanOut,
  dags.square,
  dags.wide,
  dags.chain100,
  dags.chain1000,
  dags.chain10000,
] as const;

export const engine: Section = {
  name: 'engine',
  title: 'Workflow engine',
  async measure(quick) {
    const runner = makeEngine();
    const interleaving = { rounds: quick ? 5 : 21, roundMs: quick ? 30 : 150 };
    const measured: Measured[] = [];
    for (const dag of inTurn) measured.push(await measure(runner, dag, interleaving));
    const bytes = await bytesPerStep(runner);
    await runner.close(0);
    return report(measured, bytes);
  },
};

interface Measured {
  readonly dag: Dag;
  readonly steps: number;
  /** Milliseconds a run. */
  readonly floor: number;
  readonly engine: number;
  /** The engine's time in times of the floor's. */
  readonly ratio: number;
}

async function measure(runner: WorkflowRunner, dag: Dag, interleaving: Interleaving): Promise<Measured> {
  const definition = definitionOf(dag);
  await mustComplete(runner, definition);
  const [floor = [], engine = []] = await interleave(
    [
      { name: 'floor', work: bareLoop(definition) },
      { name: 'engine', work: () => runner.run(definition, {}) },
    ],
    interleaving,
  );
  return {
    dag,
    steps: definition.steps.length,
    floor: median(floor),
    engine: median(engine),
    ratio: medianRatio(engine, floor),
  };
}

async function mustComplete(runner: WorkflowRunner, definition: WorkflowDefinition): Promise<void> {
  const { status, error } = await runner.run(definition, {});
  if (status !== 'COMPLETED') throw new Error(`${definition.name} ended as ${status}: ${error}`);
}

/** Bytes allocated for each step of a long chain. */
async function bytesPerStep(runner: WorkflowRunner): Promise<number> {
  const definition = definitionOf(dags.chain1000);
  const bytes = await allocatedBytes(() => runner.run(definition, {}), 41);
  return bytes / definition.steps.length;
}

function report(measured: readonly Measured[], bytes: number): Findings {
  const perStep = new Map(measured.map(({ dag, steps, engine }) => [dag, engine / steps]));
  const verdicts: Verdict[] = [];
  const rows = measured.map(({ dag, steps, floor, engine, ratio }) => {
    const verdict = judged.includes(dag)
      ? atMost(`${dag.name}, time`, ratio, 4, ' times the floor')
      : undefined;
    if (verdict !== undefined) verdicts.push(verdict);
    const perSecond = whole((steps / engine) * 1_000);
    return [
      dag.name,
      decimal(floor, 4),
      decimal(engine, 4),
      decimal(ratio, 1),
      perSecond,
      verdictCell(verdict),
    ];
  });
  const growth = (perStep.get(dags.chain10000) ?? Number.NaN) / (perStep.get(dags.chain100) ?? Number.NaN);
  const further = [
    atMost('time a step, chain of 10,000 beside chain of 100', growth, 1.3, ' times'),
    atMost('allocated a step, chain of 1,000', bytes, 3_072, ' bytes'),
  ];
  return {
    verdicts: [...verdicts, ...further],
    blocks: [
      'In one process, without HTTP: steps that do nothing, through the tool registry, each layer saved to the store in memory. The floor is a loop of `Promise.all` over the same layers that calls the same tool and keeps its outputs, and nothing else.',
      markdownTable(
        ['DAG', 'floor, ms a run', 'engine, ms a run', 'ratio', 'steps a second', 'target'],
        rows,
        ['target'],
      ),
      markdownTable(
        ['Beside that', 'measured', 'target'],
        further.map((verdict) => [verdict.what, verdict.figure, verdictCell(verdict)]),
        ['target'],
      ),
    ],
  };
}
