import { describe, expect, test } from 'vitest';
import { defaultRecoveryPolicy } from '../../../src/domain/run/recover.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { settle } from '../../support/fake-clock.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { callTool, createTestEngine } from '../../support/workflow/engine.ts';

/** An engine whose log writes each append only when the test lets it, and a tool whose calls the test ends. */
function setUp(recovery = false) {
  const log = memoryRunLog({ maxRows: 10 });
  const held: (() => void)[] = [];
  let isHeld = false;
  const runs: RunLog = {
    ...log,
    async append(...append) {
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return log.append(...append);
    },
  };
  const engine = createTestEngine({ ports: { runs }, ...(recovery && { recovery: defaultRecoveryPolicy }) });
  const calls: (() => void)[] = [];
  engine.tool('wait', () => new Promise<JsonObject>((resolve) => calls.push(() => resolve({}))));
  return {
    ...engine,
    calls,
    hold: () => {
      isHeld = true;
    },
    async writeAll() {
      isHeld = false;
      for (const write of held.splice(0)) write();
      await settle();
    },
  };
}

describe.each([false, true])('the events of a layer, where runs are durable: %s', (isDurable) => {
  test('are written once and in order, where their store takes longer than the steps', async () => {
    const { calls, clock, control, define, hold, runs, workflows, writeAll } = setUp(isDurable);
    const { id } = await define(callTool('a', 'wait'), callTool('b', 'wait'), callTool('c', 'wait'));
    const ended = workflows.run(id, {});
    await settle();
    hold();
    for (const end of calls.slice(0, 2)) {
      end();
      await clock.advance(100);
    }
    calls[2]?.();
    await settle();
    await writeAll();
    const run = await ended;
    expect(run.status).toBe('COMPLETED');
    expect(await control.get(run.runId)).toEqual(run);
    const { events } = (await runs.get(run.runId)) ?? expect.fail();
    expect(events.filter(({ type }) => type === 'step.completed')).toHaveLength(3);
  });
});
