import { describe, expect, test } from 'vitest';
import { createRunLog } from '../../../src/application/storage/run-log.ts';
import { sharedTimes } from '../../../src/application/storage/run-owners.ts';
import { runsTable } from '../../../src/application/storage/run-tables.ts';
import { unavailable } from '../../../src/domain/errors.ts';
import type { RunSignal } from '../../../src/domain/run/events.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import type { Store } from '../../../src/ports/storage/store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { sharedMemoryStore } from '../../support/memory.ts';
import {
  append,
  type EventDraft,
  ended,
  endOf,
  newRun,
  numbered,
  running,
  sampleDefinition,
  stepCompleted,
  stepStarted,
} from '../../support/workflow/run-events.ts';

const cancel: RunSignal = { type: 'cancel', by: 'api', reason: null };
const decision: RunSignal = {
  type: 'resolve',
  itemId: 'item-1',
  outcome: 'approved',
  by: 'ann',
  note: null,
  data: {},
  output: null,
};
const runWaits: EventDraft = { type: 'execution.waiting', for: ['recovery'] };
const waits = (wakeAt: number | null = null) => ({
  ...running(),
  status: 'WAITING' as const,
  wakeAt,
  waitingFor: [{ kind: 'recovery' as const, stepId: 'step-0', itemId: 'item-1', until: null }],
});
const unclaimed = (runId: string) => ({ ...newRun(runId), isUnclaimed: true });

/** Long enough for the runs of a process to be found that is gone. */
const GONE_MS = sharedTimes.goneAfterMs + sharedTimes.stableForMs + 2 * sharedTimes.lookEveryMs;

/** Processes that share a store, whose clock the test moves. */
function setUp() {
  const clock = createFakeClock();
  const store = sharedMemoryStore(clock);
  let count = 0;

  /** A process with its own way to the store, which the test may break. */
  function start() {
    const told = {
      abandoned: [] as string[],
      cancels: [] as string[],
      lost: [] as string[],
      signals: [] as string[],
    };
    /** The faults of the commits of the process, and of its own activity. */
    const faults = {
      isAway: false,
      losesReply: false,
      isFrozen: false,
      cannotRead: false,
      afterRead: async () => undefined as unknown,
      whileAbandoned: async () => undefined as unknown,
    };
    const own: Store = {
      ...store,
      async read(...args) {
        if (faults.cannotRead) throw unavailable('the store is away');
        const found = await store.read(...args);
        await faults.afterRead();
        return found;
      },
      async commit(changes, notices) {
        if (faults.isAway) throw unavailable('the store is away');
        const versions = await store.commit(changes, notices);
        if (faults.losesReply) throw unavailable('the reply is lost');
        return versions;
      },
    };
    const after: typeof clock.after = (ms, work) =>
      clock.after(ms, () => (faults.isFrozen ? after(1_000, work) : work()));
    const made = createRunLog({
      store: own,
      clock: { ...clock, now: clock.now, monotonic: clock.monotonic, after },
      random: Math.random,
      logger: silentLogger,
      self: `process-${++count}`,
      digest: (text) => text,
      retentionMs: 1e12,
      times: sharedTimes,
    });
    made.log.listen({
      onSignal: (runId) => told.signals.push(runId),
      onLost: (runId) => told.lost.push(runId),
      async onAbandoned(runId, signal) {
        told.abandoned.push(runId);
        await faults.whileAbandoned();
        if (signal !== undefined) told.cancels.push(runId);
      },
    });
    return { ...made, told, faults };
  }
  return { clock, store, start };
}

