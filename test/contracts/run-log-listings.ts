import { expect, test } from 'vitest';
import type { RunFilter, RunListFilter, RunLog } from '../../src/ports/storage/run-log.ts';
import {
  append,
  CREATED_AT,
  ended,
  endOf,
  newEndedRun,
  newRun,
  running,
  stepStarted,
} from '../support/workflow/run-events.ts';

/** The ids of a listing over all workflows, read page by page; `between` is called after each page. */
async function idsOfAll(log: RunLog, filter: RunListFilter, limit: number, between = async () => {}) {
  const seen: string[] = [];
  let cursor: number | undefined;
  for (let pages = 0; pages < 1_000; pages++) {
    const page = await log.listAll(filter, { limit, cursor });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    seen.push(...page.items.map(({ runId }) => runId));
    if (page.nextCursor === null) return seen;
    cursor = page.nextCursor;
    await between();
  }
  throw new Error('the listing does not end');
}

async function idsOf(log: RunLog, workflowId: string, filter: RunFilter = {}) {
  const { total, items } = await log.list(workflowId, filter, { limit: 200, offset: 0 });
  expect(total).toBe(items.length);
  return items.map(({ runId }) => runId);
}

/** `count` runs, created a second apart; every second one belongs to another workflow. */
async function createRuns(log: RunLog, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, index) => `execution-${index}`);
  for (const [index, id] of ids.entries()) {
    const createdAt = new Date(CREATED_AT + 1_000 * index).toISOString();
    await log.create(newRun(id, { workflowId: `workflow-${index % 2}`, createdAt }));
  }
  return ids;
}

