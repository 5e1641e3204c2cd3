import { describe, expect, test } from 'vitest';
import { unavailable } from '../../../src/domain/errors.ts';
import type { ScheduleStore } from '../../../src/ports/storage/schedule-store.ts';
import { HOUR, MINUTE, setUpSchedules } from '../../support/schedules.ts';

/** A generator of numbers from 0 to 1 that repeats itself for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296;
  };
}

/** A store whose members fail now and then, before or after they have done their work. */
function unreliable(store: ScheduleStore, random: () => number, isDown: () => boolean): ScheduleStore {
  async function attempt<T>(work: () => Promise<T>): Promise<T> {
    if (isDown() && random() < 0.3) throw unavailable('the store cannot be reached');
    const result = await work();
    if (isDown() && random() < 0.3) throw unavailable('the reply was lost');
    return result;
  }
  return {
    ...store,
    get: (id) => attempt(() => store.get(id)),
    update: (stored) => attempt(() => store.update(stored)),
    due: (until) => attempt(() => store.due(until)),
  };
}

describe('schedules over a store that fails now and then', () => {
  test.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'start at most one run for each fire time, and all once it is back: seed %i',
    async (seed) => {
      const random = randomOf(seed);
      let isDown = true;
      const service = await setUpSchedules({
        processes: 3,
        storeOf: (store) => unreliable(store, random, () => isDown),
      });
      isDown = false;
      for (const overlap of ['allow', 'queue', 'skip'] as const) {
        await service.create({ cron: '*/5 * * * *', overlap });
      }
      isDown = true;
      for (let step = 0; step < 10; step++) {
        const jump = random() < 0.3 ? Math.floor((random() - 0.5) * 4_000) : 0;
        service.clock.jump(jump);
        await service.clock.advance(Math.floor(random() * 10 * MINUTE));
      }
      isDown = false;
      // Claims of processes that failed are taken over.
      await service.clock.advance(5 * MINUTE);
      const before = service.started.length;
      await service.clock.advance(HOUR);
      expect(service.started.length - before).toBe(36);

      const { items } = await service.runs.listAll({}, { limit: 200 });
      expect(items.length).toBe(service.started.length);
      expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
      const fired = service.events.filter(({ type }) => type === 'schedule.fired');
      const times = fired.map(({ subject, data }) => `${subject.id} ${'dueAt' in data ? data.dueAt : ''}`);
      expect(new Set(times).size).toBe(times.length);
      for (const stored of (await service.store.list({ limit: 9, offset: 0 })).items) {
        expect(stored.fires.filter(({ status }) => status !== 'started')).toEqual([]);
        const own = service.events.filter(({ subject }) => subject.id === stored.schedule.scheduleId);
        // An event whose write was not acknowledged is not told: the number stays.
        expect(own.length).toBeLessThanOrEqual(stored.lastSeq);
      }
    },
  );
});

describe('schedules over both changes of daylight saving, by two processes', () => {
  test.each([
    ['spring', '2026-03-28T20:00:00.000Z', ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']],
    ['autumn', '2026-10-24T20:00:00.000Z', ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']],
  ])('fire once at each time: %s', async (_season, start, expected) => {
    const service = await setUpSchedules({ start, processes: 2 });
    await service.create({ cron: '30 2 * * *', timezone: 'Europe/Berlin', input: { n: 1 } });
    await service.create({ cron: '15 * * * *', timezone: 'Europe/Berlin', input: { n: 2 } });
    await service.clock.advance(30 * HOUR);
    const timesOf = (n: number) =>
      service.started.filter(({ input }) => input['n'] === n).map(({ at }) => at);
    expect(timesOf(1)).toEqual(expected);
    const hourly = Array.from({ length: 30 }, (_, hour) =>
      new Date(Date.parse(start) + hour * HOUR + 15 * MINUTE).toISOString(),
    );
    expect(timesOf(2)).toEqual(hourly);
  });
});
