import { toDefinition } from '../../support/workloads/dag.ts';
import { openFlows } from '../bullmq.ts';
import type { PreparePeer } from '../peer.ts';

/** A BullMQ flow in which each job is the only child of the next. */
export const prepare: PreparePeer = async (place, steps, ended) => {
  const chain = { name: 'chain', widths: new Array<number>(steps).fill(1) };
  const run = openFlows(place).prepare(toDefinition(chain));
  return async () => {
    await run();
    ended();
  };
};
