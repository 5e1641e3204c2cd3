import type { Step, WorkflowDefinition, WorkflowDraft } from '../../../src/domain/workflow/definition.ts';

/** A workflow of no-op steps. */
export interface Dag {
  readonly name: string;
  /** The numbers of steps of the layers; each step depends on the complete layer before. */
  readonly widths: readonly number[];
}

const chain = (length: number): readonly number[] => new Array<number>(length).fill(1);

/** The workflows that benchmarks run. */
export const dags = {
  chain10: { name: 'chain of 10', widths: chain(10) },
  fanOut: { name: 'fan-out 1-100-1', widths: [1, 100, 1] },
  square: { name: '10 layers of 10', widths: new Array<number>(10).fill(10) },
  wide200: { name: '200 wide', widths: [200] },
  wide: { name: '1,000 wide', widths: [1_000] },
  chain100: { name: 'chain of 100', widths: chain(100) },
  chain1000: { name: 'chain of 1,000', widths: chain(1_000) },
  chain10000: { name: 'chain of 10,000', widths: chain(10_000) },
} as const satisfies Record<string, Dag>;

/** The ids of the steps by layer. */
function stepIdsByLayer({ widths }: Dag): string[][] {
  return widths.map((width, layer) => Array.from({ length: width }, (_, place) => `step-${layer}-${place}`));
}

/** A draft whose steps call a tool without input. */
export function toDraft(dag: Dag, toolName = 'nothing'): WorkflowDraft & { readonly steps: readonly Step[] } {
  const layers = stepIdsByLayer(dag);
  const steps = layers.flatMap((ids, layer) =>
    ids.map((id) => ({
      id,
      kind: 'tool' as const,
      toolName,
      dependsOn: layers[layer - 1] ?? [],
      staticInput: {},
    })),
  );
  return { name: dag.name, steps };
}

/** A definition whose steps call the tool `nothing`. */
export function toDefinition(dag: Dag): WorkflowDefinition {
  const { name, steps } = toDraft(dag);
  return {
    id: crypto.randomUUID(),
    version: 1,
    name,
    description: '',
    steps,
    layers: stepIdsByLayer(dag),
    warnings: [],
    createdAt: '',
  };
}

/**
 * The floor of engines: a loop of `Promise.all` over the layers that calls each step's tool and stores its output. It
 * records, validates and emits nothing.
 */
export function createLayerLoop({ layers, steps }: WorkflowDefinition): () => Promise<void> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const tools = new Map([['nothing', async (_input: object): Promise<object> => ({})]]);
  return async () => {
    const outputs = new Map<string, object>();
    const run = async (id: string): Promise<void> => {
      const step = byId.get(id);
      const tool = step?.kind === 'tool' ? tools.get(step.toolName) : undefined;
      if (step !== undefined && tool !== undefined) outputs.set(id, await tool(Object(step.staticInput)));
    };
    for (const layer of layers) await Promise.all(layer.map(run));
  };
}
