// Runs whose process is killed while a step is under way, which a service with durable runs then takes up.

import { createClient } from '../client.ts';
import type { DemoService } from '../service.ts';
import { startRun, untilRun } from './runs.ts';
import { type DemoWorkflows, seedWorkflows } from './workflows.ts';

/** The records that the killed service has left behind. */
export interface LostRuns {
  readonly workflows: DemoWorkflows;
  /** Its step may have sent a letter: it waits for somebody who knows, as an item `recovery`. */
  readonly unknownOutcome: string;
  /** Its step may be repeated: it continues, and takes some seconds more. */
  readonly recovered: string;
}

/** Creates the workflows, starts the runs, and kills the service. */
export async function loseRuns(service: DemoService): Promise<LostRuns> {
  const client = createClient(service.baseUrl);
  const workflows = await seedWorkflows(client);
  const [unknownOutcome, recovered] = await Promise.all([
    startRun(client, workflows.letter, { customer: 'demo-30', seconds: 30 }),
    startRun(client, workflows.parcel, { order_id: 'A-1011', seconds: 4 }),
  ]);
  await Promise.all([
    untilRun(client, unknownOutcome, ({ step_results }) => step_results['mail']?.status === 'RUNNING'),
    untilRun(client, recovered, ({ step_results }) => step_results['pick']?.status === 'RUNNING'),
  ]);
  await service.stop('SIGKILL');
  return { workflows, unknownOutcome, recovered };
}
