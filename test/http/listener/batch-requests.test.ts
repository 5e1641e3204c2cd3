import { describe, expect, test } from 'vitest';
import { batchRequests } from '../../../src/adapters/http/listener/batching.ts';

/** Waits for one turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('requests that arrive in the same turn of the event loop', () => {
  test('are handled at its end, in order', async () => {
    const served: string[] = [];
    const serve = batchRequests((name: string, place: number) => void served.push(`${place} ${name}`));
    for (const [index, name] of ['one', 'two', 'three'].entries()) serve(name, index);
    await Promise.resolve();
    expect(served).toEqual([]);
    await nextTurn();
    expect(served).toEqual(['0 one', '1 two', '2 three']);
  });

  test('are handled once each, and those that arrive meanwhile in the next turn', async () => {
    const served: string[] = [];
    const serve = batchRequests((name: string) => {
      served.push(name);
      if (name === 'first') serve('follower');
    });
    serve('first');
    serve('second');
    await nextTurn();
    expect(served).toEqual(['first', 'second']);
    await nextTurn();
    expect(served).toEqual(['first', 'second', 'follower']);
    await nextTurn();
    expect(served).toHaveLength(3);
  });
});
