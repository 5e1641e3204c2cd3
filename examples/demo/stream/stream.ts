import { createClient } from '../client.ts';
import { createRandom } from '../data/random.ts';
import type { DemoWorkflows } from '../seed/workflows.ts';
import { cleanUp } from './clean-up.ts';
import { sendGoals, writeMessages } from './customers.ts';
import { workOnInbox } from './people.ts';
import type { Part } from './repeat.ts';
import { startRuns } from './runs.ts';

/** Keeps a filled service alive until `part.signal` is aborted: at most two messages a second. */
export async function runStream(baseUrl: string, workflows: DemoWorkflows, part: Part): Promise<void> {
  const client = createClient(baseUrl, { init: { signal: part.signal } });
  const chance = (seed: number) => createRandom(seed);
  await Promise.all([
    writeMessages(client, chance(2), part),
    sendGoals(client, chance(3), part),
    startRuns(client, workflows, chance(4), part),
    workOnInbox(client, chance(5), part),
    cleanUp(client, part),
  ]);
}
