import { describe, expect, test } from 'vitest';
import { AbortError, TimeoutError, withTimeout } from '../../../src/lib/async/timeout.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';

function setUp() {
  const clock = createFakeClock();
  const caller = new AbortController();
  return { clock, caller, options: { clock, timeoutMs: 100, signal: caller.signal } };
}

const never = () => new Promise<never>(() => {});

describe('work with a time-out', () => {
  test.each<[string, unknown]>([
    ['a value', 1],
    ['undefined', undefined],
    ['null', null],
    ['an object whose then is no function', Object.fromEntries([['then', 1]])],
  ])('that returns %s needs no timer', async (_name, value) => {
    const { clock, options } = setUp();
    expect(await withTimeout(() => value, options)).toBe(value);
    expect(clock.waits).toEqual([]);
  });

  test('rejects with what it throws', async () => {
    const { clock, options } = setUp();
    const fail = () => {
      throw new Error('at once');
    };
    await expect(withTimeout(fail, options)).rejects.toThrow('at once');
    expect(clock.pending()).toBe(0);
  });

  test('resolves with the value of its promise and leaves no timer', async () => {
    const { clock, options } = setUp();
    expect(await withTimeout(async () => 'done', options)).toBe('done');
    expect(clock.waits).toEqual([100]);
    expect(clock.pending()).toBe(0);
  });

  test('rejects with the reason of its promise, whatever it is, and leaves no timer', async () => {
    const { clock, options } = setUp();
    for (const error of [new Error('no'), 'text', null, undefined]) {
      await expect(withTimeout(() => Promise.reject(error), options)).rejects.toBe(error);
    }
    expect(clock.pending()).toBe(0);
  });

  test('rejects when its time is over, and no sooner', async () => {
    const { clock, options } = setUp();
    let settled = false;
    const pending = withTimeout(never, options).finally(() => {
      settled = true;
    });
    const outcome = expect(pending).rejects.toThrow(new TimeoutError(100));
    await clock.advance(99);
    expect(settled).toBe(false);
    await clock.advance(1);
    await outcome;
    await expect(pending).rejects.toThrow('timed out after 100 ms');
  });

  test('rejects when its caller aborts, and leaves no timer', async () => {
    const { clock, caller, options } = setUp();
    const pending = withTimeout(never, options);
    caller.abort();
    await expect(pending).rejects.toThrow(new AbortError());
    expect(clock.pending()).toBe(0);
  });

  test('does not start for a caller that has aborted before', async () => {
    const { caller, options } = setUp();
    caller.abort();
    let started = false;
    const work = () => {
      started = true;
    };
    await expect(withTimeout(work, options)).rejects.toThrow(AbortError);
    expect(started).toBe(false);
  });

  test('rejects for a caller that aborts while it starts', async () => {
    const { clock, caller, options } = setUp();
    const work = () => {
      caller.abort();
      return never();
    };
    await expect(withTimeout(work, options)).rejects.toThrow(AbortError);
    expect(clock.pending()).toBe(0);
  });

  test('times out without a caller that could abort', async () => {
    const { clock } = setUp();
    const outcome = expect(withTimeout(never, { clock, timeoutMs: 100 })).rejects.toThrow(TimeoutError);
    await clock.advance(100);
    await outcome;
  });

  test('that ends too late changes nothing', async () => {
    const { clock, options } = setUp();
    const late = Promise.withResolvers<string>();
    const lateFailure = Promise.withResolvers<string>();
    const outcomes = Promise.allSettled(
      [late, lateFailure].map(({ promise }) => withTimeout(() => promise, options)),
    );
    await clock.advance(100);
    late.resolve('late');
    lateFailure.reject(new Error('late'));
    await settle();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('the signal of work with a time-out', () => {
  test('is aborted with the error when the time is over', async () => {
    const { clock, options } = setUp();
    let seen: AbortSignal | undefined;
    const outcome = Promise.allSettled([
      withTimeout((signal) => {
        seen = signal;
        return never();
      }, options),
    ]);
    expect(seen?.aborted).toBe(false);
    await clock.advance(100);
    await outcome;
    expect(seen?.reason).toBeInstanceOf(TimeoutError);
  });

  test('is aborted with the error when the caller aborts', async () => {
    const { caller, options } = setUp();
    let seen: AbortSignal | undefined;
    const outcome = Promise.allSettled([
      withTimeout((signal) => {
        seen = signal;
        return never();
      }, options),
    ]);
    caller.abort();
    await outcome;
    expect(seen?.reason).toBeInstanceOf(AbortError);
  });

  test('is not aborted when the work succeeds', async () => {
    const { clock, options } = setUp();
    let seen: AbortSignal | undefined;
    await withTimeout(async (signal) => {
      seen = signal;
    }, options);
    await clock.advance(1_000);
    expect(seen?.aborted).toBe(false);
  });
});
