import type { Routing } from '../../src/application/routing/route-goal.ts';
import {
  createAllSettled,
  createBenchRouting,
  createBenchRunner,
  createRoutingWithoutStore,
  createSubtasks,
} from '../support/workloads/core.ts';
import { createLayerLoop } from '../support/workloads/dag.ts';
import type { Peer } from './peer.ts';

/** Plain promise loops over the same work, which record, validate and emit nothing. */
export async function startFloor(): Promise<Peer> {
  return {
    name: 'floor',
    workflow: async (definition) => createLayerLoop(definition),
    routing: { '`Promise.allSettled`': async (count) => createAllSettled(count) },
    async [Symbol.asyncDispose]() {},
  };
}

/** This project: saves every layer and every routed goal to stores in memory. */
export async function startOwn(): Promise<Peer> {
  const engine = createBenchRunner();
  const routed = (router: Routing) => async (count: number) => {
    const goal = { goal: 'bench', subtasks: createSubtasks('at-once', count) };
    const { status } = await router.route(goal);
    if (status !== 'completed') throw new Error(`the goal ended as ${status}`);
    return () => router.route(goal);
  };
  return {
    name: 'orchestration-service',
    async workflow(definition) {
      const { status } = await engine.run({ definition, input: {} });
      if (status !== 'COMPLETED') throw new Error(`the run ended as ${status}`);
      return () => engine.run({ definition, input: {} });
    },
    routing: {
      'orchestration-service': routed(createBenchRouting()),
      'orchestration-service, record not stored': routed(createRoutingWithoutStore()),
    },
    async [Symbol.asyncDispose]() {
      await engine.close(0);
    },
  };
}
