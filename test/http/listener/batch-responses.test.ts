import { describe, expect, test } from 'vitest';
import { batchResponses } from '../../../src/adapters/http/listener/batch-responses.ts';
import { settle } from '../../support/fake-clock.ts';

/** An application that answers what it is asked, through the gathering, and in which order replies left. */
function setUp(now: () => number = () => 0) {
  const left: string[] = [];
  const answer = batchResponses(async (name: string) => name, now);
  const ask = (name: string): Promise<void> => answer(name).then((reply) => void left.push(reply));
  const microtasks = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  /** Answers several requests in one turn, so that the next turn counts as busy. */
  const beBusy = async (): Promise<void> => {
    await Promise.all([ask('one'), ask('other')]);
    await settle();
    left.length = 0;
  };
  return { left, ask, microtasks, beBusy };
}

describe('replies that are ready in the same turn of the event loop', () => {
  test('leave at once while there is one request a turn', async () => {
    const { left, ask, microtasks } = setUp();
    for (const name of ['first', 'second', 'third']) {
      void ask(name);
      await microtasks();
      expect(left).toContain(name);
      await settle();
    }
  });

  test('leave together at the end of the turn once turns answer several requests', async () => {
    const { left, ask, microtasks, beBusy } = setUp();
    await beBusy();
    const asked = [ask('first'), ask('second')];
    await microtasks();
    expect(left).toEqual([]);
    await Promise.all(asked);
    expect(left).toEqual(['first', 'second']);
  });

  test('leave together before the end of a turn that has taken a millisecond since the first', async () => {
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

  test('leave at once again after a turn with one request', async () => {
    const { left, ask, microtasks, beBusy } = setUp();
    await beBusy();
    await ask('alone, still held');
    await settle();
    void ask('alone');
    await microtasks();
    expect(left).toContain('alone');
  });

  test('are not there where the application throws: the fault goes on at once', async () => {
    const fault = new Error('broken');
    const answer = batchResponses(() => Promise.reject(fault));
    await expect(answer()).rejects.toBe(fault);
  });
});
