import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import type { Peer, Work } from './peer.ts';

const anything = z.any();
const step = (id: string) =>
  createStep({ id, inputSchema: anything, outputSchema: anything, execute: async () => ({}) });

type Step = ReturnType<typeof step>;

/** The methods that loops use; the generic types cannot express a workflow built in a loop. */
interface Builder {
  then(step: Step): Builder;
  parallel(steps: readonly Step[]): Builder;
  foreach(step: Step, options: { concurrency: number }): Builder;
  commit(): void;
  createRun(): Promise<{ start(options: { inputData: unknown }): Promise<{ status: string }> }>;
}

/** Mastra's default workflow engine without storage: it saves nothing. */
export async function startMastra(): Promise<Peer> {
  return {
    name: 'Mastra',
    workflow: ({ layers }) =>
      prepared({}, (workflow) => {
        for (const ids of layers) addLayer(workflow, ids);
      }),
    routing: {
      'Mastra foreach': (count) =>
        prepared(
          Array.from({ length: count }, () => ({})),
          (workflow) => workflow.foreach(step('task'), { concurrency: count }),
        ),
      'Mastra parallel': (count) =>
        prepared({}, (workflow) =>
          workflow.parallel(Array.from({ length: count }, (_, number) => step(`task-${number}`))),
        ),
    },
    async [Symbol.asyncDispose]() {},
  };
}

function addLayer(workflow: Builder, ids: readonly string[]): void {
  const [only, ...more] = ids.map(step);
  if (only === undefined) return;
  if (more.length === 0) workflow.then(only);
  else workflow.parallel([only, ...more]);
}

async function prepared(inputData: unknown, build: (workflow: Builder) => void): Promise<Work> {
  const created = createWorkflow({ id: 'bench', inputSchema: anything, outputSchema: anything });
  const workflow = created as unknown as Builder;
  build(workflow);
  workflow.commit();
  const work = async (): Promise<string> => {
    const run = await workflow.createRun();
    return (await run.start({ inputData })).status;
  };
  const status = await work();
  if (status !== 'success') throw new Error(`the run ended as ${status}`);
  return work;
}
