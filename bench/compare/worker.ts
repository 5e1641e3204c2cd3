/**
 * Runs workloads with the core of a checkout, whose path is the only argument. The parent sends a {@link SampleRequest}
 * and receives a {@link Sample}.
 */
import { pathToFileURL } from 'node:url';
import type * as defaults from '../../src/entries/defaults.ts';
import type * as core from '../../src/entries/index.ts';
import type * as examples from '../../src/entries/tools.ts';
import { type Dag, dags, toDraft } from '../support/workloads/dag.ts';
import { mixedMessages, toCustomerMessage } from '../support/workloads/requests.ts';
import type { Sample, SampleRequest } from './target.ts';

type Work = () => Promise<unknown>;

const [root = ''] = process.argv.slice(2);
const bounds = { maxWorkflowSteps: 100_000, maxSubtasks: 1_000 };

/** The main entry of the package: the first of these files that the checkout has. */
const coreEntries = ['src/entries/index.ts', 'src/application/index.ts'];

const { createOrchestrator } = await importFirst<typeof core>(coreEntries);
const { defaultPorts } = await importFirst<typeof defaults>(['src/entries/defaults.ts']);
const { exampleTools } = await importFirst<typeof examples>(['src/entries/tools.ts']);

const orchestrator = createOrchestrator(defaultPorts(), bounds);
for (const tool of exampleTools) orchestrator.tools.register(tool);
orchestrator.tools.register({
  name: 'nothing',
  description: 'Does nothing',
  input: { safeParse: (data) => ({ success: true, data }), toJSONSchema: () => ({}) },
  execute: () => ({}),
});
orchestrator.agents.register({ name: 'nothing', description: 'Does nothing', handle: async () => ({}) });

const prepared = new Map<string, Work>();

process.on('message', async ({ workload, ms }: SampleRequest) => {
  const work = prepared.get(workload) ?? (await prepare(workload));
  prepared.set(workload, work);
  process.send?.(await sample(work, ms));
});
process.once('disconnect', () => process.exit());

async function importFirst<Module>(files: readonly string[]): Promise<Module> {
  const errors: unknown[] = [];
  for (const file of files) {
    try {
      return (await import(pathToFileURL(`${root}/${file}`).href)) as Module;
    } catch (error) {
      errors.push(error);
    }
  }
  throw new AggregateError(errors, `${root} has none of ${files.join(', ')}`);
}

async function prepare(workload: string): Promise<Work> {
  const dag = Object.values<Dag>(dags).find(({ name }) => name === workload);
  if (dag !== undefined) return prepareRun(dag);
  const messages = mixedMessages(500).map(({ body }) => toCustomerMessage(body));
  const batch = messages.slice(0, 100);
  if (workload === '500 messages') {
    return async () => {
      for (const message of messages) await orchestrator.messages.process(message);
    };
  }
  if (workload === 'batch of 100') return () => orchestrator.messages.processBatch(batch);
  if (workload === '1,000 subtasks') return prepareRouting(1_000);
  throw new Error(`unknown workload: ${workload}`);
}

async function prepareRun(dag: Dag): Promise<Work> {
  const { id } = await orchestrator.workflows.create(toDraft(dag));
  const { status, error } = await orchestrator.workflows.run(id);
  if (status !== 'COMPLETED') throw new Error(`${dag.name} ended as ${status}: ${error}`);
  return () => orchestrator.workflows.run(id);
}

async function prepareRouting(count: number): Promise<Work> {
  const subtasks = Array.from({ length: count }, () => ({ agentName: 'nothing', payload: {} }));
  const { status } = await orchestrator.agents.route({ goal: 'compare', subtasks });
  if (status !== 'completed') throw new Error(`the goal ended as ${status}`);
  return () => orchestrator.agents.route({ goal: 'compare', subtasks });
}

/** Repeats the work for at least `ms` milliseconds. */
async function sample(work: Work, ms: number): Promise<Sample> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let operations = 0;
  let tookMs = 0;
  do {
    await work();
    operations += 1;
    tookMs = performance.now() - startedAt;
    if (operations % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  } while (tookMs < ms);
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallUs: (tookMs * 1_000) / operations, cpuUs: (user + system) / operations };
}
