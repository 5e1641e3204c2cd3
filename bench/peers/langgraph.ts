import { Annotation, END, Send, START, StateGraph } from '@langchain/langgraph';
import type { WorkflowDefinition } from '../../src/domain/workflow/definition.ts';
import type { Peer, Work } from './peer.ts';

/** Counts the steps that ended, to check a run. */
const State = Annotation.Root({
  ended: Annotation<number>({ reducer: (one, other) => one + other, default: () => 0 }),
});

const node = async () => ({ ended: 1 });

/** The methods that loops use; the generic types cannot express a graph built in a loop. */
interface Builder {
  addNode(id: string, work: typeof node): Builder;
  addEdge(from: string | readonly string[], to: string): Builder;
  addConditionalEdges(from: string, choose: () => readonly Send[], to: readonly string[]): Builder;
  compile(): { invoke(state: object, options: object): Promise<{ ended: number }> };
}

/** LangGraph.js without a checkpointer: it saves nothing. */
export async function startLangGraph(): Promise<Peer> {
  return {
    name: 'LangGraph.js',
    workflow: (definition) => prepared(graphOf(definition), definition.steps.length),
    routing: { 'LangGraph.js Send': (count) => prepared(sending(count), count) },
    async [Symbol.asyncDispose]() {},
  };
}

const empty = (): Builder => new StateGraph(State) as unknown as Builder;

function graphOf({ layers }: WorkflowDefinition): Builder {
  const graph = empty();
  let before: readonly string[] = [];
  for (const ids of layers) {
    for (const id of ids) {
      graph.addNode(id, node);
      if (before.length === 0) graph.addEdge(START, id);
      else graph.addEdge(before, id);
    }
    before = ids;
  }
  for (const id of before) graph.addEdge(id, END);
  return graph;
}

function sending(count: number): Builder {
  const tasks = Array.from({ length: count }, () => new Send('task', {}));
  return empty()
    .addNode('task', node)
    .addConditionalEdges(START, () => tasks, ['task'])
    .addEdge('task', END);
}

async function prepared(graph: Builder, steps: number): Promise<Work> {
  const compiled = graph.compile();
  const options = { recursionLimit: steps + 10 };
  const { ended } = await compiled.invoke({}, options);
  if (ended !== steps) throw new Error(`${ended} of ${steps} steps ended`);
  return () => compiled.invoke({}, options);
}
