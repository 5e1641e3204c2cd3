import { expect, test } from 'vitest';
import { createWatch, payloadOf } from '../../../src/adapters/shared/store-watch.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** Listeners beside a server that passes notices on, or a pooler that does not. */
function watchUnderTest(options: { readonly passesOn: boolean }) {
  const clock = createFakeClock();
  const state = { ...options, isAvailable: true };
  const watch = createWatch({
    clock,
    isAvailable: () => state.isAvailable,
    listen: () => undefined,
    async send(payload) {
      if (state.passesOn) watch.receive(payload);
    },
  });
  const texts: (string | undefined)[] = [];
  const stop = watch.watch('topic', (text) => texts.push(text));
  return { clock, state, watch, texts, stop };
}

const notice = { topic: 'topic', text: 'a' };

test('listeners look every five seconds while notices do not arrive, and hear those of their own process', async () => {
  const { clock, watch, texts, stop } = watchUnderTest({ passesOn: false });
  await clock.advance(15_100);
  expect(texts).toEqual([undefined, undefined, undefined]);
  watch.sent([notice]);
  expect(texts.at(-1)).toBe('a');
  stop();
  await clock.advance(60_000);
  expect(texts).toHaveLength(4);
  expect(clock.pending()).toBe(0);
});

test('listeners do not look while notices arrive, which come once', async () => {
  const { clock, watch, texts } = watchUnderTest({ passesOn: true });
  await clock.advance(60_000);
  expect(texts).toEqual([]);
  watch.sent([notice]);
  watch.receive(payloadOf(notice));
  expect(texts).toEqual(['a']);
});

test('listeners look again when notices arrive no longer, but not while the server is away', async () => {
  const { clock, state, texts } = watchUnderTest({ passesOn: true });
  await clock.advance(6_000);
  state.passesOn = false;
  state.isAvailable = false;
  await clock.advance(30_000);
  expect(texts).toEqual([]);
  state.isAvailable = true;
  await clock.advance(10_000);
  expect(texts).toEqual([undefined, undefined]);
});

test('a text that is too long for a notice makes its listeners look', () => {
  const { watch, texts } = watchUnderTest({ passesOn: true });
  watch.receive(payloadOf({ topic: 'topic', text: '👍'.repeat(2_000) }));
  watch.receive(payloadOf({ topic: 'topic', text: '👍'.repeat(1_900) }));
  expect(texts).toEqual([undefined, '👍'.repeat(1_900)]);
});

test('what other programs send on the channel is ignored', () => {
  const { watch, texts } = watchUnderTest({ passesOn: true });
  for (const payload of ['', 'x', '{}', '[]', '[null]', '[null,"a"]', '[1,2]', '["x"]', '"topic"'])
    watch.receive(payload);
  expect(texts).toEqual([]);
});
