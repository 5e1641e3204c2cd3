import { describe, expect, it } from 'vitest';
import { createHolder, type Held } from '../../console/pages/inbox/logic/held.ts';

function setUp(isTaken = true) {
  const sent: string[] = [];
  const left: string[] = [];
  const shown: (string | undefined)[] = [];
  const timers = new Set<() => void>();
  const holder = createHolder<string>({
    now: () => 1_000,
    later(work) {
      timers.add(work);
      return () => void timers.delete(work);
    },
    async send({ request }: Held<string>) {
      sent.push(request);
      return isTaken;
    },
    sendLeaving: ({ request }) => void left.push(request),
    onChange: (held) => void shown.push(held?.request),
  });
  const passTime = (): void => {
    for (const work of [...timers]) work();
  };
  return { holder, sent, left, shown, timers, passTime };
}

describe('a held decision', () => {
  it('is sent when its time is over, and only once', async () => {
    const { holder, sent, timers, passTime } = setUp();
    holder.hold('a', 'first', 10_000);
    expect(sent).toEqual([]);
    passTime();
    await holder.flush();
    holder.leave();
    expect(sent).toEqual(['first']);
    expect(timers.size).toBe(0);
  });

  it('can be taken back until then', async () => {
    const { holder, sent, shown, timers } = setUp();
    holder.hold('a', 'first', 10_000);
    expect(holder.undo()).toEqual({ id: 'a', request: 'first', sendsAt: 11_000 });
    await holder.flush();
    expect(sent).toEqual([]);
    expect(shown).toEqual(['first', undefined]);
    expect(timers.size).toBe(0);
  });

  it('is sent before another one is held', () => {
    const { holder, sent, shown } = setUp();
    holder.hold('a', 'first', 10_000);
    holder.hold('b', 'second', 10_000);
    expect(sent).toEqual(['first']);
    expect(shown).toEqual(['first', undefined, 'second']);
  });

  it('is sent in the way of leaving when the page is left', () => {
    const { holder, sent, left } = setUp();
    holder.hold('a', 'first', 10_000);
    holder.leave();
    expect(left).toEqual(['first']);
    expect(sent).toEqual([]);
  });

  it('tells whether it was refused', async () => {
    const { holder } = setUp(false);
    expect(await holder.flush()).toBe(true);
    holder.hold('a', 'first', 10_000);
    expect(await holder.flush()).toBe(false);
  });
});
