import type { Random } from '../../../src/adapters/evaluation/random.ts';

/**
 * What happens to the service or its store: `replica` one process is killed, `store` Redis is killed and started
 * again, `both` a process is killed while Redis hangs, `freeze` Redis hangs, `full` Redis takes no more writes.
 */
export const faultKinds = ['replica', 'store', 'both', 'freeze', 'full'] as const;

export type FaultKind = (typeof faultKinds)[number];

/** One fault: `after` milliseconds from the last it begins, and lasts for `lasting`. */
export interface Fault {
  readonly kind: FaultKind;
  readonly after: number;
  readonly lasting: number;
  /** Which replica is meant, from 0. */
  readonly slot: number;
}

export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** How long the store is away or hangs, in milliseconds, at least and at most. */
const lasting: Readonly<Record<FaultKind, readonly [number, number]>> = {
  replica: [0, 0],
  store: [0, 800],
  both: [50, 800],
  freeze: [300, 3_000],
  full: [300, 1_200],
};

/** Faults in a random order, at random moments. */
export function planFaults(counts: FaultCounts, slots: number, chance: Random): readonly Fault[] {
  const kinds = faultKinds.flatMap((kind) => Array.from({ length: counts[kind] }, () => kind));
  const faults = kinds.map((kind): Fault => {
    const [least, most] = lasting[kind];
    return {
      kind,
      after: 30 + chance.next() * 300,
      lasting: least + chance.next() * (most - least),
      slot: Math.floor(chance.next() * slots),
    };
  });
  return faults
    .map((fault) => ({ fault, place: chance.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ fault }) => fault);
}

/** How many faults kill something. */
export function killsIn({ replica, store, both }: FaultCounts): number {
  return replica + store + both;
}

/** The graph of steps that a workflow is made of: each waits a little, and leaves a line of what it did. */
export function randomSteps(chance: Random): readonly object[] {
  const count = 2 + Math.floor(chance.next() * 6);
  return Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    tool_name: 'leave_line',
    depends_on: Array.from({ length: index }, (_, before) => `s${before}`).filter(() => chance.flip(0.45)),
    static_input: { ms: Math.floor(5 + chance.next() * 40) },
  }));
}
