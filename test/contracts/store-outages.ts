import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/adapters/shared/system.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { HealthProbe } from '../../src/ports/health-probe.ts';
import { type Store, write } from '../../src/ports/storage/store.ts';
import type { RecordingLogger } from '../support/fakes.ts';
import { startTcpProxy, type TcpProxy } from '../support/redis/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { type Job, jobs } from './store.ts';

/** A store whose server can be away. */
export interface RemoteStore {
  readonly store: Store;
  readonly probe: HealthProbe;
  close(): Promise<void>;
  readonly logger: RecordingLogger;
  /** The part of the server that this store has for itself. */
  readonly place: string;
}

export interface RemoteStoreOptions {
  /** True for short times, which a busy machine needs more than. */
  readonly isQuick?: boolean;
  /** The port of a proxy in place of the server's. */
  readonly port?: number;
  /** The place of another store. */
  readonly place?: string;
  readonly clock?: Clock;
}

/** The server of a test file, and the stores on it. */
export interface OutageRig {
  server(): {
    readonly port: number;
    kill(): Promise<void>;
    restart(): Promise<void>;
    freeze(): void | Promise<void>;
    thaw(): void;
  };
  /** Creates and starts a store, which the tests of the adapter close. */
  make(options?: RemoteStoreOptions): Promise<RemoteStore>;
  /** The timeout of a store with short times, in milliseconds. */
  readonly quickTimeoutMs: number;
}

type Available = Pick<RemoteStore, 'store' | 'probe'>;

export async function isAvailable({ store, probe }: Available): Promise<boolean> {
  try {
    store.assertAvailable();
    return (await probe()) === 'ok';
  } catch {
    return false;
  }
}

export const untilAvailable = (one: Available) => until('the store is available', () => isAvailable(one));
export const untilUnavailable = (one: Available) =>
  until('the store is unavailable', async () => !(await isAvailable(one)));

/** The outcome of every member of the store; `hangs` for one that takes longer than five seconds. */
export function outcomes(store: Store): Promise<string[]> {
  return outcomesOf([
    store.read(jobs, ['a']),
    store.commit([write(jobs, 'meanwhile', {})]),
    store.range(jobs, { limit: 1 }),
    store.count(jobs, {}),
    store.take(jobs, { index: 'due', until: 0, to: 0, limit: 1 }),
    store.move(jobs, {}, 'due', 0),
    store.events(jobs, 'a', 0, 1),
    store.removeExpired(jobs, 1),
  ]);
}

async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const inTime = new Promise<string>((resolve) => setTimeout(() => resolve('hangs'), 5_000));
  const outcome = (pending: Promise<unknown>) =>
    Promise.race([
      inTime,
      pending.then(
        () => 'served',
        (error: { code?: string }) => error.code ?? 'an unknown error',
      ),
    ]);
  return Promise.all(calls.map(outcome));
}

export const allUnavailable = Array.from({ length: 8 }, () => 'unavailable');
const allServed = Array.from({ length: 8 }, () => 'served');

/** Expects that a store which knows that its server is away refuses every call, also one without work. */
export async function expectUnavailable(store: Store): Promise<void> {
  expect(await outcomes(store)).toEqual(allUnavailable);
  const empty = [
    store.read(jobs, []),
    store.commit([]),
    store.range(jobs, { where: { owner: [] }, limit: 1 }),
  ];
  expect(await outcomesOf(empty)).toEqual(['unavailable', 'unavailable', 'unavailable']);
}

export async function readRow(store: Store, id: string): Promise<Job | undefined> {
  const [found] = await store.read(jobs, [id]);
  return found?.row;
}

