import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeSyntheticTickets } from '../../../src/adapters/evaluation/synthetic-tickets.ts';
import { ticketTexts } from '../../../src/adapters/evaluation/ticket-texts.ts';
import { messageRequestSchema } from '../../../src/adapters/http/resources/messages.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { findTicketIssue } from '../../../src/domain/evaluation/tickets.ts';
import { concerns, intents } from '../../../src/domain/message/message.ts';

const { situations, fillings } = ticketTexts();
const templates = new Set(situations.flatMap(({ groups }) => groups.flat()).map(({ template }) => template));
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
        for (const ticket of makeSyntheticTickets(seed, 40)) {
          const { message, expectedIntent, expectedTools } = ticket;
          expect(findTicketIssue(ticket)).toBeUndefined();
          const request = { customer_id: 'c', message };
          expect(messageRequestSchema.safeParse(request)).toMatchObject({ success: true });
          expect(message).not.toMatch(/[{}]|undefined|NaN|\[object/);
          expect(message.trim()).toBe(message);
          if (expectedIntent !== undefined) expect(intents).toContain(expectedIntent);
          for (const name of expectedTools ?? []) expect(toolNames).toContain(name);
        }
      }),
    );
  });

  test('expect all intents about equally often, apart from small talk and human requests', () => {
    const expecting = many.filter(({ expectedIntent }) => expectedIntent !== undefined).length;
    for (const intent of intents) {
      const share = many.filter(({ expectedIntent }) => expectedIntent === intent).length / expecting;
      expect(share).toBeGreaterThan(0.6 / intents.length);
      expect(share).toBeLessThan(2 / intents.length);
    }
  });

  test('expect all concerns about equally often', () => {
    const expecting = many.filter(({ expectedConcerns }) => expectedConcerns?.length === 1);
    expect(expecting.length / many.length).toBeCloseTo(0.24, 1);
    for (const concern of concerns) {
      const share = expecting.filter(({ expectedConcerns }) => expectedConcerns?.includes(concern)).length;
      expect(share / expecting.length).toBeGreaterThan(0.75 / concerns.length);
      expect(share / expecting.length).toBeLessThan(1.25 / concerns.length);
    }
  });

  test('expect an escalation of about four in ten, and no reply to one in fifteen', () => {
    const shareThatExpects = (disposition: string): number =>
      many.filter(({ expectedDisposition }) => expectedDisposition === disposition).length / many.length;
    expect(shareThatExpects('escalated')).toBeGreaterThan(0.33);
    expect(shareThatExpects('escalated')).toBeLessThan(0.43);
    expect(shareThatExpects('no_reply')).toBeGreaterThan(0.05);
    expect(shareThatExpects('no_reply')).toBeLessThan(0.1);
  });

  test('are rarely repeated', () => {
    expect(new Set(messages).size).toBeGreaterThan(0.9 * messages.length);
  });

  test('have expected tools and an expected escalation', () => {
    for (const { expectedIntent, expectedTools, expectedEscalated } of many) {
      if (expectedIntent === 'human_agent') expect(expectedEscalated).toBe(true);
      if (expectedIntent === 'spam' || expectedIntent === 'human_agent') expect(expectedTools).toEqual([]);
      if (expectedIntent === 'refund' && expectedEscalated === false)
        expect(expectedTools).toEqual(['refund_policy']);
      if (expectedTools?.includes('check_order_status'))
        expect([undefined, 'order_status']).toContain(expectedIntent);
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
const asWritten = [...templates].flatMap(({ intent, texts }) =>
  texts.map((text) => {
    const parts = text.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'));
    return { intent, pattern: new RegExp(parts.join('.{1,20}')) };
  }),
);

describe('the situations of synthetic tickets', () => {
  test('add up to all of them', () => {
    expect(situations.reduce((sum, { percent }) => sum + percent, 0)).toBe(100);
  });

  test.each(situations.map(({ name, groups }) => [name, groups] as const))('have texts: %s', (_, groups) => {
    for (const texts of groups) expect(texts.length).toBeGreaterThan(11);
  });

  test('have at least 25 texts of each concern and 80 near misses', () => {
    const groupsOf = (name: string) => situations.find((one) => one.name === name)?.groups ?? [];
    for (const texts of groupsOf('concern')) expect(texts.length).toBeGreaterThanOrEqual(25);
    expect(groupsOf('near miss').flat().length).toBeGreaterThanOrEqual(80);
  });

  test.each([
    ['quoted mails', /\n>|wrote:|schrieb|a écrit|-----Original Message/],
    ['forwards', /Forwarded message|forwarded message/],
    ['footers and signatures', /confidential|Attorney at Law/i],
    ['automatic replies', /out of (?:the )?office|automatic reply|generated automatically/i],
    ['delivery failures', /could not be delivered|not able to deliver/],
    ['other languages', /Passwort|mot de passe|contraseña|Bestellung|commande|pedido/],
    ['thanks', /^(?:ok|ok,|cheers|thx|perfect|thank).{0,40}$/i],
  ])('include %s', (_, pattern) => {
    expect(shareOf((message) => pattern.test(message))).toBeGreaterThan(0.005);
  });
});

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

  test('has a second request at times: then the tools of both are expected, and no intent', () => {
    const twofold = many.filter(
      ({ expectedIntent, expectedTools, expectedDisposition }) =>
        expectedIntent === undefined && expectedTools !== undefined && expectedDisposition === undefined,
    );
    expect(twofold.length / many.length).toBeGreaterThan(0.03);
    expect(twofold.length / many.length).toBeLessThan(0.12);
    expect(twofold.some(({ expectedTools }) => expectedTools?.length === 2)).toBe(true);
  });

  test('keeps addresses and order numbers', () => {
    const spam = many.filter(({ expectedIntent }) => expectedIntent === 'spam');
    const linked = spam.filter(({ message }) => /\.EXAMPLE\b/i.test(message));
    expect(linked).toHaveLength(spam.length);
  });
});
