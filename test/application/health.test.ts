import { describe, expect, test } from 'vitest';
import { createHealth, type HealthProbes } from '../../src/application/health.ts';
import { unavailable } from '../../src/domain/errors.ts';
import type { HealthStatus } from '../../src/ports/health-probe.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function setUp(probes: HealthProbes = {}) {
  const clock = createFakeClock();
  const store = { reachable: true };
  const storage = {
    assertAvailable() {
      if (!store.reachable) throw unavailable('the store is away');
    },
  };
  return { clock, store, health: createHealth({ clock, storage }, probes) };
}

/** A probe that counts how often it is asked. */
function probe(answer: () => Promise<HealthStatus>) {
  const asked = { times: 0 };
  const ask = () => {
    asked.times += 1;
    return answer();
  };
  return { asked, ask };
}

const healthy = async (): Promise<HealthStatus> => 'ok';
const failing = async (): Promise<HealthStatus> => 'error';

describe('the health of a service', () => {
  test('that depends on nothing is ok', async () => {
    const { health } = setUp();
    expect(await health.report()).toEqual({
      status: 'ok',
      uptimeSeconds: 0,
      checks: { kvstore: 'not_configured', llm: 'not_configured' },
    });
  });

  test.each([
    ['ok', healthy, healthy, { kvstore: 'ok', llm: 'ok' }],
    ['degraded', failing, healthy, { kvstore: 'error', llm: 'ok' }],
    ['degraded', healthy, failing, { kvstore: 'ok', llm: 'error' }],
    ['degraded', failing, failing, { kvstore: 'error', llm: 'error' }],
    ['ok', healthy, undefined, { kvstore: 'ok', llm: 'not_configured' }],
    ['degraded', undefined, failing, { kvstore: 'not_configured', llm: 'error' }],
  ] as const)('is %s as its checks are', async (status, kvstore, llm, checks) => {
    const { health } = setUp({ kvstore, llm });
    expect(await health.report()).toMatchObject({ status, checks });
  });

  test('counts whole seconds since it began, by the monotonic clock', async () => {
    const { clock, health } = setUp();
    await clock.advance(61_999);
    clock.jump(3_600_000);
    expect(await health.report()).toMatchObject({ uptimeSeconds: 61 });
  });

  test('is draining from the moment that it takes no more work, whatever its checks say', async () => {
    const { health } = setUp({ kvstore: failing });
    health.drain();
    expect(await health.report()).toMatchObject({ status: 'draining', checks: { kvstore: 'error' } });
  });
});

describe('a health probe', () => {
  test('is asked once in ten seconds, however many ask for a report', async () => {
    const { asked, ask } = probe(healthy);
    const { clock, health } = setUp({ llm: ask });
    await Promise.all(Array.from({ length: 1_000 }, () => health.report()));
    await clock.advance(9_999);
    await health.report();
    expect(asked.times).toBe(1);
    await clock.advance(1);
    await health.report();
    expect(asked.times).toBe(2);
  });

  test.each<[string, () => Promise<HealthStatus>]>([
    ['hangs', () => new Promise(() => {})],
    ['rejects', () => Promise.reject(new Error('secret'))],
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
  ])('that %s is an error within a second, and leaves no timer', async (_name, answer) => {
    const { clock, health } = setUp({ llm: answer });
    const report = health.report();
    await clock.advance(1_000);
    expect(await report).toMatchObject({ status: 'degraded', checks: { llm: 'error' } });
    expect(clock.pending()).toBe(0);
  });

  test('that answers late counts only when it is asked again', async () => {
    const answers = [Promise.withResolvers<HealthStatus>(), Promise.withResolvers<HealthStatus>()];
    let turn = 0;
    const { clock, health } = setUp({ llm: () => answers[turn++]?.promise ?? failing() });
    const first = health.report();
    await clock.advance(1_000);
    answers[0]?.resolve('ok');
    expect(await first).toMatchObject({ checks: { llm: 'error' } });
    expect(await health.report()).toMatchObject({ checks: { llm: 'error' } });
    await clock.advance(9_000);
    answers[1]?.resolve('ok');
    expect(await health.report()).toMatchObject({ status: 'ok', checks: { llm: 'ok' } });
  });

  test('of the store is not needed to see that the store is away, nor that it is back', async () => {
    const { asked, ask } = probe(healthy);
    const { store, health } = setUp({ kvstore: ask });
    expect(await health.report()).toMatchObject({ status: 'ok' });
    store.reachable = false;
    expect(await health.report()).toMatchObject({ status: 'degraded', checks: { kvstore: 'error' } });
    store.reachable = true;
    expect(await health.report()).toMatchObject({ status: 'ok', checks: { kvstore: 'ok' } });
    expect(asked.times).toBe(1);
  });

  test('of one thing does not wait for that of another', async () => {
    const { clock, health } = setUp({ kvstore: healthy, llm: () => new Promise(() => {}) });
    const report = health.report();
    await clock.advance(1_000);
    expect(await report).toMatchObject({ checks: { kvstore: 'ok', llm: 'error' } });
  });
});