describe('a process that is gone', () => {
  test('loses its runs to one other, which learns that they have crashed, and of requests to cancel them', async () => {
    const { clock, start } = setUp();
    const [gone, one, other] = [start(), start(), start()];
    for (const id of ['working', 'to-cancel']) await gone.log.create(newRun(id));
    await append(gone.log, 'working', 1, [stepStarted('step-0')], running());
    await gone.log.create(newRun('released'));
    await gone.log.release('released');
    gone.faults.isFrozen = true;
    expect(await one.log.signal('to-cancel', cancel)).toBe('sent');
    await clock.advance(GONE_MS);
    const abandoned = [...one.told.abandoned, ...other.told.abandoned];
    expect(new Set(abandoned)).toEqual(new Set(['working', 'to-cancel', 'released']));
    expect(new Set([...one.told.cancels, ...other.told.cancels])).toEqual(new Set(['to-cancel']));
    expect(await one.log.claim('working')).toMatchObject({ crashed: true, signals: [] });
    expect(await other.log.claim('working')).toBeUndefined();
    expect(await one.log.claim('to-cancel')).toMatchObject({ crashed: true, signals: [cancel] });
    expect(await one.log.claim('released')).toMatchObject({ crashed: false });
  });

  test('is told of the runs that it has lost when it goes on, and changes nothing of them', async () => {
    const { clock, start } = setUp();
    const [frozen, other] = [start(), start()];
    await frozen.log.create(newRun('a'));
    frozen.faults.isFrozen = true;
    await clock.advance(GONE_MS);
    expect(await other.log.claim('a')).toMatchObject({ crashed: true });
    frozen.faults.isFrozen = false;
    expect(await append(frozen.log, 'a', 1, [stepStarted('step-0')], running())).toBe('conflict');
    await frozen.log.release('a');
    await clock.advance(5_000);
    expect(await append(other.log, 'a', 1, [endOf()], ended())).toBe('appended');
    expect(await other.log.claim('a')).toBeUndefined();
  });

  test('learns by itself that a run is lost of which it writes nothing', async () => {
    const { clock, start } = setUp();
    const [frozen, other] = [start(), start()];
    await frozen.log.create(newRun('a'));
    frozen.faults.isFrozen = true;
    await clock.advance(GONE_MS);
    await other.log.claim('a');
    frozen.faults.isFrozen = false;
    await clock.advance(3_000);
    expect(frozen.told.lost).toEqual(['a']);
  });

  test('learns that also where the first look of it fails', async () => {
    const { clock, start } = setUp();
    const [frozen, other] = [start(), start()];
    await frozen.log.create(newRun('a'));
    frozen.faults.isFrozen = true;
    await clock.advance(GONE_MS);
    await other.log.claim('a');
    frozen.faults.isFrozen = false;
    frozen.faults.cannotRead = true;
    await clock.advance(3_000);
    frozen.faults.cannotRead = false;
    await clock.advance(3_000);
    expect(frozen.told.lost).toEqual(['a']);
  });

  test('takes no runs of others that were frozen with it and go on later', async () => {
    const { clock, start } = setUp();
    const [one, other] = [start(), start()];
    await one.log.create(newRun('a'));
    await clock.advance(GONE_MS);
    for (const { faults } of [one, other]) faults.isFrozen = true;
    await clock.advance(60_000);
    other.faults.isFrozen = false;
    await clock.advance(3_000);
    one.faults.isFrozen = false;
    await clock.advance(GONE_MS);
    expect(other.told.abandoned).toEqual([]);
    expect(await append(one.log, 'a', 1, [endOf()], ended())).toBe('appended');
  });

  test('writes nothing to a run that another one has claimed, however often it tries', async () => {
    const { clock, start } = setUp();
    const [frozen, other] = [start(), start()];
    await frozen.log.create(newRun('a'));
    frozen.faults.isFrozen = true;
    await clock.advance(GONE_MS);
    await other.log.claim('a');
    frozen.faults.isFrozen = false;
    for (let time = 0; time < 3; time++) {
      expect(await append(frozen.log, 'a', 1, [stepStarted('step-0')], running())).toBe('conflict');
    }
    expect(await append(other.log, 'a', 1, [stepStarted('step-0')], running())).toBe('appended');
  });

  test('has lost a run that another one has claimed since an append whose reply was lost', async () => {
    const { clock, start } = setUp();
    const [frozen, other] = [start(), start()];
    await frozen.log.create(newRun('a'));
    const drafts = [stepStarted('step-0')];
    frozen.faults.losesReply = true;
    await expect(append(frozen.log, 'a', 1, drafts, running())).rejects.toThrow('lost');
    frozen.faults.losesReply = false;
    frozen.faults.isFrozen = true;
    await clock.advance(GONE_MS);
    expect(await other.log.claim('a')).toMatchObject({ crashed: true });
    expect(await append(frozen.log, 'a', 1, drafts, running())).toBe('conflict');
    expect(await append(frozen.log, 'a', 2, [stepCompleted('step-0')], running())).toBe('conflict');
    expect(await append(other.log, 'a', 2, [stepCompleted('step-0')], running())).toBe('appended');
  });

  test('keeps a run crashed over a claim and a release without an append', async () => {
    const { clock, start } = setUp();
    const [gone, other] = [start(), start()];
    await gone.log.create(newRun('a'));
    gone.faults.isFrozen = true;
    await clock.advance(GONE_MS);
    for (let time = 0; time < 2; time++) {
      expect(await other.log.claim('a')).toMatchObject({ crashed: true });
      await other.log.release('a');
    }
    await other.log.claim('a');
    await append(other.log, 'a', 1, [stepStarted('step-0')], running());
    await other.log.release('a');
    expect(await other.log.claim('a')).toMatchObject({ crashed: false });
  });

  test('is known at once where it has closed', async () => {
    const { clock, start } = setUp();
    const [closed, other] = [start(), start()];
    await clock.advance(sharedTimes.stableForMs + 1_000);
    await closed.log.create(newRun('a'));
    await closed.close();
    await clock.advance(sharedTimes.lookEveryMs + 1_000);
    expect(other.told.abandoned).toEqual(['a']);
  });

  test('leaves a run that waits as it is, of whose decision another one is told', async () => {
    const { clock, start } = setUp();
    const [gone, other] = [start(), start()];
    await gone.log.create(newRun('a'));
    await append(gone.log, 'a', 1, [runWaits], waits());
    expect(await gone.log.claim('a')).toBeDefined();
    gone.faults.isFrozen = true;
    expect(await other.log.signal('a', decision)).toBe('sent');
    await clock.advance(GONE_MS);
    expect(other.told).toMatchObject({ abandoned: [], signals: expect.arrayContaining(['a']) });
    expect(await other.log.claim('a')).toMatchObject({ signals: [decision] });
  });
});

