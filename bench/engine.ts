/**
 * Workflow runs of steps that do nothing, through the real tool registry and the store in memory, each layer saved,
 * beside a bare loop of `Promise.all` over the same layers that calls the same tool and keeps its outputs, but records
 * nothing. `--quick` makes the rounds short.
 */
import { createMemoryExecutionStore } from '../src/adapters/memory/execution-store.ts';
import { createIds, systemClock } from '../src/adapters/system.ts';
import { createAgentBus } from '../src/application/agent-bus.ts';
import { createAgentRegistry } from '../src/application/agent-registry.ts';
import { defaultLimits } from '../src/application/limits.ts';
import { createWorkflowRunner, type WorkflowRunner } from '../src/application/run-workflow.ts';
import { createToolRegistry } from '../src/application/tool-registry.ts';
import type { Step, WorkflowDefinition } from '../src/domain/workflow.ts';
import { validateWorkflow } from '../src/domain/workflow-validation.ts';
import type { Logger } from '../src/ports/logger.ts';
import type { Telemetry } from '../src/ports/telemetry.ts';
import { machine } from './machine.ts';
import { interleave, markdownTable } from './support.ts';

const quick = process.argv.includes('--quick');
const interleaving = { rounds: quick ? 5 : 25, roundMs: quick ? 30 : 60 };
const limits = { ...defaultLimits, maxWorkflowSteps: 100_000 };

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, bind: (_fields, work) => work() };
const span = { event() {}, set() {}, fail() {} };
const noTelemetry: Telemetry = { span: (_name, _attributes, work) => work(span), traceId: () => null };

function makeRunner(): WorkflowRunner {
  const ports = {
    clock: systemClock,
    newId: createIds(),
    random: Math.random,
    logger: silent,
    events() {},
    telemetry: noTelemetry,
    executions: createMemoryExecutionStore({ maxRecords: 100 }),
  };
  const tools = createToolRegistry(ports, limits);
  tools.register({
    name: 'nothing',
    description: 'Does nothing',
    input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
    execute: () => ({}),
  });
  return createWorkflowRunner(
    ports,
    { tools, agents: createAgentBus(ports, createAgentRegistry(), limits) },
    limits,
  );
}

/** A definition of layers of so many steps; each step depends on the whole layer before. */
function layered(widths: readonly number[]): WorkflowDefinition {
  const steps: Step[] = [];
  let before: string[] = [];
  for (const [layer, width] of widths.entries()) {
    const ids = Array.from({ length: width }, (_, place) => `step-${layer}-${place}`);
    for (const id of ids)
      steps.push({ id, kind: 'tool', toolName: 'nothing', dependsOn: before, staticInput: {} });
    before = ids;
  }
  const { layers } = validateWorkflow(steps, {
    maxSteps: 100_000,
    hasTool: () => true,
    hasAgent: () => true,
  });
  return {
    id: crypto.randomUUID(),
    name: 'bench',
    description: '',
    steps,
    layers,
    warnings: [],
    createdAt: '',
  };
}

/** The floor: every step's tool is looked up and called, and its output kept; nothing is recorded, checked or told. */
function bareLoop({ layers, steps }: WorkflowDefinition): () => Promise<void> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const tools = new Map([['nothing', async (_input: object): Promise<object> => ({})]]);
  return async () => {
    const outputs = new Map<string, object>();
    const run = async (id: string): Promise<void> => {
      const step = byId.get(id);
      const tool = step?.kind === 'tool' ? tools.get(step.toolName) : undefined;
      if (step !== undefined && tool !== undefined) outputs.set(id, await tool(step.staticInput));
    };
    for (const layer of layers) await Promise.all(layer.map(run));
  };
}

const chain = (length: number): number[] => new Array<number>(length).fill(1);
const shapes: readonly { readonly name: string; readonly definition: WorkflowDefinition }[] = [
  { name: 'chain of 10', definition: layered(chain(10)) },
  { name: 'fan-out 1-100-1', definition: layered([1, 100, 1]) },
  { name: '10 layers of 10', definition: layered(new Array<number>(10).fill(10)) },
  { name: '1,000 wide', definition: layered([1_000]) },
  { name: 'chain of 100', definition: layered(chain(100)) },
  { name: 'chain of 1,000', definition: layered(chain(1_000)) },
  { name: 'chain of 10,000', definition: layered(chain(10_000)) },
];

const runner = makeRunner();
// All shapes take their turns in the same rounds, so that they can be compared with each other too.
const figures = await interleave(
  shapes.flatMap(({ name, definition }) => [
    { name: `${name}, floor`, work: bareLoop(definition) },
    { name, work: () => runner.run(definition, {}) },
  ]),
  interleaving,
);
const perStep = new Map<string, number>();
const rows = shapes.map(({ name, definition }, index) => {
  const floor = figures[2 * index] ?? Number.NaN;
  const engine = figures[2 * index + 1] ?? Number.NaN;
  const steps = definition.steps.length;
  perStep.set(name, engine / steps);
  const rate = Math.round((steps / engine) * 1_000).toLocaleString('en');
  return [name, floor.toFixed(4), engine.toFixed(4), (engine / floor).toFixed(1), rate];
});
await runner.close(0);

console.log(`${machine()}\n`);
console.log(markdownTable(['DAG', 'floor, ms a run', 'engine, ms a run', 'ratio', 'steps/s'], rows));
const of = (name: string): number => perStep.get(name) ?? Number.NaN;
console.log('');
console.log(
  markdownTable(
    ['Time a step, beside a chain of 100', 'ratio'],
    ['chain of 10', 'chain of 1,000', 'chain of 10,000'].map((name) => [
      name,
      (of(name) / of('chain of 100')).toFixed(2),
    ]),
  ),
);
