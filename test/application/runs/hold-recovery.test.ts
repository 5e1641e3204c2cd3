import { describe, expect, test } from 'vitest';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import { defaultRecoveryPolicy } from '../../../src/domain/run/recover.ts';
import type { RunListener, RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { testPorts } from '../../support/ports.ts';
import { newRun } from '../../support/workflow/run-events.ts';

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

describe('an orchestrator', () => {
  /** True where it does something about an abandoned run, before and after its start. */
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
