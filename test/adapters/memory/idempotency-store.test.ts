import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../src/adapters/memory-storage.ts';
import type { IdempotencyStore } from '../../../src/ports/storage/record-store.ts';
import { sampleAnswer, sampleClaim } from '../../contracts/idempotency-store.ts';
import { heldBytes } from '../../support/heap.ts';

function keys({ maxRows = 1_000, maxBytes = 1_000_000 } = {}): IdempotencyStore {
  return createMemoryStorage({ limits: { idempotency: { maxRows, maxBytes } } }).idempotency;
}

describe('a store of idempotency keys in memory', () => {
  const complete = async (store: IdempotencyStore, key: string, body = '{}') => {
    const claim = sampleClaim({ key });
    await store.claim(claim);
    await store.complete(claim, { ...sampleAnswer, body });
  };
  const statusOf = async (store: IdempotencyStore, key: string) =>
    (await store.claim(sampleClaim({ key }))).status;

  test('forgets its oldest answers when it has too many keys, never a claim under way', async () => {
    const store = keys({ maxRows: 3 });
    await store.claim(sampleClaim({ key: 'open' }));
    for (const key of ['a', 'b', 'c']) await complete(store, key);
    expect(await statusOf(store, 'open')).toBe('in_progress');
    expect(await statusOf(store, 'c')).toBe('completed');
    expect(await statusOf(store, 'a')).toBe('claimed');
  });

  test('forgets its oldest answers when they are too large together', async () => {
    const store = keys({ maxBytes: 10_000 });
    for (const key of ['a', 'b', 'c']) await complete(store, key, 'x'.repeat(4_000));
    expect(await statusOf(store, 'b')).toBe('completed');
    expect(await statusOf(store, 'c')).toBe('completed');
    expect(await statusOf(store, 'a')).toBe('claimed');
  });

  test('rejects a claim when as many as it holds are under way', async () => {
    const store = keys({ maxRows: 2 });
    const first = sampleClaim({ key: 'a' });
    await store.claim(first);
    await store.claim(sampleClaim({ key: 'b' }));
    await expect(store.claim(sampleClaim({ key: 'c' }))).rejects.toMatchObject({ code: 'unavailable' });
    await store.release(first);
    expect(await statusOf(store, 'c')).toBe('claimed');
  });

  test('makes room from abandoned claims too', async () => {
    const store = keys({ maxRows: 2 });
    for (const key of ['a', 'b', 'c']) {
      const claim = sampleClaim({ key });
      expect(await store.claim(claim)).toMatchObject({ status: 'claimed' });
      store.abandon(claim);
    }
  });

  test('holds no more than its bounds after many keys', async () => {
    const store = keys({ maxRows: 100 });
    for (let index = 0; index < 1_000; index++) await complete(store, `warm-${index}`, 'x'.repeat(1_000));
    const before = heldBytes();
    for (let index = 0; index < 20_000; index++) await complete(store, `key-${index}`, 'x'.repeat(1_000));
    expect(heldBytes() - before).toBeLessThan(2_000_000);
  });
});
