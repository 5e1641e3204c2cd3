import { describe, expect, test } from 'vitest';
import type { ScheduleStore } from '../../../src/ports/storage/schedule-store.ts';
import { settle } from '../../support/fake-clock.ts';
import { HOUR, MINUTE, setUpSchedules } from '../../support/schedules.ts';

const day = (time: string) => `2026-01-01T${time}:00.000Z`;

/** A store whose next updates, or those that fit, wait until they are released. */
function holdUpdates(store: ScheduleStore) {
  const held: (() => void)[] = [];
  let isHolding = false;
  return {
    store: {
      ...store,
      async update(stored) {
        if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
        return store.update(stored);
      },
    } satisfies ScheduleStore,
    hold: () => {
      isHolding = true;
    },
    release: async () => {
      isHolding = false;
      for (const resolve of held.splice(0)) resolve();
      await settle();
    },
  };
}

/** Two processes; the claims of the second one wait while `hold` holds them. */
async function setUpHeld() {
  let held: ReturnType<typeof holdUpdates> | undefined;
  const service = await setUpSchedules({
    processes: 2,
    storeOf: (store, process) => {
      if (process === 0) return store;
      held = holdUpdates(store);
      return held.store;
    },
  });
  const { first, processes, workflowId } = service;
  const { schedule } = await service.create();
  const [, second] = processes;
  if (held === undefined || second === undefined) throw new Error('there are two processes');
  const draft = { workflowId, cron: '0 * * * *', input: { n: 2 } };
  return { ...service, ...held, first, second, id: schedule.scheduleId, draft };
}

describe('a schedule that changes at the moment of a fire', () => {
  test.each([
    ['replaced', {}],
    ['disabled', { enabled: false }],
    ['given another time', { cron: '59 * * * *' }],
  ])('starts at most one run for the fire time when it is %s', async (_name, changes) => {
    const service = await setUpHeld();
    const { clock, id, draft } = service;
    service.hold();
    // The first process replaces it just before the second one claims the fire, by a clock that is behind.
    await clock.advance(HOUR - 1);
    const [replaced] = await Promise.all([
      service.first.schedules.replace(id, { ...draft, ...changes }),
      clock.advance(2),
    ]);
    await service.release();
    await clock.advance(MINUTE);
    const due = service.times().filter((time) => time.startsWith('2026-01-01T01:00'));
    expect(due.length).toBeLessThanOrEqual(1);
    expect(service.started).toHaveLength(due.length);
    expect(replaced.schedule.version).toBe(2);
  });

  test('starts no run of a claim that comes after it was disabled', async () => {
    const service = await setUpHeld();
    const { clock, id, draft } = service;
    await service.first.close(0);
    service.hold();
    await clock.advance(HOUR + 1);
    await service.first.schedules.replace(id, { ...draft, enabled: false });
    await service.release();
    await clock.advance(2 * HOUR);
    // It was due before it was disabled: the change lets it fire first, once.
    expect(service.started.length).toBeLessThanOrEqual(1);
    expect(await service.first.schedules.get(id)).toMatchObject({
      nextFireAt: null,
      schedule: { version: 2 },
    });
  });

  test('starts no run of a claim that comes after it was deleted', async () => {
    const service = await setUpHeld();
    await service.first.close(0);
    service.hold();
    await service.clock.advance(HOUR + 1);
    await service.first.schedules.delete(service.id);
    await service.release();
    await service.clock.advance(2 * HOUR);
    expect(service.started).toEqual([]);
    expect(service.told()).toEqual([]);
  });

  test('does not fire again for a time that was handled, when it is replaced by a clock that is behind', async () => {
    const service = await setUpHeld();
    const { clock, id, draft } = service;
    await clock.advance(HOUR + 1);
    expect(service.started).toHaveLength(1);
    clock.jump(-5_000);
    const replaced = await service.first.schedules.replace(id, { ...draft, timezone: 'Etc/UTC' });
    expect(replaced.nextFireAt).toBe(Date.parse(day('02:00')));
    expect(await service.first.schedules.preview(id, 1)).toEqual([Date.parse(day('02:00'))]);
    await clock.advance(MINUTE);
    expect(service.started).toHaveLength(1);
  });
});

