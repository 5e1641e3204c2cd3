import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, postJson, type Service } from '../process/service.ts';

/** The records that a service had acknowledged before it was killed. */
export interface Acknowledged {
  readonly traces: readonly string[];
  /** The records of runs that had ended, and the ids of those that had been accepted. */
  readonly ended: readonly { readonly execution_id: string }[];
  readonly accepted: readonly string[];
}

const message = { customer_id: 'c-1', message: 'I want a refund for my broken blender.' };
const steps = [
  { id: 'policy', tool_name: 'refund_policy' },
  { id: 'echo', kind: 'agent', agent_name: 'echo', depends_on: ['policy'] },
];

/**
 * Sends messages and runs from many callers at once, kills the service once `count` of each are acknowledged, and
 * returns what it acknowledged.
 */
export async function writeUntilKilled(
  { baseUrl, process, exited }: Service,
  count: number,
): Promise<Acknowledged> {
  const { id } = await bodyOf<{ id: string }>(await postJson(`${baseUrl}/workflows`, { name: 'w', steps }));
  const acknowledged = {
    traces: [] as string[],
    ended: [] as { execution_id: string }[],
    accepted: [] as string[],
  };
  const calls = [
    async () => {
      const reply = await postJson(`${baseUrl}/messages`, message);
      if (reply.status === 200)
        acknowledged.traces.push((await bodyOf<{ trace_id: string }>(reply)).trace_id);
    },
    async () => {
      const reply = await postJson(`${baseUrl}/workflows/${id}/run`, {});
      if (reply.ok) acknowledged.ended.push(await bodyOf(reply));
    },
    async () => {
      const reply = await postJson(`${baseUrl}/workflows/${id}/run`, { background: true });
      if (reply.status === 202)
        acknowledged.accepted.push((await bodyOf<{ execution_id: string }>(reply)).execution_id);
    },
  ];
  let isKilled = false;
  const callers = Array.from({ length: 12 }, async (_, index) => {
    const call = calls[index % calls.length];
    // A call that the kill has cut is not acknowledged.
    while (!isKilled) await call?.().catch(() => undefined);
  });
  const lists = Object.values(acknowledged);
  while (lists.some(({ length }) => length < count)) await sleep(5);
  process.kill('SIGKILL');
  await exited;
  isKilled = true;
  await Promise.all(callers);
  return acknowledged;
}

/** The faults after a restart: records that are missing, runs that never ended, and ended runs that have changed. */
export async function checkAcknowledged(baseUrl: string, { traces, ended, accepted }: Acknowledged) {
  const missing: string[] = [];
  const unended: string[] = [];
  const changed: string[] = [];
  for (const id of traces) if ((await fetch(`${baseUrl}/trace/${id}`)).status !== 200) missing.push(id);
  for (const run of ended) {
    const reply = await fetch(`${baseUrl}/runs/${run.execution_id}`);
    if (reply.status !== 200) missing.push(run.execution_id);
    else if (JSON.stringify(await reply.json()) !== JSON.stringify(run)) changed.push(run.execution_id);
  }
  for (const id of accepted) {
    const status = await endStatus(`${baseUrl}/runs/${id}`);
    if (status === undefined) missing.push(id);
    else if (status === 'RUNNING' || status === 'PENDING') unended.push(id);
  }
  return { missing, unended, changed, count: traces.length + ended.length + accepted.length };
}

/** The status of a run, once it has ended, or after ten seconds. */
async function endStatus(url: string): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    const reply = await fetch(url);
    const { status } = reply.status === 200 ? await bodyOf<{ status: string }>(reply) : { status: undefined };
    if ((status !== 'RUNNING' && status !== 'PENDING') || attempt === 100) return status;
    await sleep(100);
  }
}
