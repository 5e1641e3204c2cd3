import type { Random } from '../../../src/adapters/evaluation/random.ts';

/**
 * The faults: `replica` a replica is killed, `store` Redis is killed and started again, `both` a replica is killed
 * while Redis hangs, `freeze` Redis hangs, `full` Redis has no memory for writes.
 */
export const faultKinds = ['replica', 'store', 'both', 'freeze', 'full'] as const;

export type FaultKind = (typeof faultKinds)[number];

/** A fault that starts `after` milliseconds after the previous one and lasts for `lasting` milliseconds. */
export interface Fault {
  readonly kind: FaultKind;
  readonly after: number;
  readonly lasting: number;
  /** Index of the replica, from 0. */
  readonly slot: number;
}

export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** The minimum and maximum duration in milliseconds. */
const lasting: Readonly<Record<FaultKind, readonly [number, number]>> = {
  replica: [0, 0],
  store: [0, 800],
  both: [50, 800],
  freeze: [300, 3_000],
  full: [300, 1_200],
};

/** Creates faults in random order, at random times. */
export function planFaults(counts: FaultCounts, slots: number, random: Random): readonly Fault[] {
  const kinds = faultKinds.flatMap((kind) => Array.from({ length: counts[kind] }, () => kind));
  const faults = kinds.map((kind): Fault => {
    const [min, max] = lasting[kind];
    return {
      kind,
      after: 30 + random.next() * 300,
      lasting: min + random.next() * (max - min),
      slot: Math.floor(random.next() * slots),
    };
  });
  return faults
    .map((fault) => ({ fault, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ fault }) => fault);
}

/** The number of faults that kill a process. */
export function killsIn({ replica, store, both }: FaultCounts): number {
  return replica + store + both;
}

/** A random graph of steps, each of which logs a line and waits for a few milliseconds. */
export function randomSteps(random: Random): readonly object[] {
  const count = 2 + Math.floor(random.next() * 6);
  return Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    tool_name: 'log_step',
    depends_on: Array.from({ length: index }, (_, before) => `s${before}`).filter(() => random.flip(0.45)),
    static_input: { ms: Math.floor(5 + random.next() * 40) },
  }));
}