describe('the runs of a process that lives', () => {
  test('are never taken from it, however long the others look', async () => {
    const { clock, start } = setUp();
    const [owner, other] = [start(), start()];
    await owner.log.create(newRun('a'));
    await clock.advance(10 * GONE_MS);
    expect(other.told.abandoned).toEqual([]);
    expect(await other.log.claim('a')).toBeUndefined();
    expect(await append(owner.log, 'a', 1, [endOf()], ended())).toBe('appended');
  });

  test('are not taken after an outage in which nobody could show a sign of life', async () => {
    const { clock, start } = setUp();
    const [owner, other] = [start(), start()];
    await owner.log.create(newRun('a'));
    await clock.advance(GONE_MS);
    for (const { faults } of [owner, other]) faults.isAway = true;
    await clock.advance(60_000);
    other.faults.isAway = false;
    await clock.advance(2_000);
    owner.faults.isAway = false;
    await clock.advance(GONE_MS);
    expect(other.told.abandoned).toEqual([]);
    expect(await append(owner.log, 'a', 1, [endOf()], ended())).toBe('appended');
  });

  test('get the signals that others have sent, also where the notice was lost', async () => {
    const { clock, store, start } = setUp();
    const [owner, other] = [start(), start()];
    await owner.log.create(newRun('a'));
    expect(await other.log.signal('a', cancel)).toBe('sent');
    await clock.advance(0);
    expect(owner.told.signals).toEqual(['a']);
    await owner.log.create(newRun('b'));
    const [stored] = await store.read(runsTable, ['b']);
    expect(stored?.row.signals).toEqual([]);
    const quiet = { ...store, commit: (changes: Parameters<Store['commit']>[0]) => store.commit(changes) };
    const deaf = createRunLog({
      store: quiet,
      clock,
      random: Math.random,
      logger: silentLogger,
      self: 'deaf',
      digest: (text: string) => text,
      retentionMs: 1e12,
      times: sharedTimes,
    });
    await deaf.log.signal('b', cancel);
    await clock.advance(sharedTimes.lookEveryMs + 2_000);
    expect(owner.told.signals).toContain('b');
    expect(await append(owner.log, 'b', 1, [endOf()], ended())).toBe('signalled');
  });
});

describe('the runs of a process that is busy', () => {
  test('are not taken from it while it takes over those of another one', async () => {
    const { clock, start } = setUp();
    const [gone, busy, other] = [start(), start(), start()];
    for (const [{ log }, id] of [[gone, 'a'] as const, [busy, 'b'] as const]) await log.create(newRun(id));
    busy.faults.whileAbandoned = () => new Promise(() => undefined);
    gone.faults.isFrozen = true;
    await clock.advance(GONE_MS);
    expect(busy.told.abandoned).toEqual(['a']);
    await clock.advance(2 * GONE_MS);
    expect(other.told.abandoned).not.toContain('b');
    expect(await append(busy.log, 'b', 1, [endOf()], ended())).toBe('appended');
  });

  test('get their signals however often it appends', async () => {
    const { clock, start } = setUp();
    const [owner, other] = [start(), start()];
    await owner.log.create(newRun('a'));
    let seq = 1;
    owner.faults.afterRead = async () => {
      const { afterRead } = owner.faults;
      owner.faults.afterRead = async () => undefined;
      expect(await append(owner.log, 'a', seq++, [stepStarted('step-0')], running())).toBe('appended');
      owner.faults.afterRead = afterRead;
    };
    expect(await other.log.signal('a', cancel)).toBe('sent');
    await clock.advance(2 * sharedTimes.lookEveryMs);
    expect(seq).toBeGreaterThan(1);
    expect(owner.told.signals).toContain('a');
  });
});

