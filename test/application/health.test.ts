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
      if (!store.reachable) throw unavailable('the store is unavailable');
    },
  };
  return { clock, store, health: createHealth({ clock, storage }, probes) };
}

/** A probe that counts its calls. */
function countingProbe(check: () => Promise<HealthStatus>) {
  const calls = { count: 0 };
  const probe = () => {
    calls.count += 1;
    return check();
  };
  return { calls, probe };
}

const healthy = async (): Promise<HealthStatus> => 'ok';
const failing = async (): Promise<HealthStatus> => 'error';

describe('the health of a service', () => {
  test('without dependencies is ok', async () => {
    const { health } = setUp();
    expect(await health.report()).toEqual({
      status: 'ok',
      uptimeSeconds: 0,
      checks: {
        kvstore: 'not_configured',
        sqlite: 'not_configured',
        postgres: 'not_configured',
        llm: 'not_configured',
      },
    });
  });

  test.each([
    ['ok', healthy, healthy, { kvstore: 'ok', llm: 'ok' }],
    ['degraded', failing, healthy, { kvstore: 'error', llm: 'ok' }],
    ['degraded', healthy, failing, { kvstore: 'ok', llm: 'error' }],
    ['degraded', failing, failing, { kvstore: 'error', llm: 'error' }],
    ['ok', healthy, undefined, { kvstore: 'ok', llm: 'not_configured' }],
    ['degraded', undefined, failing, { kvstore: 'not_configured', llm: 'error' }],
  ] as const)('is %s according to its checks', async (status, kvstore, llm, checks) => {
    const { health } = setUp({ kvstore, llm });
    expect(await health.report()).toMatchObject({ status, checks });
  });

  test.each(['kvstore', 'sqlite', 'postgres'] as const)('has a check of its own for %s', async (name) => {
    const others = { kvstore: 'not_configured', sqlite: 'not_configured', postgres: 'not_configured' };
    const { store, health } = setUp({ [name]: healthy });
    expect(await health.report()).toMatchObject({ status: 'ok', checks: { ...others, [name]: 'ok' } });
    store.reachable = false;
    expect(await health.report()).toMatchObject({
      status: 'degraded',
      checks: { ...others, [name]: 'error' },
    });
  });

  test('tells an outage of the file apart from one of the rate limit in Redis', async () => {
    const { store, health } = setUp({ kvstore: healthy, sqlite: healthy });
    store.reachable = false;
    expect(await health.report()).toMatchObject({ checks: { kvstore: 'ok', sqlite: 'error' } });
    const other = setUp({ kvstore: failing, sqlite: healthy }).health;
    expect(await other.report()).toMatchObject({ checks: { kvstore: 'error', sqlite: 'ok' } });
  });

  test('has the uptime in whole seconds of the monotonic clock', async () => {
    const { clock, health } = setUp();
    await clock.advance(61_999);
    clock.jump(3_600_000);
    expect(await health.report()).toMatchObject({ uptimeSeconds: 61 });
  });

  test('is draining after `drain`, whatever its checks report', async () => {
    const { health } = setUp({ kvstore: failing });
    health.drain();
    expect(await health.report()).toMatchObject({ status: 'draining', checks: { kvstore: 'error' } });
  });
});

describe('a health probe', () => {
  test('is called once in ten seconds for any number of reports', async () => {
    const { calls, probe } = countingProbe(healthy);
    const { clock, health } = setUp({ llm: probe });
    await Promise.all(Array.from({ length: 1_000 }, () => health.report()));
    await clock.advance(9_999);
    await health.report();
    expect(calls.count).toBe(1);
    await clock.advance(1);
    await health.report();
    expect(calls.count).toBe(2);
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
  ])('that %s is reported as an error within a second', async (_name, probe) => {
    const { clock, health } = setUp({ llm: probe });
    const report = health.report();
    await clock.advance(1_000);
    expect(await report).toMatchObject({ status: 'degraded', checks: { llm: 'error' } });
    expect(clock.pending()).toBe(0);
  });

  test('that is late counts only at its next call', async () => {
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

  test('of the store is not called to detect that the store becomes unavailable or available', async () => {
    const { calls, probe } = countingProbe(healthy);
    const { store, health } = setUp({ kvstore: probe });
    expect(await health.report()).toMatchObject({ status: 'ok' });
    store.reachable = false;
    expect(await health.report()).toMatchObject({ status: 'degraded', checks: { kvstore: 'error' } });
    store.reachable = true;
    expect(await health.report()).toMatchObject({ status: 'ok', checks: { kvstore: 'ok' } });
    expect(calls.count).toBe(1);
  });

  test('does not wait for another probe', async () => {
    const { clock, health } = setUp({ kvstore: healthy, llm: () => new Promise(() => {}) });
    const report = health.report();
    await clock.advance(1_000);
    expect(await report).toMatchObject({ checks: { kvstore: 'ok', llm: 'error' } });
  });
});
