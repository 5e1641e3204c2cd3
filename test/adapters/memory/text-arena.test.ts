import { describe, expect, test } from 'vitest';
import { createTextArena } from '../../../src/adapters/memory/text-arena.ts';

describe('a text arena', () => {
  test('returns texts of any characters as they were stored', () => {
    const arena = createTextArena(100);
    const texts = [
      '',
      'plain',
      'größer',
      '☃'.repeat(33),
      '😀'.repeat(25),
      'x'.repeat(100),
      'y'.repeat(5_000),
    ];
    const stored = texts.map((text) => arena.store(text));
    expect(stored.map((one) => arena.read(one))).toEqual(texts);
    expect(stored.map(({ bytes }) => bytes)).toEqual(texts.map((text) => Buffer.byteLength(text)));
  });

  test('fills a block to its last byte', () => {
    const arena = createTextArena(100);
    const stored = [60, 40, 1].map((length) => arena.store('x'.repeat(length)));
    expect(stored[1]?.block).toBe(stored[0]?.block);
    expect(stored[2]?.block).not.toBe(stored[0]?.block);
  });

  test('reuses a block when the last of its texts is released, and not before', () => {
    const arena = createTextArena(100);
    const [first, second] = [arena.store('a'.repeat(50)), arena.store('b'.repeat(50))];
    const third = arena.store('c'.repeat(100));
    arena.release(first);
    expect(arena.store('d'.repeat(100)).block).not.toBe(first.block);
    arena.release(second);
    const again = arena.store('e'.repeat(100));
    expect(again.block).toBe(first.block);
    expect([arena.read(third), arena.read(again)]).toEqual(['c'.repeat(100), 'e'.repeat(100)]);
  });

  test('keeps a retained text until every reference is released', () => {
    const arena = createTextArena(100);
    const stored = arena.store('a'.repeat(100));
    arena.retain(stored);
    arena.release(stored);
    const other = arena.store('b'.repeat(100));
    expect([arena.read(stored), arena.read(other)]).toEqual(['a'.repeat(100), 'b'.repeat(100)]);
    arena.release(stored);
    expect(arena.store('c'.repeat(100)).block).toBe(stored.block);
  });

  test('fills the current block from its start again when it holds no text', () => {
    const arena = createTextArena(100);
    const first = arena.store('a'.repeat(90));
    arena.release(first);
    const second = arena.store('b'.repeat(90));
    expect(second).toEqual({ block: first.block, offset: 0, bytes: 90 });
  });

  test('needs two blocks and a spare for a window of texts, however many pass through it', () => {
    const arena = createTextArena(1_000);
    const window: ReturnType<typeof arena.store>[] = [];
    const blocks = new Set<unknown>();
    for (let number = 0; number < 10_000; number++) {
      const stored = arena.store(`${number}`.padEnd(100));
      blocks.add(stored.block);
      window.push(stored);
      const oldest = window.length > 10 ? window.shift() : undefined;
      if (oldest !== undefined) arena.release(oldest);
    }
    expect(blocks.size).toBeLessThanOrEqual(3);
    expect(window.map((stored) => Number(arena.read(stored)))).toEqual(
      Array.from({ length: 10 }, (_, index) => 9_990 + index),
    );
  });

  test('gives each text a block of its exact size where the block size is 0', () => {
    const arena = createTextArena(0);
    const stored = [arena.store('one'), arena.store('three')];
    expect(stored.map(({ block }) => block.memory.length)).toEqual([3, 5]);
    expect(stored.map((one) => arena.read(one))).toEqual(['one', 'three']);
  });
});
