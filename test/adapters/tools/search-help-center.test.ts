import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadBuiltInPlaybook } from '../../../src/adapters/playbook/built-in.ts';
import { readArticles } from '../../../src/adapters/tools/help-center/article.ts';
import { createSearch, MAX_TERMS, MIN_SCORE } from '../../../src/adapters/tools/help-center/search.ts';
import { searchHelpCenter } from '../../../src/adapters/tools/search-help-center.ts';
import { intents } from '../../../src/domain/message/message.ts';
import { isJsonObject } from '../../../src/lib/json/json.ts';
import { call } from './call.ts';

const articles = readArticles(new URL('../../../playbook/articles/', import.meta.url));

function found(query: string, limit?: number): { id: unknown; score: unknown }[] {
  const output = call(searchHelpCenter, limit === undefined ? { query } : { query, limit })['articles'];
  if (!Array.isArray(output)) throw new Error('there are no articles');
  return output.filter(isJsonObject).map((article) => ({ id: article['id'], score: article['score'] }));
}

describe('search_help_center', () => {
  test.each([
    ['Can I add an item to my order?', 'change-an-order'],
    ['How do I place an order?', 'place-an-order'],
    ['cancel my order please', 'cancel-an-order'],
    ['Is there a penalty for early termination?', 'cancellation-fees'],
    ['How much is express delivery?', 'delivery-options'],
    ['How long does delivery take?', 'delivery-times'],
    ['Do you ship overseas?', 'delivery-countries'],
    ['Please change my delivery address', 'change-delivery-address'],
    ['I need to add a second delivery address', 'add-delivery-address'],
    ['Where do I find my invoice?', 'invoices'],
    ['Which payment methods do you accept?', 'payment-methods'],
    ['My payment was declined', 'payment-problems'],
    ['I was charged twice', 'charges'],
    ['I want to create an account', 'create-account'],
    ['delete my account', 'close-account'],
    ['I forgot my password', 'reset-password'],
    ['change the phone number in my profile', 'edit-account'],
    ['I cannot sign in, I am locked out', 'sign-in-problems'],
    ['upgrade to a premium account', 'switch-account'],
    ['unsubscribe from the newsletter', 'newsletter'],
    ['pause my subscription', 'plans-and-memberships'],
    ['turn off the automatic renewal', 'renewals'],
    ['The app crashes on my phone', 'website-and-app-problems'],
    ['My headphones do not connect over bluetooth', 'device-problems'],
    ['I want to make a complaint', 'complaints'],
    ['The vase arrived broken', 'damaged-wrong-missing'],
    ['write a review', 'reviews'],
    ['I have a suggestion', 'suggestions'],
    ['What are your opening hours?', 'opening-hours'],
    ['Where is your nearest store?', 'our-shops'],
    ['Do you sell gift cards?', 'gift-cards'],
    ['student discount', 'discounts'],
    ['How long is the warranty?', 'warranty'],
    ['Are you hiring?', 'about-us'],
    ['Is it dishwasher safe?', 'product-details'],
    ['When is it back in stock?', 'availability'],
    ['wher is my invioce', 'invoices'],
    ['RETURN POLICY', 'returns-and-refunds'],
  ])('finds for %j the article %s', (query, id) => {
    expect(found(query)[0]?.id).toBe(id);
  });

  test.each([
    'asdf qwer',
    'the order',
    'hello',
    'the',
    'please help me',
    '😀',
    '???',
    'constructor prototype',
    'thank you',
  ])('finds nothing for %j', (query) => {
    expect(call(searchHelpCenter, { query })).toEqual({ articles: [] });
  });

  test('returns three articles by default, the best first, none below the minimum score', () => {
    expect(found('delivery order account')).toHaveLength(3);
    expect(found('delivery order account', 1)).toHaveLength(1);
    const scores = found('delivery order account payment', 10).map((article) => Number(article.score));
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(MIN_SCORE);
  });

  test('returns the id, title, excerpt and score of an article', () => {
    expect(call(searchHelpCenter, { query: 'opening hours', limit: 1 })).toEqual({
      articles: [
        {
          id: 'opening-hours',
          title: 'Opening hours',
          excerpt: expect.stringContaining('Monday to Saturday'),
          score: expect.any(Number),
        },
      ],
    });
  });

  test.each([
    {},
    { query: '' },
    { query: 7 },
    { query: 'x', intent: 7 },
    { query: 'x', limit: 0 },
    { query: 'x', limit: 11 },
    { query: 'x', limit: 1.5 },
  ])('rejects the input %j', (input) => {
    expect(searchHelpCenter.input.safeParse(input).success).toBe(false);
  });

  test('returns only articles that name the intent, if one is given', () => {
    const query = 'Where do I find my invoice?';
    expect(found(query)[0]?.id).toBe('invoices');
    const idsFor = (intent: string) => {
      const output = call(searchHelpCenter, { query, intent, limit: 10 })['articles'];
      return Array.isArray(output) ? output.filter(isJsonObject).map(({ id }) => id) : undefined;
    };
    expect(idsFor('billing')?.[0]).toBe('invoices');
    expect(idsFor('refund')).not.toContain('invoices');
    expect(idsFor('spam')).toEqual([]);
    for (const intent of intents) {
      const named = articles.filter((article) => article.intents.includes(intent)).map(({ id }) => id);
      expect(idsFor(intent)?.filter((id) => !named.includes(String(id)))).toEqual([]);
    }
  });

  test('describes its input', () => {
    expect(searchHelpCenter.input.toJSONSchema({ io: 'input' })).toMatchObject({
      type: 'object',
      properties: { query: { type: 'string' }, limit: { default: 3 } },
      required: ['query'],
    });
  });

  test('returns only existing articles, whatever the query', () => {
    const ids = new Set<unknown>(articles.map((article) => article.id));
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), (query) => {
        expect(found(query, 10).filter((article) => !ids.has(article.id))).toEqual([]);
      }),
    );
  });
});

