import { systemClock } from '../../src/adapters/shared/system.ts';
import type { StorageParts } from '../../src/application/storage/update.ts';
import { unavailable } from '../../src/domain/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Store } from '../../src/ports/storage/store.ts';
import { sharedMemoryStore } from './memory.ts';

/** The store as one process sees it: it can be away for this process alone. */
export interface ProcessStore extends Store {
  /** Lets every command reject from now on. */
  leave(): void;
  /** Ends that. */
  return(): void;
  /** Ends that, and tells the process. */
  comeBack(): void;
  /** Lets the next commit be written, and its reply be lost. */
  loseReply(): void;
  /** The number of commits so far, those that failed included. */
  readonly commits: number;
  /** The number of listings so far. */
  readonly ranges: number;
}

/** The parts with which one process stores, in an engine that it may share with others. */
export interface ProcessParts extends StorageParts {
  readonly store: ProcessStore;
}

/** The parts of a process, alone where no engine is given. */
export function storageParts(clock: Clock = systemClock, engine = sharedMemoryStore(clock)): ProcessParts {
  return { clock, random: Math.random, store: createProcessStore(engine) };
}

/** The parts of several processes that share an engine. */
export function sharedParts(count: number, clock: Clock = systemClock): readonly ProcessParts[] {
  const engine = sharedMemoryStore(clock);
  return Array.from({ length: count }, () => storageParts(clock, engine));
}

function createProcessStore(engine: Store): ProcessStore {
  const callbacks: (() => void)[] = [];
  let isAway = false;
  let losesReply = false;
  let commits = 0;
  let ranges = 0;

  function assertAvailable(): void {
    if (isAway) throw unavailable('the store is away');
  }

  /** As a call over a network: in a later turn, and only while the store is there. */
  async function call<T>(work: () => Promise<T>): Promise<T> {
    await new Promise((resolve) => setImmediate(resolve));
    assertAvailable();
    return work();
  }

  return {
    assertAvailable,
    now: engine.now,
    watch: engine.watch,
    read: (...args) => call(() => engine.read(...args)),
    async commit(...args) {
      commits += 1;
      const versions = await call(() => engine.commit(...args));
      if (!losesReply) return versions;
      losesReply = false;
      throw unavailable('the reply was lost');
    },
    range(...args) {
      ranges += 1;
      return call(() => engine.range(...args));
    },
    count: (...args) => call(() => engine.count(...args)),
    take: (...args) => call(() => engine.take(...args)),
    move: (...args) => call(() => engine.move(...args)),
    events: (...args) => call(() => engine.events(...args)),
    removeExpired: (...args) => call(() => engine.removeExpired(...args)),
    onAvailable: (callback) => void callbacks.push(callback),
    leave() {
      isAway = true;
    },
    return() {
      isAway = false;
    },
    comeBack() {
      isAway = false;
      for (const callback of callbacks) callback();
    },
    loseReply() {
      losesReply = true;
    },
    get commits() {
      return commits;
    },
    get ranges() {
      return ranges;
    },
  };
}
