import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { StoredSchedule } from '../../../src/domain/schedule/schedule.ts';
import { MAX_SCHEDULES } from '../../../src/ports/storage/schedule-store.ts';
import {
  changed,
  hostileSchedule,
  sampleFire,
  sampleSchedule,
} from '../../contracts/schedule-store-samples.ts';
import { type RedisServer, startRedisServer } from '../../support/redis/server.ts';
import { createStoresFactory } from '../../support/redis/stores.ts';

const stores = createStoresFactory();
let server: RedisServer;

beforeAll(async () => {
  server = await startRedisServer();
});
afterEach(() => stores.closeAll());
afterAll(() => server.close());

const make = async (prefix?: string) => {
  const { ports, ...rest } = await stores.make(server.url, prefix === undefined ? {} : { prefix });
  return { ...rest, store: ports.schedules };
};

describe('two replicas with schedules in Redis', () => {
  test('see the same schedules, and one of them changes a revision', async () => {
    const { store: one, prefix } = await make();
    const { store: two } = await make(prefix);
    let stored: StoredSchedule = hostileSchedule('a');
    await Promise.all([one.create(stored), two.create(stored)]);
    expect(await one.list({ limit: 10, offset: 0 })).toMatchObject({ total: 1, items: [stored] });
    for (let round = 0; round < 20; round++) {
      const candidates = Array.from({ length: 10 }, (_, index) =>
        changed(stored, { fires: [sampleFire(`run-${round}-${index}`)] }),
      );
      const outcomes = await Promise.all(
        candidates.map((candidate, index) => (index % 2 === 0 ? one : two).update(candidate)),
      );
      const winners = candidates.filter((_, index) => outcomes[index]);
      expect(winners).toHaveLength(1);
      stored = winners[0] ?? stored;
      expect([await one.get('a'), await two.get('a')]).toEqual([stored, stored]);
    }
    const deleted = await Promise.all([one.delete('a'), two.delete('a')]);
    expect(deleted.toSorted()).toEqual([false, true]);
    expect(await two.list({ limit: 10, offset: 0 })).toMatchObject({ total: 0, items: [] });
  });

  test('do not store more schedules together than the store may have', async () => {
    const { store: one, prefix } = await make();
    const { store: two } = await make(prefix);
    const ids = Array.from({ length: MAX_SCHEDULES - 1 }, (_, index) => `schedule-${index}`);
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? one : two).create(sampleSchedule(id))));
    const outcomes = await Promise.allSettled(
      ['x', 'y'].map((id, index) => (index === 0 ? one : two).create(sampleSchedule(id))),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'conflict' },
    });
    expect(await one.list({ limit: 1, offset: 0 })).toMatchObject({ total: MAX_SCHEDULES });
    await one.create(sampleSchedule('schedule-0'));
    expect(await two.due(Number.MAX_SAFE_INTEGER)).toHaveLength(MAX_SCHEDULES);
  });
});
