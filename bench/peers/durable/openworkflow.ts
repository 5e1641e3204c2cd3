import { OpenWorkflow } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
import type { PreparePeer } from '../peer.ts';

/**
 * Runs that its worker may run at once: more than are under way, so that it never pauses because all places are taken.
 */
const CONCURRENCY = 128;

/**
 * A workflow of steps in a file of SQLite. Its handle asks once a second whether a run has ended; here the end is
 * noticed when the backend has stored it.
 */
export const prepare: PreparePeer = async (place, steps, ended) => {
  const backend = BackendSqlite.connect(place);
  const complete = backend.completeWorkflowRun.bind(backend);
  backend.completeWorkflowRun = async (params) => {
    const run = await complete(params);
    ended();
    return run;
  };
  const client = new OpenWorkflow({ backend });
  const workflow = client.defineWorkflow({ name: 'chain' }, async ({ step }) => {
    for (let number = 0; number < steps; number++) {
      await step.run({ name: `step-${number}` }, () => ({}));
    }
    return {};
  });
  await client.newWorker({ concurrency: CONCURRENCY }).start();
  return () => workflow.run({});
};
