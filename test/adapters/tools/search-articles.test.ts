import { describe, expect, test } from 'vitest';
import { createArticleSearch } from '../../../src/adapters/tools/search-articles.ts';
import { isJsonObject } from '../../../src/lib/json/json.ts';
import { call } from './call.ts';

const article = (id: string, intents: string[], languages: string[], title: string, body: string) => ({
  id,
  intents,
  languages,
  title,
  body,
  keywords: '',
});

const search = createArticleSearch('search_articles', [
  article('parking', ['parking'], ['en'], 'Parking', 'Park behind the house.'),
  article('parken', ['parking'], ['de'], 'Parken', 'Parken Sie hinter dem Haus.'),
  article('opening', ['hours'], ['en'], 'Opening hours', 'We are open from nine to five.'),
  article('holidays', ['hours'], ['en'], 'Holidays', 'On public holidays the practice is closed.'),
]);

async function found(input: object): Promise<readonly unknown[]> {
  const { articles } = await call(search, { limit: 10, ...input });
  return Array.isArray(articles) ? articles.filter(isJsonObject).map(({ id }) => id) : [];
}

describe('a search of the articles of a playbook', () => {
  test('finds those that name the intent, in the language', async () => {
    expect(await found({ query: 'park behind house', intent: 'parking', language: 'en' })).toEqual([
      'parking',
    ]);
    expect(await found({ query: 'wo parken', intent: 'parking', language: 'de' })).toEqual(['parken']);
  });

  test('finds the only one for an intent whatever the words, and none of several that do not fit', async () => {
    expect(await found({ query: 'where do I leave my car', intent: 'parking', language: 'en' })).toEqual([
      'parking',
    ]);
    expect(await found({ query: 'where do I leave my car', intent: 'hours', language: 'en' })).toEqual([]);
    expect(await found({ query: 'closed on holidays?', intent: 'hours', language: 'en' })).toEqual([
      'holidays',
    ]);
  });

  test('finds nothing for an intent or a language without articles', async () => {
    expect(await found({ query: 'parking', intent: 'prices' })).toEqual([]);
    expect(await found({ query: 'parking', intent: 'parking', language: 'fr' })).toEqual([]);
  });
});
