import { describe, expect, test } from 'vitest';
import { createStats } from '../../../src/application/storage/stats.ts';
import type { StatsStore } from '../../../src/ports/storage/stats-store.ts';
import { countsOf, minuteAt } from '../../contracts/stats-store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { type ProcessParts, sharedParts } from '../../support/storage.ts';

const create = ({ store, clock }: ProcessParts, processId: string) =>
  createStats({ store, clock, processId });

function twoProcesses() {
  const clock = createFakeClock(minuteAt(0));
  const [one, other] = sharedParts(2, clock);
  if (one === undefined || other === undefined) throw new Error('there are two');
  return { clock, store: one.store, one: create(one, 'one'), other: create(other, 'other') };
}

function addTimes(store: StatsStore, minute: number, times: number): void {
  for (let time = 0; time < times; time++) store.add(minuteAt(minute), 'messages.answered');
}

async function answered(store: StatsStore, minute: number): Promise<number> {
  return (await countsOf(store, minute, minute + 1))[minute]?.['messages.answered'] ?? 0;
}

describe('counters in rows', () => {
  test('are summed up over the processes within five seconds, and nothing is counted twice', async () => {
    const { clock, one, other } = twoProcesses();
    addTimes(one, 0, 3);
    addTimes(other, 0, 4);
    one.setRunning(2);
    other.setRunning(5);
    await clock.advance(5_000);
    for (const stats of [one, other]) {
      expect(await answered(stats, 0)).toBe(7);
      expect((await stats.read(0, 1)).running).toBe(7);
    }
    addTimes(one, 0, 1);
    expect([await answered(one, 0), await answered(other, 0)]).toEqual([8, 7]);
    await clock.advance(5_000);
    expect(await answered(other, 0)).toBe(8);
  });

  test('of a process that counts nothing cost nothing', async () => {
    const { clock, store, one } = twoProcesses();
    await one.read(minuteAt(0), minuteAt(10));
    one.setRunning(0);
    expect([clock.pending(), store.commits]).toEqual([0, 0]);
    addTimes(one, 0, 1);
    await clock.advance(5_000);
    expect([clock.pending(), store.commits]).toEqual([0, 1]);
  });

  test('have the runs of a process while it lives', async () => {
    const { clock, store, one, other } = twoProcesses();
    one.setRunning(3);
    await clock.advance(120_000);
    expect((await other.read(0, 1)).running).toBe(3);
    store.leave();
    await clock.advance(20_000);
    expect((await other.read(0, 1)).running).toBe(0);
    store.comeBack();
    await clock.advance(5_000);
    expect((await other.read(0, 1)).running).toBe(3);
    one.setRunning(0);
    await clock.advance(5_000);
    expect([(await other.read(0, 1)).running, clock.pending()]).toEqual([0, 0]);
  });

  test('are written when their process closes, which runs nothing from then on', async () => {
    const { clock, one, other } = twoProcesses();
    one.setRunning(2);
    await clock.advance(5_000);
    addTimes(one, 1, 5);
    await one.close();
    expect([await answered(other, 1), (await other.read(0, 1)).running]).toEqual([5, 0]);
    expect(clock.pending()).toBe(0);
  });

  test('that were counted while the store was away arrive afterwards', async () => {
    const { clock, store, one, other } = twoProcesses();
    addTimes(one, 0, 1);
    await clock.advance(5_000);
    store.leave();
    await expect(one.read(minuteAt(0), minuteAt(1))).rejects.toMatchObject({ code: 'unavailable' });
    for (let minute = 0; minute < 1_200; minute++) addTimes(one, minute, 2);
    await clock.advance(60_000);
    store.comeBack();
    await clock.advance(5_000);
    expect([await answered(other, 0), await answered(other, 1_199)]).toEqual([3, 2]);
    expect(Object.keys(await countsOf(other, 0, 1_200))).toHaveLength(1_200);
  });

  test('are not counted twice where the reply to a write was lost', async () => {
    const { clock, store, one, other } = twoProcesses();
    addTimes(one, 0, 3);
    store.loseReply();
    await clock.advance(2_500);
    addTimes(one, 0, 1);
    await clock.advance(5_000);
    expect(await answered(other, 0)).toBe(4);
  });

  test('expire after a day', async () => {
    const { clock, one, other } = twoProcesses();
    addTimes(one, 0, 1);
    await clock.advance(24 * 3_600_000);
    expect(await answered(other, 0)).toBe(1);
    await clock.advance(2 * 3_600_000);
    expect(await answered(other, 0)).toBe(0);
  });
});
