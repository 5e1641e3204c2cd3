// Programs of the made-up shop, which start runs, cancel a few of them, and run some again.

import { bodyOf, type Client, type RunInput, tried } from '../client.ts';
import type { Random } from '../data/random.ts';
import { startRun } from '../seed/runs.ts';
import type { DemoWorkflows } from '../seed/workflows.ts';
import { type Part, pause, repeat } from './repeat.ts';

/** Starts a run every five seconds or so. */
export function startRuns(client: Client, ids: DemoWorkflows, random: Random, part: Part): Promise<void> {
  return repeat(part, async () => {
    const { workflow, input, cancelled } = drawRun(random);
    const id = await startRun(client, ids[workflow], input);
    if (cancelled === true) void cancelLater(client, id, part).catch(part.onError);
    if (random.whole(1, 25) === 1) await retryOne(client);
    return random.whole(2_000, 8_000);
  });
}

interface Drawn {
  readonly workflow: keyof DemoWorkflows;
  readonly input: RunInput;
  readonly cancelled?: boolean;
}

/** Chooses a workflow and an input. */
function drawRun(random: Random): Drawn {
  const order_id = `${random.pick(['A', 'B', 'C'])}-${random.whole(1_000, 9_999)}`;
  const seconds = random.whole(2, 6);
  const minutesOn = new Date(Date.now() + random.whole(30, 180) * 1_000).toISOString();
  const place = random.whole(1, 100);
  if (place <= 28) return { workflow: 'refund', input: { order_id, amount: random.whole(10, 200) } };
  if (place <= 36) return { workflow: 'refund', input: { order_id, amount: random.whole(201, 900) } };
  if (place <= 38) return { workflow: 'refund', input: { order_id: `missing-${order_id}`, amount: 40 } };
  if (place <= 55) return { workflow: 'order', input: { order_id } };
  if (place <= 62) return { workflow: 'order', input: { order_id: `${order_id}-busy` } };
  if (place <= 66) return { workflow: 'order', input: { order_id: `${order_id}-closed` } };
  if (place <= 80) return { workflow: 'parcel', input: { order_id, seconds } };
  if (place <= 86) return { workflow: 'parcel', input: { order_id, seconds: 1, not_before: minutesOn } };
  if (place <= 89) return { workflow: 'parcel', input: { order_id, seconds: 30 }, cancelled: true };
  if (place <= 93) return { workflow: 'statements', input: drawMonth(random) };
  if (place <= 95)
    return { workflow: 'checks', input: { broken: random.pick(['archive-spare', 'post-west']) } };
  if (place <= 99)
    return { workflow: 'letter', input: { customer: `demo-${random.whole(100, 179)}`, seconds } };
  return { workflow: 'migration', input: {} };
}

function drawMonth(random: Random): RunInput {
  const customers = Array.from({ length: random.whole(2, 6) }, () => `demo-${random.whole(100, 179)}`);
  if (random.whole(1, 3) === 1) customers.push('demo-3-moved');
  return { month: `2026-${String(random.whole(1, 10)).padStart(2, '0')}`, customers };
}

async function cancelLater(client: Client, id: string, part: Part): Promise<void> {
  await pause(6_000, part);
  if (part.signal.aborted) return;
  const reason = 'Demo: the customer has changed their mind.';
  await tried(client.runs[':execution_id'].cancel.$post({ param: { execution_id: id }, json: { reason } }));
}

/** Retries one of the runs that failed last. */
async function retryOne(client: Client): Promise<void> {
  const query = { status: 'FAILED', limit: '5' };
  const { executions } = await bodyOf(client.runs.$get({ query }));
  const failed = executions.at(-1);
  if (failed === undefined) return;
  await tried(client.runs[':execution_id'].retry.$post({ param: { execution_id: failed.execution_id } }));
}
