import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import { hasEnded } from '../../../src/domain/run/run.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';
import { memoryRunLog } from '../../support/memory.ts';
import { call, child, createCore, pause } from '../../support/workflow/core.ts';

const ITEMS = 20;

/** Two runs whose items each start a run with a large input that waits, in a store with room for most of them. */
async function twoLargeParents(waitMs: number) {
  const runs = memoryRunLog({ maxRows: 1_000, unendedRunBytes: 550_000 });
  const core = createCore({ ports: { runs } });
  const inner = await core.define([
    call('before'),
    pause('wait', waitMs),
    call('after', 'echo', { dependsOn: ['wait'] }),
  ]);
  const items = Array.from({ length: ITEMS }, (_, index) => index);
  const each = child('each', inner, {
    foreach: { items, concurrency: ITEMS },
    staticInput: { text: '$input.text' },
  });
  const input = { text: 'x'.repeat(20_000) };
  const ids = [await core.start([each], { input }), await core.start([each], { input })];
  return { ...core, ids };
}

describe('two runs whose child runs do not fit into the store together', () => {
  test('end once the first children have made room, and so do all children', async () => {
    const { ids, get, clock, orchestrator, logger } = await twoLargeParents(15_000);
    const unended = await orchestrator.runs.list(
      { statuses: ['PENDING', 'RUNNING', 'WAITING'] },
      { limit: 200 },
    );
    expect(unended.items.length).toBeLessThan(2 * ITEMS);
    await clock.advance(120_000);
    for (const id of ids) expect((await get(id)).status).toBe('COMPLETED');
    const { items } = await orchestrator.runs.list({}, { limit: 200 });
    expect(items).toHaveLength(2 + 2 * ITEMS);
    expect(items.every(({ status }) => hasEnded(status))).toBe(true);
    const refusals = logger.lines.filter(({ message }) => message.includes('could not be'));
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.length).toBeLessThan(5);
    expect(refusals.every((line) => !('err' in line))).toBe(true);
  });

  test('can be cancelled meanwhile', async () => {
    const { ids, get, clock, runs, orchestrator } = await twoLargeParents(3_600_000);
    await clock.advance(30_000);
    for (const id of ids) await runs.cancel(id, { by: 'ann', reason: null });
    await clock.advance(30_000);
    for (const id of ids) expect((await get(id)).status).toBe('CANCELLED');
    const { items } = await orchestrator.runs.list({}, { limit: 200 });
    expect(items.every(({ status }) => hasEnded(status))).toBe(true);
  });
});

test('a run ends as FAILED where the store does not accept that it waits', async () => {
  const log = memoryRunLog({ maxRows: 10 });
  const runs: RunLog = {
    ...log,
    append: async (runId, seq, events, change) => {
      if (change.status === 'WAITING') throw unavailable('full');
      return log.append(runId, seq, events, change);
    },
  };
  const core = createCore({ ports: { runs } });
  const runId = await core.start([pause('wait', 3_600_000)]);
  await core.clock.advance(30_000);
  expect(await core.get(runId)).toMatchObject({ status: 'FAILED', error: 'the results could not be saved' });
});