describe('a search', () => {
  const search = createSearch([
    { id: 'a', title: 'Violins', body: 'Strings and bows.', intents: [], keywords: '' },
    { id: 'b', title: 'Trumpets', body: 'Brass. See also violins.', intents: [], keywords: '' },
    { id: 'c', title: 'Drums', body: 'Loud.', intents: [], keywords: 'percussion' },
    { id: 'd', title: 'Harps', body: 'Strings.', intents: [], keywords: '' },
    ...Array.from({ length: 20 }, (_, at) => ({
      id: `tune-${at}`,
      title: 'Tunes',
      body: 'Music for evenings.',
      intents: [],
      keywords: '',
    })),
  ]);

  test('weighs a word in the title more than one in the body', () => {
    expect(search('violin').map((hit) => hit.article.id)).toEqual(['a', 'b']);
  });

  test('finds an article by its keywords', () => {
    expect(search('percussion').map((hit) => hit.article.id)).toEqual(['c']);
  });

  test('counts a repeated word of the query once', () => {
    expect(search('drums drums drums')).toEqual(search('drum'));
  });

  test(`searches for the first ${MAX_TERMS} different words`, () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const words = Array.from(
      { length: MAX_TERMS },
      (_, at) => `q${letters[at % 26]}${letters[Math.floor(at / 26)]}k`,
    );
    expect(search([...words.slice(1), 'percussion'].join(' '))).toHaveLength(1);
    expect(search([...words, 'percussion'].join(' '))).toEqual([]);
  });
});

describe('the help articles', () => {
  test('have unique ids and are fit for customers', () => {
    expect(new Set(articles.map((article) => article.id)).size).toBe(articles.length);
    for (const { id, title, body } of articles) {
      expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
      expect(title.length).toBeLessThan(60);
      expect(body.length, id).toBeLessThanOrEqual(400);
      expect(body).toMatch(/^[A-Z].*\.$/s);
      expect(`${title}${body}`).not.toMatch(/[<>]/);
    }
  });

  test('name only known intents, and each intent that articles answer has some', () => {
    const known: readonly string[] = intents;
    for (const { id, intents: named } of articles) {
      expect(named.length, id).toBeGreaterThan(0);
      expect(named.filter((name) => !known.includes(name))).toEqual([]);
    }
    const { intents: stated } = loadBuiltInPlaybook();
    for (const intent of intents.filter((name) => stated.get(name)?.articles)) {
      expect(
        articles.some((article) => article.intents.includes(intent)),
        intent,
      ).toBe(true);
    }
  });

  test('are found by their titles', () => {
    for (const { id, title } of articles) expect(found(title)[0]?.id).toBe(id);
  });
});
