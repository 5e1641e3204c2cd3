import { expect, test } from 'vitest';
import { retryOnConflict } from '../../src/application/retry-on-conflict.ts';

test('a change is tried until no other caller comes in between', async () => {
  let left = 99;
  const attempt = async () => (left-- > 0 ? undefined : { changed: true });
  expect(await retryOnConflict('item', attempt)).toEqual({ changed: true });
});

test('a change that others always precede is given up', async () => {
  await expect(retryOnConflict('item', async () => undefined)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the item changes too fast',
  });
});

test('a change that fails is not tried again', async () => {
  const attempts: string[] = [];
  const attempt = async () => {
    attempts.push('one');
    throw new RangeError('wrong');
  };
  await expect(retryOnConflict('item', attempt)).rejects.toThrow(RangeError);
  expect(attempts).toEqual(['one']);
});
