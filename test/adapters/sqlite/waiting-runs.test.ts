import { expect, test } from 'vitest';
import type { ResolveSignal, RunSignal } from '../../../src/domain/run/events.ts';
import type { RunChange } from '../../../src/domain/run/state.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { makeFile, openFile } from '../../support/sqlite/files.ts';
import { append, type EventDraft, newRun, running, stepStarted } from '../../support/workflow/run-events.ts';

const itemId = 'item-1';
const runWaits: EventDraft = { type: 'execution.waiting', for: ['approval'] };
const waits: RunChange = {
  ...running(),
  status: 'WAITING',
  wakeAt: 5,
  waitingFor: [{ kind: 'approval', stepId: 'step-0', itemId, until: null }],
};
const decision: ResolveSignal = {
  type: 'resolve',
  itemId,
  outcome: 'approved',
  by: 'ann',
  note: null,
  output: null,
  data: { a: 1 },
};

/** Listens to a log for some turns of the event loop. Resolves to what it was told. */
async function listenTo(log: RunLog) {
  const told: [string, RunSignal | 'abandoned'][] = [];
  log.listen({
    onSignal: (runId, signal) => told.push([runId, signal]),
    onAbandoned: async (runId) => void told.push([runId, 'abandoned']),
    onLost: (runId) => expect.fail(runId),
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  return told;
}

test('runs that wait go on waiting when the process is restarted, and the listener is told of their signals', async () => {
  const { path, adapters } = await makeFile();
  const { runs } = adapters.ports;
  for (const id of ['parked', 'claimed', 'decided', 'running']) {
    await runs.create(newRun(id));
    await append(runs, id, 1, [runWaits], waits);
  }
  await runs.claim('claimed');
  await runs.claim('running');
  await append(runs, 'running', 2, [stepStarted('step-0')], running());
  await runs.signal('decided', decision);
  await adapters.close();

  const { adapters: restarted } = openFile(path);
  const log = restarted.ports.runs;
  expect(await listenTo(log)).toEqual([
    ['decided', decision],
    ['running', 'abandoned'],
  ]);
  expect((await log.due(10, 10)).map(({ runId }) => runId)).toEqual(['claimed', 'decided', 'parked']);
  expect(await log.claim('decided')).toMatchObject({ crashed: false, signals: [decision] });
  expect(await log.claim('claimed')).toMatchObject({ crashed: true, signals: [] });
  expect(await log.claim('running')).toMatchObject({ crashed: true });
  expect((await log.due(10, 10)).map(({ runId }) => runId)).toEqual(['parked']);
});
