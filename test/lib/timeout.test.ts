import { describe, expect, test } from 'vitest';
import { type Bounds, bounded, GivenUpError, isThenable } from '../../src/lib/async/legacy.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';

function setUp(more: Partial<Bounds> = {}) {
  const clock = createFakeClock();
  const caller = new AbortController();
  return { clock, caller, bounds: { clock, timeoutMs: 100, signal: caller.signal, ...more } };
}

const never = () => new Promise<never>(() => {});

/** Something that can be awaited and is no promise. */
function thenable(
  then: (resolve: (value: string) => void, reject: (error: unknown) => void) => void,
  target: object = {},
): PromiseLike<string> {
  return Object.defineProperty(target, 'then', { value: then }) as PromiseLike<string>;
}

/** How a promise settled, or that it has not. */
async function outcomeOf(promise: PromiseLike<unknown>): Promise<unknown> {
  let outcome: unknown = 'pending';
  promise.then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  await settle();
  return outcome;
}

describe('bounded work', () => {
  test.each<[string, unknown]>([
    ['a value', 1],
    ['undefined', undefined],
    ['null', null],
    ['an object whose then is no function', Object.fromEntries([['then', 1]])],
  ])('that returns %s needs no waiting and no timer', (_name, value) => {
    const { clock, bounds } = setUp();
    expect(bounded(() => value, bounds)).toBe(value);
    expect(clock.waits).toEqual([]);
  });

  test('that throws at once does so to its caller', () => {
    const { bounds, clock } = setUp();
    const fail = () => {
      throw new Error('at once');
    };
    expect(() => bounded(fail, bounds)).toThrow('at once');
    expect(clock.pending()).toBe(0);
  });

  test.each<[string, () => PromiseLike<string>]>([
    ['a promise', () => Promise.resolve('done')],
    ['a thenable', () => thenable((resolve) => void Promise.resolve('done').then(resolve))],
    [
      'a thenable that is a function',
      () =>
        thenable(
          (resolve) => resolve('done'),
          () => {},
        ),
    ],
  ])('hands on what %s comes to, and leaves no timer', async (_name, work) => {
    const { clock, bounds } = setUp();
    await expect(bounded(work, bounds)).resolves.toBe('done');
    expect(clock.waits).toEqual([100]);
    expect(clock.pending()).toBe(0);
  });

  test('hands on what a promise rejects with, whatever it is', async () => {
    const { clock, bounds } = setUp();
    for (const error of [new Error('no'), 'text', null, undefined]) {
      await expect(bounded(() => Promise.reject(error), bounds)).rejects.toBe(error);
    }
    expect(clock.pending()).toBe(0);
  });

  test('is given up when its time is over, and no sooner', async () => {
    const { clock, bounds } = setUp();
    const pending = Promise.resolve(bounded(never, bounds));
    await clock.advance(99);
    expect(await outcomeOf(pending)).toBe('pending');
    await clock.advance(1);
    await expect(pending).rejects.toThrow(new GivenUpError('timeout', 'timed out after 100 ms'));
    await expect(pending).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('is given up when its caller no longer wants it, and leaves no timer', async () => {
    const { clock, caller, bounds } = setUp();
    const pending = Promise.resolve(bounded(never, bounds));
    caller.abort();
    await expect(pending).rejects.toMatchObject({ reason: 'interrupted', message: 'interrupted' });
    expect(clock.pending()).toBe(0);
  });

  test('is not begun for a caller that has gone already', () => {
    const { caller, bounds } = setUp();
    caller.abort();
    let begun = false;
    const work = () => {
      begun = true;
    };
    expect(() => bounded(work, bounds)).toThrow(GivenUpError);
    expect(begun).toBe(false);
  });

  test('is given up for a caller that goes while it begins', async () => {
    const { clock, caller, bounds } = setUp();
    const work = () => {
      caller.abort();
      return never();
    };
    await expect(Promise.resolve(bounded(work, bounds))).rejects.toMatchObject({ reason: 'interrupted' });
    expect(clock.pending()).toBe(0);
  });

  test('needs no caller that could go away', async () => {
    const { clock, bounds } = setUp({ signal: undefined });
    const pending = Promise.resolve(bounded(never, bounds));
    const outcome = outcomeOf(pending);
    await clock.advance(100);
    await outcome;
    await expect(pending).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('that comes to an end too late changes nothing any more', async () => {
    const { clock, bounds } = setUp();
    const late = Promise.withResolvers<string>();
    const lateFailure = Promise.withResolvers<string>();
    const pending = [late, lateFailure].map(({ promise }) => Promise.resolve(bounded(() => promise, bounds)));
    const outcomes = Promise.allSettled(pending);
    await clock.advance(100);
    late.resolve('late');
    lateFailure.reject(new Error('late'));
    await settle();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('leaves no timer behind a thenable that throws', async () => {
    const { clock, bounds } = setUp();
    const bad = thenable(() => {
      throw new Error('bad thenable');
    });
    await expect(bounded(() => bad, bounds)).rejects.toThrow('bad thenable');
    expect(clock.pending()).toBe(0);
  });

  test('leaves no listener on the signal of its caller', async () => {
    const { caller, bounds } = setUp();
    let listeners = 0;
    const { signal } = caller;
    const counting = new Proxy(signal, {
      get(target, name) {
        if (name === 'addEventListener') listeners += 1;
        if (name === 'removeEventListener') listeners -= 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    for (let turn = 0; turn < 10; turn++) {
      await bounded(() => Promise.resolve(turn), { ...bounds, signal: counting });
      await Promise.allSettled([bounded(() => Promise.reject(turn), { ...bounds, signal: counting })]);
    }
    expect(listeners).toBe(0);
  });
});

describe('the signal of bounded work', () => {
  test('is aborted with the reason when the work is given up', async () => {
    const { clock, bounds } = setUp();
    let signal: AbortSignal | undefined;
    const pending = bounded((lazy) => {
      signal = lazy.signal;
      return never();
    }, bounds);
    const outcome = outcomeOf(Promise.resolve(pending));
    expect(signal?.aborted).toBe(false);
    await outcome;
    const settled = Promise.allSettled([pending]);
    await clock.advance(100);
    await settled;
    expect(signal?.reason).toBeInstanceOf(GivenUpError);
  });

  test('is aborted already for work that asks for it only when it was given up', async () => {
    const { clock, bounds } = setUp();
    let ask: (() => AbortSignal) | undefined;
    const settled = Promise.allSettled([
      bounded((lazy) => {
        ask = () => lazy.signal;
        return never();
      }, bounds),
    ]);
    await clock.advance(100);
    await settled;
    expect(ask?.().aborted).toBe(true);
  });

  test('is one and the same however often it is asked for, and stays quiet when all goes well', async () => {
    const { clock, bounds } = setUp();
    const signals: AbortSignal[] = [];
    await bounded(async (lazy) => {
      signals.push(lazy.signal, lazy.signal);
    }, bounds);
    await clock.advance(1_000);
    expect(signals[0]).toBe(signals[1]);
    expect(signals[0]?.aborted).toBe(false);
  });
});

describe('a thenable', () => {
  test.each<[unknown, boolean]>([
    [Promise.resolve(), true],
    [null, false],
    [undefined, false],
    ['then', false],
    [Object.fromEntries([['then', true]]), false],
    [thenable(() => {}), true],
  ])('is told from a value: %o', (value, thenable) => {
    expect(isThenable(value)).toBe(thenable);
  });
});