describe('a fire that several processes claim at the same moment', () => {
  test.each(['skip', 'queue', 'allow'] as const)('starts one run, with overlap %s', async (overlap) => {
    const stores: ReturnType<typeof holdUpdates>[] = [];
    const service = await setUpSchedules({
      processes: 4,
      storeOf: (store) => {
        const held = holdUpdates(store);
        stores.push(held);
        return held.store;
      },
    });
    await service.create({ overlap });
    for (let hour = 1; hour <= 3; hour++) {
      for (const { hold } of stores) hold();
      await service.clock.advance(HOUR + MINUTE);
      expect(service.started).toHaveLength(hour - 1);
      await Promise.all(stores.map(({ release }) => release()));
      await service.clock.advance(MINUTE);
      expect(service.started).toHaveLength(hour);
    }
    expect(service.told()).toEqual(['01:00', '02:00', '03:00'].map((time) => `schedule.fired ${day(time)}`));
  });
});

describe('replacing a schedule', () => {
  test('fires by the new expression, with the new input', async () => {
    const { clock, first, create, started, times, workflowId } = await setUpSchedules();
    const { schedule } = await create();
    await first.schedules.replace(schedule.scheduleId, { workflowId, cron: '30 * * * *', input: { n: 9 } });
    await clock.advance(1.25 * HOUR);
    expect(times()).toEqual([day('00:30')]);
    expect(started[0]?.input).toEqual({ n: 9 });
  });

  test('drops the fires that wait when it disables the schedule, and says so', async () => {
    const service = await setUpSchedules();
    service.holdRuns();
    const { schedule } = await service.create({ overlap: 'queue' });
    await service.clock.advance(3 * HOUR + 1);
    const { workflowId } = service;
    const off = { workflowId, cron: '0 * * * *', input: { n: 1 }, enabled: false };
    await service.first.schedules.replace(schedule.scheduleId, off);
    await service.endRuns();
    await service.clock.advance(HOUR);
    expect(service.told()).toEqual([
      `schedule.fired ${day('01:00')}`,
      `schedule.skipped ${day('02:00')} disabled`,
      `schedule.skipped ${day('03:00')} disabled`,
    ]);
    expect(service.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await service.first.schedules.replace(schedule.scheduleId, { ...off, enabled: true });
    await service.clock.advance(HOUR);
    expect(service.started).toHaveLength(2);
  });

  test('keeps what another caller has changed meanwhile, unless a version is named', async () => {
    const service = await setUpSchedules();
    const { schedule } = await service.create();
    const { workflowId, first } = service;
    const draft = { workflowId, cron: '0 * * * *' };
    const seen = { version: 1, isPrecondition: true };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => first.schedules.replace(schedule.scheduleId, draft, seen)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await Promise.all(Array.from({ length: 5 }, () => first.schedules.replace(schedule.scheduleId, draft)));
    expect((await first.schedules.get(schedule.scheduleId)).schedule.version).toBe(7);
  });
});

describe('triggering a schedule', () => {
  test('starts a run each time, also while others go on', async () => {
    const service = await setUpSchedules({ processes: 2 });
    service.holdRuns();
    const { schedule } = await service.create();
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => service.processes[n % 2]?.schedules.trigger(schedule.scheduleId)),
    );
    await settle();
    expect(service.started).toHaveLength(10);
    expect(service.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await service.first.schedules.get(schedule.scheduleId)).lastFiredAt).toBe(service.clock.now());
  });

  test('rejects while too many background runs wait, and leaves nothing behind', async () => {
    const service = await setUpSchedules({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 1 } });
    service.holdRuns();
    const { schedule } = await service.create();
    const { trigger, get } = service.first.schedules;
    for (let n = 0; n < 2; n++) await trigger(schedule.scheduleId);
    await expect(trigger(schedule.scheduleId)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await get(schedule.scheduleId)).fires).toHaveLength(2);
    expect(service.told()).toEqual(['schedule.fired', 'schedule.fired']);
  });
});
