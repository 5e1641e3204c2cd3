import { expect, test } from 'vitest';
import { createWriteBuffer } from '../../../src/application/storage/write-buffer.ts';
import { conflict, unavailable } from '../../../src/domain/errors.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { recordLogs } from '../../support/fakes.ts';
import { storageParts } from '../../support/storage.ts';

/** A buffer whose writes fail while the store is away, and what was written. */
function setUp(limits: { maxItems?: number; maxBytes?: number } = {}) {
  const clock = createFakeClock();
  const logger = recordLogs();
  const { store } = storageParts(clock);
  const dropped: string[] = [];
  const written: string[] = [];
  const onDropped = (id: string): void => void dropped.push(id);
  const buffer = createWriteBuffer<string>({
    store,
    clock,
    logger,
    onDropped,
    maxItems: 100,
    maxBytes: 1_000,
    ...limits,
  });
  const write = (text: string) => async () => {
    await new Promise((resolve) => setImmediate(resolve));
    store.assertAvailable();
    written.push(text);
  };
  const put = (id: string, text = id, bytes = 1): Promise<void> => buffer.put(id, bytes, write(text), text);
  return { buffer, put, write, store, clock, logger, dropped, written };
}

test('a write is done at once while the store is there', async () => {
  const { buffer, put, written, clock } = setUp();
  await put('a');
  expect([written, buffer.size, clock.pending()]).toEqual([['a'], 0, 0]);
});

test('writes wait while the store is away, and are done in their order when it is back', async () => {
  const { buffer, put, store, written } = setUp();
  store.leave();
  for (const id of ['a', 'b', 'c']) await put(id);
  expect([written, buffer.size, buffer.get('b')]).toEqual([[], 3, 'b']);
  store.comeBack();
  await settle();
  await buffer.flush();
  expect([written, buffer.size, buffer.get('b')]).toEqual([['a', 'b', 'c'], 0, undefined]);
});

test('a later write of the same id takes the place of the one that waits', async () => {
  const { buffer, put, store, written } = setUp();
  store.leave();
  await put('a', 'first', 10);
  await put('b');
  await put('a', 'second', 20);
  expect([buffer.size, buffer.get('a')]).toEqual([2, 'second']);
  store.comeBack();
  await buffer.flush();
  expect(written).toEqual(['second', 'b']);
});

test('what fails after a later write of the same id has succeeded is not written again', async () => {
  const { buffer, put, written } = setUp();
  const first = Promise.withResolvers<void>();
  const putting = buffer.put('a', 1, () => first.promise, 'first');
  await put('a', 'second');
  first.reject(unavailable('too late'));
  await putting;
  await buffer.flush();
  expect([written, buffer.size]).toEqual([['second'], 0]);
});

test('a write is tried again and again, also where nobody tells that the store is back', async () => {
  const { buffer, put, store, written, clock } = setUp();
  store.leave();
  await put('a');
  await clock.advance(5_000);
  expect([buffer.size, clock.pending()]).toEqual([1, 1]);
  store.return();
  await clock.advance(1_000);
  expect([written, buffer.size, clock.pending()]).toEqual([['a'], 0, 0]);
});

test('beyond the limits the oldest writes are dropped, which is logged once a minute', async () => {
  const { buffer, put, store, dropped, logger, clock } = setUp({ maxItems: 3, maxBytes: 100 });
  store.leave();
  for (const id of ['a', 'b', 'c', 'd', 'e']) await put(id);
  expect(dropped).toEqual(['a', 'b']);
  await put('f', 'f', 99);
  expect(dropped).toEqual(['a', 'b', 'c', 'd']);
  await put('huge', 'huge', 101);
  expect([dropped.slice(4), buffer.size]).toEqual([['e', 'f', 'huge'], 0]);
  await clock.advance(60_000);
  await put('g', 'g', 101);
  expect(logger.lines).toEqual([
    {
      level: 'warn',
      message: 'a record was lost before it could be stored',
      id: 'a',
      reason: 'FULL',
      times: 1,
    },
    {
      level: 'warn',
      message: 'a record was lost before it could be stored',
      id: 'g',
      reason: 'FULL',
      times: 7,
    },
  ]);
});

test('a write that takes the place of another one takes its room too', async () => {
  const { buffer, put, store, dropped } = setUp({ maxBytes: 100 });
  store.leave();
  for (let round = 0; round < 5; round++) await put('a', `${round}`, 60);
  await put('b', 'b', 40);
  expect([dropped, buffer.size]).toEqual([[], 2]);
});

test('other errors than an outage are those of the caller', async () => {
  const { buffer } = setUp();
  const put = buffer.put('a', 1, () => Promise.reject(conflict('no')));
  await expect(put).rejects.toMatchObject({ code: 'conflict' });
  expect(buffer.size).toBe(0);
});

test('a write that is rejected when the store is back is dropped, and the others are done', async () => {
  const { buffer, put, store, written, dropped } = setUp();
  store.leave();
  const write = async (): Promise<void> => {
    store.assertAvailable();
    throw conflict('no');
  };
  await buffer.put('a', 1, write, 'a');
  await put('b');
  store.comeBack();
  await buffer.flush();
  expect([written, dropped, buffer.size]).toEqual([['b'], ['a'], 0]);
});

test('a write that a store cannot take, although it is there, does not hold up the others', async () => {
  const { buffer, put, store, written, clock } = setUp();
  store.leave();
  await buffer.put('large', 1, () => Promise.reject(unavailable('took too long')), 'large');
  await put('a');
  await put('b');
  store.comeBack();
  await clock.advance(2_000);
  expect([written, buffer.size, buffer.get('large')]).toEqual([['a', 'b'], 1, 'large']);
});

test('a discarded write is done no more, and one under way has ended', async () => {
  const { buffer, put, write, store, written } = setUp();
  expect(await buffer.discard('a')).toBe(false);
  store.leave();
  await put('a');
  const gate = Promise.withResolvers<void>();
  const slow = async (): Promise<void> => {
    store.assertAvailable();
    await gate.promise;
    await write('b')();
  };
  await buffer.put('b', 1, slow, 'b');
  expect(await buffer.discard('a')).toBe(true);
  store.comeBack();
  let isDiscarded = false;
  const discarding = buffer.discard('b').then((hasWaited) => {
    isDiscarded = true;
    return hasWaited;
  });
  await settle();
  expect(isDiscarded).toBe(false);
  gate.resolve();
  expect(await discarding).toBe(true);
  expect([written, buffer.size]).toEqual([['b'], 0]);
});

test('a closed buffer leaves no timer', async () => {
  const { buffer, put, store, clock } = setUp();
  store.leave();
  await put('a');
  buffer.close();
  await buffer.flush();
  await put('b');
  expect([clock.pending(), buffer.size]).toEqual([0, 2]);
});
