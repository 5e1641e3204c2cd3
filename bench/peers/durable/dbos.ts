import { DBOS } from '@dbos-inc/dbos-sdk';
import type { PreparePeer } from '../peer.ts';

/** Connections to PostgreSQL: neither its default of 10 nor 40 was clearly faster here. */
const POOL = 20;

/**
 * A registered workflow of steps, started as DBOS starts one in the background without a queue: its row is stored, and
 * this process runs it.
 */
export const prepare: PreparePeer = async (place, steps, ended) => {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: place,
    systemDatabasePoolSize: POOL,
    enableOTLP: false,
    logLevel: 'error',
  });
  const nothing = async (): Promise<object> => ({});
  const workflow = DBOS.registerWorkflow(
    async () => {
      for (let step = 0; step < steps; step++) await DBOS.runStep(nothing, { name: `step-${step}` });
      return {};
    },
    { name: 'chain' },
  );
  await DBOS.launch();
  return async () => {
    const handle = await DBOS.startWorkflow(workflow)();
    await handle.getResult();
    ended();
  };
};
