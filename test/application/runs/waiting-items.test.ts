import { expect, test } from 'vitest';
import { decideByItem } from '../../../src/application/runs/run-control.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import type { Step } from '../../../src/domain/workflow/definition.ts';
import { settle } from '../../support/fake-clock.ts';
import { createTestEngine } from '../../support/workflow/engine.ts';
import { type Processes, setUpProcesses, startRun, step } from '../../support/workflow/processes.ts';

const recovery = { maxRecoveries: 9, unknownOutcome: 'ask' } as const;

async function itemsOf({ inbox }: Processes) {
  return (await inbox.list({ statuses: ['open', 'claimed', 'resolved', 'withdrawn'] }, { limit: 200 })).items;
}

/** Lets the calls of one member of the inbox wait until the function that is returned is called. */
function hold({ inbox }: Processes, member: 'create' | 'get'): () => Promise<void> {
  const held = Promise.withResolvers<void>();
  const { create, get } = inbox;
  const holding = {
    create: (item: Parameters<typeof create>[0]) => held.promise.then(() => create(item)),
    get: (itemId: string) => held.promise.then(() => get(itemId)),
  };
  Object.assign(inbox, { [member]: holding[member] });
  return async () => {
    Object.assign(inbox, { create, get });
    held.resolve();
    await settle();
  };
}

/** A run whose first process has crashed with its steps under way, and which the second one has taken over. */
async function takenOver(processes: Processes, ...steps: readonly Step[]) {
  const runId = await startRun(processes, ...steps);
  processes.first.process.kill();
  await processes.second.runQueue.wake(runId);
  await settle();
  return runId;
}

test('an item that a frozen process opens after the decision is resolved with it', async () => {
  const processes = setUpProcesses({ recovery });
  const release = hold(processes, 'create');
  const runId = await takenOver(processes, step('a', 'write'));
  const third = processes.start('third');
  processes.second.process.freeze();
  await third.control.resolve(runId, 'a', { outcome: 'completed', by: 'ann' });
  await processes.clock.advance(100);
  expect(await processes.recordOf(runId)).toMatchObject({ status: 'COMPLETED' });
  await release();
  expect(await itemsOf(processes)).toMatchObject([{ status: 'resolved', resolution: { by: 'ann' } }]);
});

test('an item that is opened after its run was deleted is withdrawn', async () => {
  const processes = setUpProcesses({ recovery });
  const release = hold(processes, 'create');
  const runId = await takenOver(processes, step('a', 'write'));
  const third = processes.start('third');
  processes.second.process.freeze();
  await third.control.cancel(runId, { by: 'ann', reason: null });
  await processes.clock.advance(100);
  await third.control.delete(runId);
  await release();
  expect(await itemsOf(processes)).toMatchObject([{ status: 'withdrawn', payload: null }]);
});

test('an item is not resolved before the decision is in the log', async () => {
  const processes = setUpProcesses({ recovery });
  const runId = await takenOver(processes, step('a', 'write'), step('b', 'write'), step('c'));
  const [third, fourth] = [processes.start('third'), processes.start('fourth')];
  processes.second.process.kill();
  const release = hold(processes, 'get');
  await third.runQueue.wake(runId);
  await settle();
  third.process.beforeAppend = () => Promise.reject(unavailable('away', 1));
  void third.control.resolve(runId, 'b', { outcome: 'completed', by: 'ann' }).catch(() => undefined);
  await processes.clock.advance(100);
  await release();
  expect(await itemsOf(processes)).toMatchObject([{ status: 'open' }, { status: 'open' }]);
  // Whoever takes over finds the request to cancel as well.
  third.process.kill();
  void fourth.control.cancel(runId, { by: 'bob', reason: null });
  await processes.clock.advance(100);
  expect(await processes.recordOf(runId)).toMatchObject({ status: 'CANCELLED' });
  expect(await itemsOf(processes)).toMatchObject([{ status: 'withdrawn' }, { status: 'withdrawn' }]);
});

test('the item of a run that was cancelled while the store was away is ended with the run', async () => {
  const processes = setUpProcesses({ recovery });
  const { second, clock } = processes;
  const runId = await takenOver(processes, step('a', 'write'));
  let isAway = true;
  second.process.beforeAppend = async () => {
    if (isAway) throw unavailable('away', 1);
  };
  const decided = second.control.resolve(runId, 'a', { outcome: 'failed', by: 'ann' });
  await clock.advance(100);
  await second.control.cancel(runId, { by: 'bob', reason: null });
  await clock.advance(11_000);
  await decided;
  isAway = false;
  await clock.advance(5_000);
  expect(await processes.recordOf(runId)).toMatchObject({ status: 'CANCELLED' });
  expect(await itemsOf(processes)).toMatchObject([{ status: 'resolved', resolution: { by: 'ann' } }]);
});

test('the item of a run that is gone is withdrawn when somebody decides about it', async () => {
  const processes = setUpProcesses({ recovery });
  const runId = await takenOver(processes, step('a', 'write'));
  const [item] = await itemsOf(processes);
  if (item === undefined) expect.fail('there is no item');
  const resolution = { outcome: 'failed', by: 'ann', at: item.openedAt, note: null, response: null } as const;
  const given = { ...resolution, intent: null, escalationRight: null, data: null, output: null };
  const { control, waitItems } = createTestEngine({ ports: { inbox: processes.inbox } });
  await expect(decideByItem(control, waitItems, item, given)).rejects.toMatchObject({
    code: 'conflict',
    message: `execution "${runId}" is gone: the item is withdrawn`,
  });
  expect(await itemsOf(processes)).toMatchObject([{ status: 'withdrawn', payload: null }]);
});
