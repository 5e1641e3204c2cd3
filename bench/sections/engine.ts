import type { WorkflowRunner } from '../../src/application/runs/runner.ts';
import type { WorkflowDefinition } from '../../src/domain/workflow/definition.ts';
import { measureInRounds, type RoundsPlan } from '../support/in-process/rounds.ts';
import type { Section, SectionResult } from '../support/report/section.ts';
import { median, medianRatio } from '../support/report/statistics.ts';
import { decimal, integer, markdownTable } from '../support/report/table.ts';
import { atMost, type TargetResult, targetCell } from '../support/report/target.ts';
import { createBenchRunner } from '../support/workloads/core.ts';
import { createLayerLoop, type Dag, dags, toDefinition } from '../support/workloads/dag.ts';

/** Workflows with a target. */
const targeted: readonly Dag[] = [dags.chain10, dags.square, dags.chain1000, dags.chain10000];

const measuredDags = [
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
    const runner = createBenchRunner();
    const measured = await measure(runner, { rounds: quick ? 5 : 25, roundMs: quick ? 30 : 80 });
    await runner.close(0);
    return report(measured);
  },
};

/** Milliseconds per run, one sample per round. */
interface RunTimes {
  readonly dag: Dag;
  readonly steps: number;
  readonly floor: readonly number[];
  readonly engine: readonly number[];
}

/** Measures all workflows in the same rounds, so that they can be compared with each other too. */
async function measure(runner: WorkflowRunner, interleaving: RoundsPlan): Promise<RunTimes[]> {
  const definitions = measuredDags.map(toDefinition);
  for (const definition of definitions) await expectCompleted(runner, definition);
  const samples = await measureInRounds(
    definitions.flatMap((definition) => [
      { name: `${definition.name}, floor`, run: createLayerLoop(definition) },
      { name: definition.name, run: () => runner.run({ definition, input: {} }) },
    ]),
    interleaving,
  );
  return measuredDags.map((dag, index) => ({
    dag,
    steps: definitions[index]?.steps.length ?? 0,
    floor: samples[2 * index] ?? [],
    engine: samples[2 * index + 1] ?? [],
  }));
}

async function expectCompleted(runner: WorkflowRunner, definition: WorkflowDefinition): Promise<void> {
  const { status, error } = await runner.run({ definition, input: {} });
  if (status !== 'COMPLETED') throw new Error(`${definition.name} ended as ${status}: ${error}`);
}

function report(measured: readonly RunTimes[]): SectionResult {
  const targets: TargetResult[] = [];
  const rows = measured.map(({ dag, steps, floor, engine }) => {
    const ratio = medianRatio(engine, floor);
    const target = targeted.includes(dag)
      ? atMost(`${dag.name}, time`, ratio, 5, ' times the floor')
      : undefined;
    if (target !== undefined) targets.push(target);
    const ms = median(engine);
    const perSecond = integer((steps / ms) * 1_000);
    return [
      dag.name,
      decimal(median(floor), 4),
      decimal(ms, 4),
      decimal(ratio, 1),
      perSecond,
      targetCell(target),
    ];
  });
  const perStep = (wanted: Dag): number[] => {
    const found = measured.find(({ dag }) => dag === wanted);
    return found?.engine.map((ms) => ms / found.steps) ?? [];
  };
  const growth = medianRatio(perStep(dags.chain10000), perStep(dags.chain100));
  const growthTarget = atMost(
    'time per step, chain of 10,000 compared with chain of 100',
    growth,
    1.3,
    ' times',
  );
  return {
    targets: [...targets, growthTarget],
    blocks: [
      'In one process, without HTTP: no-op steps, called through the tool registry; each layer is saved to the store in memory. The floor is a loop of `Promise.all` over the same layers that only calls the tool and stores its outputs.',
      markdownTable(
        ['DAG', 'floor, ms per run', 'engine, ms per run', 'ratio', 'steps per second', 'target'],
        rows,
        ['target'],
      ),
      `Time per step, chain of 10,000 compared with chain of 100: ${growthTarget.measured} (${targetCell(growthTarget)}).`,
    ],
  };
}