/** The promises of every store on a server while that server, or the network to it, is away. */
export function storeOutagesContract(name: string, { server, make, quickTimeoutMs }: OutageRig): void {
  async function makeAvailable(options?: RemoteStoreOptions): Promise<RemoteStore> {
    const one = await make(options);
    await untilAvailable(one);
    return one;
  }

  describe(`${name} whose server has crashed`, () => {
    test('is unavailable until it is back, with all that was acknowledged', async () => {
      const one = await makeAvailable();
      const { store, probe, logger } = one;
      const onAvailable = vi.fn();
      store.onAvailable(onAvailable);
      await store.commit([write(jobs, 'a', { count: 1 })]);
      const lines = logger.lines.length;
      expect(logger.lines.at(-1)?.message).toBe('the store is available');
      await server().kill();
      await untilUnavailable(one);
      await expectUnavailable(store);
      expect(() => store.assertAvailable()).toThrow(
        expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 }),
      );
      expect(await probe()).toBe('error');
      expect(onAvailable).not.toHaveBeenCalled();
      await server().restart();
      await untilAvailable(one);
      expect(onAvailable).toHaveBeenCalledOnce();
      expect(await readRow(store, 'a')).toEqual({ count: 1 });
      expect(await readRow(store, 'meanwhile')).toBeUndefined();
      expect(logger.lines.slice(lines).map(({ message }) => message)).toEqual([
        'the store is not available',
        'the store is available',
      ]);
    });

    test('never repeats a version or a position', async () => {
      const one = await makeAvailable();
      const before = await one.store.commit([write(jobs, 'a', {})]);
      await server().kill();
      await untilUnavailable(one);
      await server().restart();
      await untilAvailable(one);
      const after = await one.store.commit([write(jobs, 'a', {})]);
      expect(after?.[0]).toBeGreaterThan(before?.[0] ?? Infinity);
    });

    test('starts without it, and serves when it comes', async () => {
      await server().kill();
      const startedAt = performance.now();
      const one = await make();
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      await expectUnavailable(one.store);
      expect(one.logger.lines).toContainEqual(
        expect.objectContaining({ level: 'warn', reason: 'ECONNREFUSED' }),
      );
      await server().restart();
      await untilAvailable(one);
      expect(await one.store.commit([write(jobs, 'a', {})])).toHaveLength(1);
    });
  });

  describe(`${name} whose server is suspended`, () => {
    afterEach(() => server().thaw());

    test('is unavailable within the timeout, then at once, and serves again when it goes on', async () => {
      const one = await makeAvailable({ isQuick: true });
      await one.store.commit([write(jobs, 'a', { count: 1 })]);
      await server().freeze();
      expect(await outcomes(one.store)).not.toContain('hangs');
      await untilUnavailable(one);
      const askedAt = performance.now();
      expect(await outcomes(one.store)).toEqual(allUnavailable);
      expect(performance.now() - askedAt).toBeLessThan(quickTimeoutMs);
      await expectUnavailable(one.store);
      server().thaw();
      await untilAvailable(one);
      expect(await readRow(one.store, 'a')).toEqual({ count: 1 });
      expect(await outcomes(one.store)).toEqual(allServed);
    });

    test('starts in time', async () => {
      await server().freeze();
      const startedAt = performance.now();
      const one = await make({ isQuick: true });
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      expect(await isAvailable(one)).toBe(false);
      server().thaw();
      await untilAvailable(one);
    });

    test('ends in time', async () => {
      const one = await makeAvailable({ isQuick: true });
      await server().freeze();
      const reading = one.store.read(jobs, ['a']).catch((error: { code: string }) => error.code);
      const endedAt = performance.now();
      await one.close();
      expect(performance.now() - endedAt).toBeLessThan(5_000);
      expect(await reading).toBe('unavailable');
    });
  });

  describe(`${name} whose network`, () => {
    let proxy: TcpProxy;

    async function makeOverProxy(): Promise<RemoteStore> {
      proxy = await startTcpProxy(server().port);
      return makeAvailable({ isQuick: true, port: proxy.port });
    }

    afterEach(() => proxy.close());

    test.each(['down', 'silent', 'mute'] as const)('is %s is unavailable for that time', async (mode) => {
      const one = await makeOverProxy();
      await one.store.commit([write(jobs, 'a', {})]);
      proxy.setMode(mode);
      await untilUnavailable(one);
      await expectUnavailable(one.store);
      proxy.setMode('pass');
      await untilAvailable(one);
      const writes = Array.from({ length: 20 }, (_, number) =>
        one.store.commit([write(jobs, `row-${number}`, {})]),
      );
      await Promise.all(writes);
      expect(await one.store.count(jobs, {})).toBe(21);
    });

    test('loses notices tells listeners to look', async () => {
      const one = await makeOverProxy();
      const other = await makeAvailable({ place: one.place });
      const texts: (string | undefined)[] = [];
      one.store.watch('topic', (text) => texts.push(text));
      await vi.waitFor(() => expect(texts).toContain(undefined), { timeout: 15_000 });
      texts.length = 0;
      proxy.setMode('down');
      await untilUnavailable(one);
      await other.store.commit([], [{ topic: 'topic', text: 'lost' }]);
      proxy.setMode('pass');
      await vi.waitFor(() => expect(texts).toContain(undefined), { timeout: 15_000 });
      await other.store.commit([], [{ topic: 'topic', text: 'a' }]);
      await vi.waitFor(() => expect(texts).toContain('a'), { timeout: 15_000 });
      expect(texts).not.toContain('lost');
    });
  });

  test(`${name} has the time of its server, however wrong the own clock is`, async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
    const one = await makeAvailable({ clock });
    expect(Math.abs(one.store.now() - systemClock.now())).toBeLessThan(1_000);
  });
}
