import { celExpressions } from '../../../src/adapters/languages/languages.ts';
import type { Orchestrator } from '../../../src/application/driving-port.ts';
import type { StepDraft, WorkflowDraft } from '../../../src/domain/workflow/definition.ts';
import { itemAt } from '../../../src/lib/array.ts';
import { measureInRounds, type Workload } from '../../support/in-process/rounds.ts';
import type { Section } from '../../support/report/section.ts';
import { median } from '../../support/report/statistics.ts';
import { decimal, markdownTable } from '../../support/report/table.ts';
import { atMost, type TargetResult, targetCell } from '../../support/report/target.ts';
import { createBenchOrchestrator } from '../../support/workloads/core.ts';

/** Measures expressions, `foreach` and the other policies of steps. */
export const language: Section = {
  name: 'language',
  title: 'Workflow language',
  async measure(quick) {
    const expressions = await measureExpressions(quick);
    const runs = await measureRuns(quick);
    return {
      targets: [...expressions.targets, ...runs.targets],
      blocks: [
        'In one process, without HTTP, records in memory.',
        markdownTable(['Expression', 'microseconds an evaluation', 'target'], expressions.rows, ['target']),
        markdownTable(['Run of a definition', 'milliseconds', 'target'], runs.rows, ['target']),
      ],
    };
  },
};

interface Measured {
  readonly rows: readonly (readonly string[])[];
  readonly targets: readonly TargetResult[];
}

const values = { input: { n: 7 }, steps: { order: { total: 501, lines: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } } };

/** The number of evaluations of an expression for one sample. */
const EVALUATIONS = 10_000;

async function measureExpressions(quick: boolean): Promise<Measured> {
  const sources = {
    comparison: 'steps.order.total > 500',
    arithmetic: 'input.n * 2 + 1',
    macro: 'steps.order.lines.filter(line, line > 3).map(line, line * 2)',
  };
  const parsed = Object.entries(sources).map(
    ([name, source]) => [name, celExpressions.parse(source, ['input', 'steps'])] as const,
  );
  const samples = await measureInRounds(
    parsed.map(([name, expression]) => ({
      name,
      run() {
        for (let count = 0; count < EVALUATIONS; count++) expression.evaluate(values);
      },
    })),
    quick ? { rounds: 5, roundMs: 20 } : { rounds: 30, roundMs: 100 },
  );
  const targets: TargetResult[] = [];
  const rows = Object.entries(sources).map(([name, source], index) => {
    const micros = (median(itemAt(samples, index)) * 1_000) / EVALUATIONS;
    const target = name === 'comparison' ? atMost('a comparison', micros, 1, ' µs') : undefined;
    if (target !== undefined) targets.push(target);
    return [`\`${source}\``, decimal(micros, 2), targetCell(target)];
  });
  return { rows, targets };
}

/** The number of items with a target. */
const ITEMS = 1_000;

const item = (index: number) => ({ order: `A-${index}`, amount: index });

async function measureRuns(quick: boolean): Promise<Measured> {
  const orchestrator = createBenchOrchestrator();
  orchestrator.tools.register({
    name: 'nothing',
    description: 'Does nothing',
    input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
    execute: () => ({}),
  });
  const child = await orchestrator.workflows.create({ name: 'child', steps: [call('only')] });
  const input = { items: Array.from({ length: ITEMS }, (_, index) => item(index)) };
  const drafts = {
    [`foreach of ${ITEMS} items, 8 at a time`]: [foreachStep()],
    '100 steps in 10 layers without policies': layered({}),
    '100 steps in 10 layers, each with `when` and `run_if`': layered({
      when: 'size(input.items) > 0',
      runIf: 'all_completed',
    }),
    '10 child runs, one after the other': chainOf({ kind: 'workflow', workflowId: child.id }, 10),
    '10 waits of 0 ms, one after the other': chainOf({ kind: 'wait', durationMs: 0 }, 10),
  } as const;
  const runs: Workload[] = [];
  for (const [name, steps] of Object.entries(drafts)) {
    runs.push({ name, run: await runOf(orchestrator, { name, steps }, input) });
  }
  const samples = await measureInRounds(
    runs,
    quick ? { rounds: 5, roundMs: 50 } : { rounds: 30, roundMs: 200 },
  );
  await orchestrator.close(0);
  const targets: TargetResult[] = [];
  const rows = Object.keys(drafts).map((name, index) => {
    const ms = median(itemAt(samples, index));
    const target = name.startsWith('foreach') ? atMost(name, ms, 20, ' ms') : undefined;
    if (target !== undefined) targets.push(target);
    return [name, decimal(ms, 2), targetCell(target)];
  });
  return { rows, targets };
}

async function runOf(
  { workflows }: Orchestrator,
  draft: WorkflowDraft,
  input: { readonly items: ReturnType<typeof item>[] },
): Promise<() => Promise<void>> {
  const { id } = await workflows.create(draft);
  return async () => {
    const { status, error } = await workflows.run(id, { input });
    if (status !== 'COMPLETED') throw new Error(`the run of ${draft.name} is ${status}: ${error}`);
  };
}

function call(id: string, dependsOn: readonly string[] = []): StepDraft {
  return { id, kind: 'tool', toolName: 'nothing', dependsOn };
}

function foreachStep(): StepDraft {
  const staticInput = { order: '${{ item.order }}', amount: '${{ item.amount }}' };
  return { ...call('each'), staticInput, foreach: { items: 'input.items' } };
}

function layered(policies: Pick<StepDraft, 'when' | 'runIf'>): StepDraft[] {
  const steps: StepDraft[] = [];
  for (let layer = 0; layer < 10; layer++) {
    for (let index = 0; index < 10; index++) {
      const before = layer === 0 ? [] : [`s-${layer - 1}-${index}`];
      steps.push({ ...call(`s-${layer}-${index}`, before), ...policies });
    }
  }
  return steps;
}

type Waiting =
  | { readonly kind: 'workflow'; readonly workflowId: string }
  | { readonly kind: 'wait'; readonly durationMs: number };

function chainOf(step: Waiting, count: number): StepDraft[] {
  return Array.from({ length: count }, (_, index) => ({
    ...step,
    id: `s-${index}`,
    dependsOn: index === 0 ? [] : [`s-${index - 1}`],
  }));
}