test('a run is readable whose definition was given before to a run that could not be created', async () => {
  const { start } = setUp();
  const { log, faults } = start();
  await log.create(newRun('first', {}, sampleDefinition('other')));
  expect(await log.create(newRun('first'))).toBe(false);
  expect(await log.create(newRun('second'))).toBe(true);
  expect(await log.get('second')).toMatchObject({ definition: sampleDefinition() });
  faults.isAway = true;
  await expect(log.create(newRun('third', {}, sampleDefinition('third')))).rejects.toThrow('away');
  faults.isAway = false;
  await log.create(newRun('third', {}, sampleDefinition('third')));
  expect(await log.get('third')).toMatchObject({ definition: sampleDefinition('third') });
});

test('a run whose log cannot be read once it is claimed can be claimed again', async () => {
  const { clock, start } = setUp();
  const [one, other] = [start(), start()];
  await one.log.create(unclaimed('a'));
  let reads = 0;
  one.faults.afterRead = async () => {
    if (++reads > 1) throw unavailable('the store is away');
  };
  await expect(one.log.claim('a')).rejects.toThrow('away');
  one.faults.afterRead = async () => undefined;
  expect(await other.log.claim('a')).toBeUndefined();
  expect(await one.log.claim('a')).toMatchObject({ crashed: false });
  await one.log.release('a');
  reads = 0;
  one.faults.afterRead = async () => {
    if (++reads > 1) throw unavailable('the store is away');
  };
  await expect(one.log.claim('a')).rejects.toThrow('away');
  one.faults.afterRead = async () => undefined;
  await clock.advance(3 * sharedTimes.lookEveryMs);
  expect([...one.told.abandoned, ...other.told.abandoned]).toEqual(['a']);
  expect(await other.log.claim('a')).toBeDefined();
});

describe('a reply that is lost', () => {
  test('lets an append be repeated, also with more events, without doubles', async () => {
    const { start } = setUp();
    const { log, faults } = start();
    await log.create(newRun('a'));
    const drafts = [stepStarted('step-0'), stepCompleted('step-0'), endOf()];
    faults.losesReply = true;
    await expect(append(log, 'a', 1, drafts.slice(0, 1), running())).rejects.toThrow('lost');
    await expect(append(log, 'a', 1, drafts.slice(0, 2), running())).rejects.toThrow('lost');
    await expect(append(log, 'a', 1, drafts, ended())).rejects.toThrow('lost');
    faults.losesReply = false;
    expect(await append(log, 'a', 1, drafts, ended())).toBe('appended');
    expect((await log.get('a'))?.events.slice(1)).toEqual(numbered(2, drafts));
    expect(await log.summary('a')).toMatchObject({ status: 'COMPLETED' });
  });

  test('is a conflict where other events are stored than those that are repeated', async () => {
    const { start } = setUp();
    const { log, faults } = start();
    await log.create(newRun('a'));
    faults.losesReply = true;
    await expect(append(log, 'a', 1, [stepStarted('step-0')], running())).rejects.toThrow('lost');
    faults.losesReply = false;
    expect(await append(log, 'a', 1, [stepStarted('step-1')], running())).toBe('conflict');
  });

  test('of a claim leaves the run to be claimed again', async () => {
    const { clock, start } = setUp();
    const [first, other] = [start(), start()];
    await first.log.create(unclaimed('a'));
    await clock.advance(1_000);
    first.faults.losesReply = true;
    await expect(first.log.claim('a')).rejects.toThrow('lost');
    first.faults.losesReply = false;
    expect(await other.log.claim('a')).toBeUndefined();
    expect(await first.log.claim('a')).toMatchObject({ crashed: false });
  });

  test('of a release leaves a run that nobody knows, which is found', async () => {
    const { clock, start } = setUp();
    const [first, other] = [start(), start()];
    await first.log.create(newRun('a'));
    first.faults.isAway = true;
    await expect(first.log.release('a')).rejects.toThrow('away');
    first.faults.isAway = false;
    await clock.advance(3 * sharedTimes.lookEveryMs);
    expect([...first.told.abandoned, ...other.told.abandoned]).toEqual(['a']);
    expect(await other.log.claim('a')).toBeDefined();
  });
});

test('a run that nobody claims is told to one process at a time, again and again', async () => {
  const { clock, start } = setUp();
  const processes = [start(), start(), start()];
  await processes[0]?.log.create(unclaimed('a'));
  await clock.advance(sharedTimes.freeForMs + sharedTimes.lookEveryMs + 1_000);
  const told = () => processes.flatMap(({ told }) => told.abandoned);
  expect(told()).toEqual(['a']);
  await clock.advance(sharedTimes.freeForMs + sharedTimes.lookEveryMs);
  expect(told()).toEqual(['a', 'a']);
});

test('of 20 processes that claim a run at once, one gets it', async () => {
  const { start } = setUp();
  const processes = Array.from({ length: 20 }, start);
  await processes[0]?.log.create(unclaimed('a'));
  const claims = await Promise.all(processes.map(({ log }) => log.claim('a')));
  expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
});
