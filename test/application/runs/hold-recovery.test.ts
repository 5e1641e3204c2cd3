import { describe, expect, test } from 'vitest';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { holdRecovery } from '../../../src/application/runs/recovery.ts';
import { defaultRecoveryPolicy } from '../../../src/domain/run/recover.ts';
import type { RunListener, RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { testPorts } from '../../support/ports.ts';
import { newRun } from '../../support/workflow/run-events.ts';

const signal = { type: 'cancel', by: 'api', reason: null } as const;

/** A log with what listens to it. */
function listenedLog() {
  const { ports } = testPorts();
  let listener: RunListener | undefined;
  const runs: RunLog = {
    ...ports.runs,
    listen(given) {
      listener = given;
      ports.runs.listen(given);
    },
  };
  return { ports, runs, listener: () => listener ?? expect.fail('nobody listens') };
}

/** What a listener was told, in order. */
function recordingListener() {
  const told: string[] = [];
  const listener: RunListener = {
    onSignal: (runId) => void told.push(`signal ${runId}`),
    async onAbandoned(runId, waiting) {
      told.push(`abandoned ${runId}${waiting === undefined ? '' : ' with a signal'}`);
      if (runId === 'broken') throw new Error('not queued');
    },
    onLost: (runId) => void told.push(`lost ${runId}`),
  };
  return { told, listener };
}

describe('a log whose abandoned runs are held back', () => {
  test('tells of them from the start on, and of everything else at once', async () => {
    const log = listenedLog();
    const { told, listener } = recordingListener();
    const held = holdRecovery(log.runs);
    held.runs.listen(listener);
    const first = log.listener().onAbandoned('a', undefined);
    const second = log.listener().onAbandoned('b', signal);
    log.listener().onSignal('c', signal);
    log.listener().onLost('d');
    await settle();
    expect(told).toEqual(['signal c', 'lost d']);
    held.start();
    await Promise.all([first, second]);
    expect(told.slice(2)).toEqual(['abandoned a', 'abandoned b with a signal']);
    await log.listener().onAbandoned('e', undefined);
    held.start();
    expect(told.slice(4)).toEqual(['abandoned e']);
  });

  test('passes on that a run could not be continued', async () => {
    const log = listenedLog();
    const held = holdRecovery(log.runs);
    held.runs.listen(recordingListener().listener);
    held.start();
    await expect(log.listener().onAbandoned('broken', undefined)).rejects.toThrow('not queued');
  });
});

describe('an orchestrator', () => {
  /** Whether it does something about an abandoned run, before and after its start. */
  async function actsOnAbandoned(recovery: typeof defaultRecoveryPolicy | undefined) {
    const { ports, runs, listener } = listenedLog();
    await ports.runs.create({ ...newRun('run'), isUnclaimed: true });
    const orchestrator = createOrchestrator({ ...ports, runs }, {}, { recovery });
    let isDone = false;
    const done = listener()
      .onAbandoned('run', undefined)
      .then(() => {
        isDone = true;
      });
    await settle();
    const before = isDone;
    orchestrator.start();
    await done;
    await orchestrator.close(0);
    return { before, after: isDone };
  }

  test('that continues runs waits with it until its start, when its tools are registered', async () => {
    expect(await actsOnAbandoned(defaultRecoveryPolicy)).toEqual({ before: false, after: true });
  });

  test('that ends interrupted runs needs no start', async () => {
    expect(await actsOnAbandoned(undefined)).toEqual({ before: true, after: true });
  });
});
