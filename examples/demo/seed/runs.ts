// Runs, for a service that has just been started.

import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, type Client, type RunInput } from '../client.ts';
import type { DemoWorkflows } from './workflows.ts';

/** A run of each kind, by its id. */
export interface DemoRuns {
  readonly completed: string;
  /** Of the first version of the refund; `completed` is of the third. */
  readonly oldVersion: string;
  readonly failed: string;
  /** Its bank was busy twice. */
  readonly retriedStep: string;
  readonly cancelled: string;
  /** Runs for some ten minutes. */
  readonly running: string;
  readonly waitingForApproval: string;
  readonly waitingForTime: string;
  /** Somebody rejected it; it was retried, and approved: `COMPLETED` in its second attempt. */
  readonly retried: string;
  /** A rerun of `failed` with another input. */
  readonly rerun: string;
  /** Has children, of which one failed. */
  readonly parent: string;
  readonly wide: string;
  readonly big: string;
}

type Run = Awaited<ReturnType<typeof readRun>>;

/** Starts a run in the background; resolves to its id. */
export async function startRun(
  client: Client,
  id: string,
  input: RunInput,
  version?: number,
): Promise<string> {
  const json = { input, background: true, ...(version === undefined ? {} : { version }) };
  return (await bodyOf(client.workflows[':id'].run.$post({ param: { id }, json }))).execution_id;
}

function readRun(client: Client, id: string) {
  return bodyOf(client.runs[':execution_id'].$get({ param: { execution_id: id } }));
}

/** Resolves to a run once it has a status, or fits. Rejects when it does not within twenty seconds. */
export async function untilRun(
  client: Client,
  id: string,
  fits: string | ((run: Run) => boolean),
): Promise<Run> {
  const end = performance.now() + 20_000;
  for (let pause = 30; ; pause = Math.min(pause * 1.5, 200)) {
    const run = await readRun(client, id);
    if (typeof fits === 'string' ? run.status === fits : fits(run)) return run;
    if (performance.now() > end) throw new Error(`run ${id} of ${run.workflow_name} is still ${run.status}`);
    await sleep(pause);
  }
}

/** Decides about the approval that a run waits for. */
async function decideRun(client: Client, id: string, outcome: 'approved' | 'rejected'): Promise<void> {
  const { waiting_for } = await untilRun(client, id, 'WAITING');
  const wait = waiting_for.find(({ kind }) => kind === 'approval');
  if (wait?.item_id === undefined) throw new Error(`run ${id} waits for nobody`);
  const decision =
    outcome === 'approved' ? { data: { reason: 'goodwill' } } : { note: 'Not without a photo.' };
  await bodyOf(
    client.inbox[':id'].resolve.$post({
      param: { id: wait.item_id },
      json: { by: 'Demo: Ann', outcome, ...decision },
    }),
  );
}

/** Starts the runs, and resolves when each has the status that it stands for. */
export async function seedRuns(client: Client, ids: DemoWorkflows): Promise<DemoRuns> {
  const start = (id: string, input: RunInput, version?: number): Promise<string> =>
    startRun(client, id, input, version);
  const ended = async (started: Promise<string>, status: string): Promise<string> => {
    const id = await started;
    await untilRun(client, id, status);
    return id;
  };
  const failures = [
    ...['A-1007-closed', 'A-1008-closed', 'A-1009-closed'].map((order_id) => start(ids.order, { order_id })),
    ...['missing-1', 'missing-2'].map((order_id) => start(ids.refund, { order_id, amount: 40 })),
    start(ids.checks, { broken: 'archive-spare' }),
  ];
  const [
    completed,
    oldVersion,
    failed,
    retriedStep,
    cancelled,
    running,
    approval,
    time,
    retried,
    parent,
    wide,
    big,
  ] = await Promise.all([
    ended(start(ids.refund, { order_id: 'A-1001', amount: 35 }), 'COMPLETED'),
    ended(start(ids.refund, { order_id: 'A-1002', amount: 20 }, 1), 'COMPLETED'),
    ended(start(ids.order, { order_id: 'A-1003-closed' }), 'FAILED'),
    ended(start(ids.order, { order_id: 'A-1004-busy' }), 'COMPLETED'),
    cancelledRun(client, start(ids.parcel, { order_id: 'A-1005', seconds: 600 })),
    ended(start(ids.parcel, { order_id: 'A-1006', seconds: 600 }), 'RUNNING'),
    ended(start(ids.refund, { order_id: 'B-2001', amount: 420 }), 'WAITING'),
    ended(start(ids.parcel, { order_id: 'B-2002', seconds: 0, not_before: inAnHour() }), 'WAITING'),
    retriedRun(client, start(ids.refund, { order_id: 'B-2003', amount: 800 })),
    ended(
      start(ids.statements, { month: '2026-10', customers: ['demo-1', 'demo-2', 'demo-3-moved', 'demo-4'] }),
      'COMPLETED',
    ),
    ended(start(ids.checks, { broken: null }), 'COMPLETED'),
    ended(start(ids.migration, {}), 'COMPLETED'),
  ]);
  await Promise.all(failures.map((started) => ended(started, 'FAILED')));
  const rerun = await rerunOf(client, failed);
  const runs = {
    completed,
    oldVersion,
    failed,
    retriedStep,
    cancelled,
    running,
    retried,
    rerun,
    parent,
    wide,
    big,
  };
  return { ...runs, waitingForApproval: approval, waitingForTime: time };
}

function inAnHour(): string {
  return new Date(Date.now() + 3_600_000).toISOString();
}

async function cancelledRun(client: Client, started: Promise<string>): Promise<string> {
  const id = await started;
  await untilRun(client, id, 'RUNNING');
  await bodyOf(
    client.runs[':execution_id'].cancel.$post({
      param: { execution_id: id },
      json: { reason: 'Demo: the customer has changed their mind.' },
    }),
  );
  await untilRun(client, id, 'CANCELLED');
  return id;
}

async function retriedRun(client: Client, started: Promise<string>): Promise<string> {
  const id = await started;
  await decideRun(client, id, 'rejected');
  await untilRun(client, id, 'FAILED');
  await bodyOf(client.runs[':execution_id'].retry.$post({ param: { execution_id: id } }));
  await decideRun(client, id, 'approved');
  await untilRun(client, id, 'COMPLETED');
  return id;
}

async function rerunOf(client: Client, failed: string): Promise<string> {
  const { execution_id } = await bodyOf(
    client.runs[':execution_id'].rerun.$post({
      param: { execution_id: failed },
      json: { input: { order_id: 'A-1010' }, background: true },
    }),
  );
  await untilRun(client, execution_id, 'COMPLETED');
  return execution_id;
}
