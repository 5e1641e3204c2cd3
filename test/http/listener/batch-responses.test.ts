import { describe, expect, test } from 'vitest';
import { batchResponses } from '../../../src/adapters/http/listener/batching.ts';
import { settle } from '../../support/fake-clock.ts';

/** An application with batched responses, and the order in which they are sent. */
function setUp(now: () => number = () => 0) {
  const sent: string[] = [];
  const respond = batchResponses(async (name: string) => name, now);
  const send = (name: string): Promise<void> => respond(name).then((response) => void sent.push(response));
  const microtasks = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  /** Responds to several requests in one turn, so that the next turn counts as busy. */
  const makeBusy = async (): Promise<void> => {
    await Promise.all([send('one'), send('other')]);
    await settle();
    sent.length = 0;
  };
  return { sent, send, microtasks, makeBusy };
}

describe('responses that finish in the same turn of the event loop', () => {
  test('are sent at once while there is one request per turn', async () => {
    const { sent, send, microtasks } = setUp();
    for (const name of ['first', 'second', 'third']) {
      void send(name);
      await microtasks();
      expect(sent).toContain(name);
      await settle();
    }
  });

  test('are sent together at the end of the turn once turns have several responses', async () => {
    const { sent, send, microtasks, makeBusy } = setUp();
    await makeBusy();
    const pending = [send('first'), send('second')];
    await microtasks();
    expect(sent).toEqual([]);
    await Promise.all(pending);
    expect(sent).toEqual(['first', 'second']);
  });

  test('are sent together a millisecond after the first if the turn takes longer', async () => {
    let now = 0;
    const { sent, send, microtasks, makeBusy } = setUp(() => now);
    await makeBusy();
    void send('first');
    await microtasks();
    now = 0.9;
    void send('second');
    await microtasks();
    expect(sent).toEqual([]);
    now = 1;
    void send('third');
    await microtasks();
    expect(sent).toEqual(['first', 'second', 'third']);
  });

  test('are sent at once again after a turn with one response', async () => {
    const { sent, send, microtasks, makeBusy } = setUp();
    await makeBusy();
    await send('alone, still held');
    await settle();
    void send('alone');
    await microtasks();
    expect(sent).toContain('alone');
  });

  test('are not delayed if the application rejects', async () => {
    const error = new Error('broken');
    const respond = batchResponses(() => Promise.reject(error));
    await expect(respond()).rejects.toBe(error);
  });
});
