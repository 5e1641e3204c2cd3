import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeSyntheticTickets } from '../../../src/adapters/evaluation/synthetic-tickets.ts';
import { fillings, templates } from '../../../src/adapters/evaluation/templates.ts';
import { messageRequestSchema } from '../../../src/adapters/http/resources/messages.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { intents } from '../../../src/domain/message/message.ts';

const many = makeSyntheticTickets(0, 5_000);
const messages = many.map(({ message }) => message);

function shareOf(holds: (message: string) => boolean): number {
  return messages.filter(holds).length / messages.length;
}

const seeds = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);

describe('synthetic tickets', () => {
  test('are the same for the same seed', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 50 }), (seed, size) => {
        expect(makeSyntheticTickets(seed, size)).toEqual(makeSyntheticTickets(seed, size));
      }),
    );
  });

  test('differ from seed to seed', () => {
    fc.assert(
      fc.property(seeds, seeds, (one, other) => {
        fc.pre(one !== other);
        const texts = [one, other].map((seed) => JSON.stringify(makeSyntheticTickets(seed, 20)));
        expect(texts[0]).not.toBe(texts[1]);
      }),
    );
  });

  test.each([
    [0, 2 ** 32],
    [1, 2 ** 32 + 1],
    [-1, 2 ** 32 - 1],
    [5, -(2 ** 40) + 5],
  ])('differ between seeds with the same lower 32 bits (%d and %d)', (one, other) => {
    expect(makeSyntheticTickets(one, 20)).not.toEqual(makeSyntheticTickets(other, 20));
  });

  test.each([1, 2, 199, 5_000])('have the requested size: %d', (size) => {
    expect(makeSyntheticTickets(7, size)).toHaveLength(size);
  });

  test('begin with the same tickets for any size', () => {
    expect(makeSyntheticTickets(7, 300).slice(0, 40)).toEqual(makeSyntheticTickets(7, 40));
  });

  test('have valid messages, known intents and registered tools', () => {
    const toolNames = new Set(exampleTools.map(({ name }) => name));
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const { message, expectedIntent, expectedTools } of makeSyntheticTickets(seed, 40)) {
          const request = { customer_id: 'c', message };
          expect(messageRequestSchema.safeParse(request)).toMatchObject({ success: true });
          expect(message).not.toMatch(/[{}]|undefined|NaN|\[object/);
          expect(message.trim()).toBe(message);
          expect(intents).toContain(expectedIntent);
          for (const name of expectedTools ?? []) expect(toolNames).toContain(name);
        }
      }),
    );
  });

  test('have all intents about equally often', () => {
    for (const intent of intents) {
      const share = many.filter(({ expectedIntent }) => expectedIntent === intent).length / many.length;
      expect(share).toBeGreaterThan(0.8 / intents.length);
      expect(share).toBeLessThan(1.2 / intents.length);
    }
  });

  test('are rarely repeated', () => {
    expect(new Set(messages).size).toBeGreaterThan(0.9 * messages.length);
  });

  test('have expected tools and an expected escalation', () => {
    for (const { expectedIntent, expectedTools, expectedEscalated } of many) {
      if (expectedIntent === 'human_agent') expect(expectedEscalated).toBe(true);
      if (expectedIntent === 'spam' || expectedIntent === 'human_agent') expect(expectedTools).toEqual([]);
      if (expectedIntent === 'refund') expect(expectedTools).toEqual(['refund_policy']);
      if (expectedTools?.includes('check_order_status')) expect(expectedIntent).toBe('order_status');
    }
  });

  test('name an order where its status is expected to be looked up', () => {
    const looked = many.filter(({ expectedTools }) => expectedTools?.includes('check_order_status'));
    expect(looked.length).toBeGreaterThan(0);
    for (const { message } of looked) {
      expect(fillings['order']?.some((order) => message.toUpperCase().includes(order))).toBe(true);
    }
  });
});

/** The templates as patterns, with any value of the placeholders: they find messages without typing errors. */
const asWritten = templates.flatMap(({ intent, texts }) =>
  texts.map((text) => {
    const parts = text.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'));
    return { intent, pattern: new RegExp(parts.join('.{1,20}')) };
  }),
);

describe('the noise of synthetic tickets', () => {
  test.each([
    ['greetings', /^(?:hi|hello|hey|dear|good morning)/i],
    ['politeness', /thanks|please|pls|regards|cheers|sorry/i],
    ['anger', /ridiculous|losing my patience|damn|what a mess/i],
    ['slang', /\b(?:pls|u|ur|wanna|dont|cant|im|cuz)\b/],
    ['other languages', /\b(?:hola|bonjour|guten tag|merci|ich hoffe)\b/i],
    ['punctuation and emoji', /!!!|\?\?\?|🙏|:\)/u],
    ['small talk', /cats and dogs|my sister|for years|weekend/],
    ['a second request', /\b(?:one more thing|also,|another question|PS:|besides,)/i],
  ])('has %s', (_, pattern) => {
    const share = shareOf((message) => pattern.test(message));
    expect(share).toBeGreaterThan(0.02);
    expect(share).toBeLessThan(0.7);
  });

  test('has capital letters at times', () => {
    const share = shareOf((message) => (message.match(/\b[A-Z]{3,}\b/g)?.length ?? 0) >= 3);
    expect(share).toBeGreaterThan(0.02);
    expect(share).toBeLessThan(0.3);
  });

  test('has typing errors often, but not always', () => {
    const written = many.filter(({ message, expectedIntent }) =>
      asWritten.some(({ intent, pattern }) => intent === expectedIntent && pattern.test(message)),
    );
    expect(written.length / many.length).toBeGreaterThan(0.3);
    expect(written.length / many.length).toBeLessThan(0.8);
  });

  test('has a second request at times, and the first one is expected', () => {
    const twofold = many.filter(({ message, expectedIntent }) => {
      const found = asWritten.filter(({ pattern }) => pattern.test(message));
      const own = found.find(({ intent }) => intent === expectedIntent);
      const other = found.find(({ intent }) => intent !== expectedIntent);
      if (own === undefined || other === undefined) return false;
      return message.search(own.pattern) < message.search(other.pattern);
    });
    expect(twofold.length / many.length).toBeGreaterThan(0.01);
  });

  test('keeps addresses and order numbers', () => {
    const spam = many.filter(({ expectedIntent }) => expectedIntent === 'spam');
    const linked = spam.filter(({ message }) => /\.EXAMPLE\b/i.test(message));
    expect(linked).toHaveLength(spam.length);
  });
});
