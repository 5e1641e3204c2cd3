import { describe, expect, test } from 'vitest';
import { batchResponses } from '../../../src/adapters/http/listener/batch-responses.ts';
import { settle } from '../../support/fake-clock.ts';

/** An application with batched responses, and the order in which they are sent. */
function setUp(now: () => number = () => 0) {
  const left: string[] = [];
  const answer = batchResponses(async (name: string) => name, now);
  const ask = (name: string): Promise<void> => answer(name).then((response) => void left.push(response));
  const microtasks = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  /** Responds to several requests in one turn, so that the next turn counts as busy. */
  const beBusy = async (): Promise<void> => {
    await Promise.all([ask('one'), ask('other')]);
    await settle();
    left.length = 0;
  };
  return { left, ask, microtasks, beBusy };
}

describe('responses that finish in the same turn of the event loop', () => {
  test('are sent at once while there is one request per turn', async () => {
    const { left, ask, microtasks } = setUp();
    for (const name of ['first', 'second', 'third']) {
      void ask(name);
      await microtasks();
      expect(left).toContain(name);
      await settle();
    }
  });

  test('are sent together at the end of the turn once turns have several responses', async () => {
    const { left, ask, microtasks, beBusy } = setUp();
    await beBusy();
    const asked = [ask('first'), ask('second')];
    await microtasks();
    expect(left).toEqual([]);
    await Promise.all(asked);
    expect(left).toEqual(['first', 'second']);
  });

  test('are sent together a millisecond after the first if the turn takes longer', async () => {
    let now = 0;
    const { left, ask, microtasks, beBusy } = setUp(() => now);
    await beBusy();
    void ask('first');
    await microtasks();
    now = 0.9;
    void ask('second');
    await microtasks();
    expect(left).toEqual([]);
    now = 1;
    void ask('third');
    await microtasks();
    expect(left).toEqual(['first', 'second', 'third']);
  });

  test('are sent at once again after a turn with one response', async () => {
    const { left, ask, microtasks, beBusy } = setUp();
    await beBusy();
    await ask('alone, still held');
    await settle();
    void ask('alone');
    await microtasks();
    expect(left).toContain('alone');
  });

  test('are not delayed if the application rejects', async () => {
    const fault = new Error('broken');
    const answer = batchResponses(() => Promise.reject(fault));
    await expect(answer()).rejects.toBe(fault);
  });
});