/** The promises of every run log about its listings. */
export function runLogListingsContract(make: () => Promise<RunLog>): void {
  test('finds the runs of a customer, whatever state they are in, and no others', async () => {
    const log = await make();
    const customerId = 'Kunde "ü" ☃ \\n';
    await log.create(newRun('active', { customerId }));
    await log.create(newEndedRun('ended', { customerId, workflowId: 'workflow-2' }));
    await log.create(newRun('of another', { customerId: `${customerId}2` }));
    await log.create(newRun('of none'));
    await append(log, 'active', 1, [stepStarted('step-0')], running());
    expect((await log.ofCustomer(customerId, 200)).toSorted()).toEqual(['active', 'ended']);
    expect(await log.ofCustomer(customerId, 1)).toHaveLength(1);
    expect(await log.ofCustomer('nobody', 200)).toEqual([]);
    expect(await log.summary('active')).toMatchObject({ customerId });
    expect(await log.summary('of none')).toMatchObject({ customerId: null });
    expect((await log.get('ended'))?.events[0]).toMatchObject({ customerId });
  });

  test('finds a run of a customer no more once it is deleted', async () => {
    const log = await make();
    for (const id of ['one', 'two']) await log.create(newEndedRun(id, { customerId: 'c' }));
    await log.create(newRun('going on', { customerId: 'c' }));
    expect(await log.delete('one')).toBe(true);
    expect(await log.delete('going on')).toBe(false);
    expect((await log.ofCustomer('c', 200)).toSorted()).toEqual(['going on', 'two']);
    await log.delete('two');
    await append(log, 'going on', 1, [endOf()], ended());
    await log.delete('going on');
    expect(await log.ofCustomer('c', 200)).toEqual([]);
  });

  test('lists the newest runs first, however they go on', async () => {
    const log = await make();
    const ids = (await createRuns(log, 6)).toReversed();
    await append(log, 'execution-0', 1, [stepStarted('step-0')], running());
    await append(log, 'execution-1', 1, [endOf()], ended());
    await append(log, 'execution-1', 2, [stepStarted('step-0')], running(2));
    expect(await idsOfAll(log, {}, 200)).toEqual(ids);
    expect(await idsOf(log, 'workflow-0')).toEqual(['execution-4', 'execution-2', 'execution-0']);
    expect(await idsOf(log, 'workflow-1')).toEqual(['execution-5', 'execution-3', 'execution-1']);
    expect(await idsOf(log, 'unknown')).toEqual([]);
  });

  test('filters by status, and counts what matches', async () => {
    const log = await make();
    await createRuns(log, 8);
    await append(log, 'execution-0', 1, [endOf()], ended());
    await append(log, 'execution-2', 1, [endOf('FAILED')], ended('FAILED'));
    await append(log, 'execution-4', 1, [stepStarted('step-0')], running());
    await log.create(newEndedRun('late', { workflowId: 'workflow-0', status: 'CANCELLED' }));
    const expected: [RunFilter['statuses'], string[]][] = [
      [['COMPLETED'], ['execution-0']],
      [
        ['FAILED', 'CANCELLED'],
        ['late', 'execution-2'],
      ],
      [['RUNNING'], ['execution-4']],
      [['PENDING'], ['execution-6']],
      [
        ['PENDING', 'RUNNING', 'COMPLETED'],
        ['execution-6', 'execution-4', 'execution-0'],
      ],
    ];
    for (const [statuses, ids] of expected) expect(await idsOf(log, 'workflow-0', { statuses })).toEqual(ids);
    expect(await idsOf(log, 'workflow-0', { statuses: [] })).toHaveLength(5);
    expect(await idsOfAll(log, { statuses: ['PENDING'] }, 2)).toEqual([
      ...['execution-7', 'execution-6', 'execution-5', 'execution-3', 'execution-1'],
    ]);
    await append(log, 'execution-6', 1, [endOf()], ended());
    expect(await idsOf(log, 'workflow-0', { statuses: ['PENDING'] })).toEqual([]);
  });

  test('filters by the time of creation, from `since` on and before `until`', async () => {
    const log = await make();
    await createRuns(log, 6);
    const at = (index: number) => CREATED_AT + 1_000 * index;
    const all = (filter: RunFilter) => idsOfAll(log, filter, 200);
    expect(await all({ since: at(4) })).toEqual(['execution-5', 'execution-4']);
    expect(await all({ since: at(4) + 1 })).toEqual(['execution-5']);
    expect(await all({ until: at(1) })).toEqual(['execution-0']);
    expect(await all({ until: at(1) + 1 })).toEqual(['execution-1', 'execution-0']);
    expect(await all({ since: at(2), until: at(4) })).toEqual(['execution-3', 'execution-2']);
    expect(await all({ since: at(2), until: at(2) })).toEqual([]);
    expect(await idsOf(log, 'workflow-0', { since: at(1), until: at(4) })).toEqual(['execution-2']);
    expect(await idsOf(log, 'workflow-0', { since: at(1), statuses: ['COMPLETED'] })).toEqual([]);
  });

  test('pages through the runs of a workflow, each once', async () => {
    const log = await make();
    const ids = Array.from({ length: 25 }, (_, index) => `execution-${index}`);
    for (const [index, id] of ids.entries()) {
      await log.create(index % 5 === 0 ? newEndedRun(id) : newRun(id));
    }
    await log.create(newRun('other', { workflowId: 'workflow-2' }));
    const cases: [RunFilter, string[]][] = [
      [{}, ids.toReversed()],
      [{ statuses: ['PENDING'] }, ids.filter((_, index) => index % 5 !== 0).toReversed()],
    ];
    for (const [filter, expected] of cases) {
      const seen: string[] = [];
      for (const offset of [0, 7, 14, 21, 28]) {
        const page = await log.list('workflow-1', filter, { limit: 7, offset });
        expect(page).toMatchObject({ total: expected.length, limit: 7, offset });
        seen.push(...page.items.map(({ runId }) => runId));
      }
      expect(seen).toEqual(expected);
    }
  });

  test('pages through all runs by cursor without gaps or doubles while runs are added', async () => {
    const log = await make();
    const ids = await createRuns(log, 20);
    let added = 0;
    const between = async () => {
      for (let time = 0; time < 3; time++) await log.create(newRun(`added-${added++}`));
    };
    for (const limit of [1, 3, 20]) {
      const before = await idsOfAll(log, {}, 200);
      expect(await idsOfAll(log, {}, limit, between)).toEqual(before);
    }
    expect(added).toBeGreaterThan(0);
    expect((await idsOfAll(log, {}, 200)).slice(-20)).toEqual(ids.toReversed());
  });

  test('pages through the runs of one workflow by cursor, with and without other filters', async () => {
    const log = await make();
    await createRuns(log, 9);
    await log.create(newEndedRun('late', { workflowId: 'workflow-0', status: 'CANCELLED' }));
    const workflowId = 'workflow-0';
    const ids = [8, 6, 4, 2, 0].map((index) => `execution-${index}`);
    for (const limit of [1, 2, 200]) {
      expect(await idsOfAll(log, { workflowId }, limit)).toEqual(['late', ...ids]);
      expect(await idsOfAll(log, { workflowId, statuses: ['PENDING'] }, limit)).toEqual(ids);
      expect(await idsOfAll(log, { workflowId, until: CREATED_AT + 4_000 }, limit)).toEqual([
        ...['late', 'execution-2', 'execution-0'],
      ]);
    }
    expect(await idsOfAll(log, { workflowId: 'unknown' }, 200)).toEqual([]);
  });

  test('pages on by cursor after runs were deleted', async () => {
    const log = await make();
    for (let index = 0; index < 12; index++) await log.create(newEndedRun(`execution-${index}`));
    const { items, nextCursor } = await log.listAll({}, { limit: 4 });
    expect(items.map(({ runId }) => runId).at(-1)).toBe('execution-8');
    for (const index of [9, 8, 7, 6]) await log.delete(`execution-${index}`);
    const rest = await log.listAll({}, { limit: 4, cursor: nextCursor ?? expect.fail() });
    expect(rest.items.map(({ runId }) => runId)).toEqual([5, 4, 3, 2].map((index) => `execution-${index}`));
  });
}
