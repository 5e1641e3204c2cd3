import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWakeHeap, type WakeEntry } from '../../../src/adapters/memory/run-log/wake-heap.ts';

const commands = fc.array(
  fc.record({
    /** Adds an entry at this time; removes one where it is negative. */
    time: fc.integer({ min: -30, max: 50 }),
    before: fc.integer({ min: 0, max: 60 }),
    limit: fc.nat({ max: 12 }),
  }),
  { maxLength: 200, size: 'max' },
);

test('a heap shows the earliest entries, whatever was added and removed before', () => {
  fc.assert(
    fc.property(commands, (list) => {
      const heap = createWakeHeap<number>();
      const entries: WakeEntry<number>[] = [];
      for (const [number, { time, before, limit }] of list.entries()) {
        if (time >= 0) entries.push(heap.add(number, time, number));
        else for (const entry of entries.splice(-time % (entries.length + 1), 1)) heap.remove(entry);
        const expected = entries
          .filter(({ wakeAt }) => wakeAt < before)
          .sort((one, other) => one.wakeAt - other.wakeAt || one.position - other.position)
          .slice(0, limit);
        expect(heap.firstBefore(before, limit).map(({ value }) => value)).toEqual(
          expected.map(({ value }) => value),
        );
      }
    }),
  );
});
