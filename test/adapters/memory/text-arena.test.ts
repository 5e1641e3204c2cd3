import { describe, expect, test } from 'vitest';
import { createTextSlabs } from '../../../src/adapters/memory/text-arena.ts';

describe('texts kept in slabs', () => {
  test('come back as they were, whatever they are written in', () => {
    const slabs = createTextSlabs(100);
    const texts = [
      '',
      'plain',
      'größer',
      '☃'.repeat(33),
      '😀'.repeat(25),
      'x'.repeat(100),
      'y'.repeat(5_000),
    ];
    const kept = texts.map((text) => slabs.keep(text));
    expect(kept.map((one) => slabs.read(one))).toEqual(texts);
    expect(kept.map(({ bytes }) => bytes)).toEqual(texts.map((text) => Buffer.byteLength(text)));
  });

  test('share a slab until it is full to the byte', () => {
    const slabs = createTextSlabs(100);
    const kept = [60, 40, 1].map((length) => slabs.keep('x'.repeat(length)));
    expect(kept[1]?.slab).toBe(kept[0]?.slab);
    expect(kept[2]?.slab).not.toBe(kept[0]?.slab);
  });

  test('give their memory back for others when the last of a slab is dropped, and not before', () => {
    const slabs = createTextSlabs(100);
    const [first, second] = [slabs.keep('a'.repeat(50)), slabs.keep('b'.repeat(50))];
    const third = slabs.keep('c'.repeat(100));
    slabs.drop(first);
    expect(slabs.keep('d'.repeat(100)).slab).not.toBe(first.slab);
    slabs.drop(second);
    const again = slabs.keep('e'.repeat(100));
    expect(again.slab).toBe(first.slab);
    expect([slabs.read(third), slabs.read(again)]).toEqual(['c'.repeat(100), 'e'.repeat(100)]);
  });

  test('that are kept on stay until they are dropped as often', () => {
    const slabs = createTextSlabs(100);
    const kept = slabs.keep('a'.repeat(100));
    slabs.keepOn(kept);
    slabs.drop(kept);
    const other = slabs.keep('b'.repeat(100));
    expect([slabs.read(kept), slabs.read(other)]).toEqual(['a'.repeat(100), 'b'.repeat(100)]);
    slabs.drop(kept);
    expect(slabs.keep('c'.repeat(100)).slab).toBe(kept.slab);
  });

  test('fill the slab at hand anew once nothing of it is kept', () => {
    const slabs = createTextSlabs(100);
    const first = slabs.keep('a'.repeat(90));
    slabs.drop(first);
    const second = slabs.keep('b'.repeat(90));
    expect(second).toEqual({ slab: first.slab, at: 0, bytes: 90 });
  });

  test('need two slabs and a spare for a window of texts, however many pass through it', () => {
    const slabs = createTextSlabs(1_000);
    const window: ReturnType<typeof slabs.keep>[] = [];
    const used = new Set<unknown>();
    for (let number = 0; number < 10_000; number++) {
      const kept = slabs.keep(`${number}`.padEnd(100));
      used.add(kept.slab);
      window.push(kept);
      const oldest = window.length > 10 ? window.shift() : undefined;
      if (oldest !== undefined) slabs.drop(oldest);
    }
    expect(used.size).toBeLessThanOrEqual(3);
    expect(window.map((kept) => Number(slabs.read(kept)))).toEqual(
      Array.from({ length: 10 }, (_, place) => 9_990 + place),
    );
  });

  test('have slabs of their own, exactly as large as they are, where slabs hold nothing', () => {
    const slabs = createTextSlabs(0);
    const kept = [slabs.keep('one'), slabs.keep('three')];
    expect(kept.map(({ slab }) => slab.memory.length)).toEqual([3, 5]);
    expect(kept.map((one) => slabs.read(one))).toEqual(['one', 'three']);
  });
});
