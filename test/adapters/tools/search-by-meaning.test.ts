import { describe, expect, test } from 'vitest';
import { createArticleSearch, passagesToEmbed } from '../../../src/adapters/tools/search-articles.ts';
import { noMessage } from '../../../src/domain/message/call-context.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json/json.ts';
import type { EmbedMessage } from '../../../src/ports/embedder.ts';
import { silentLogger } from '../../../src/ports/logger.ts';
import { fakeTextVector, fakeVectors } from '../../support/classifier/fake-vectors.ts';

const article = (id: string, intents: string[], title: string, body: string) => ({
  id,
  intents,
  title,
  body,
  languages: ['en'],
  keywords: '',
});

const articles = [
  article('parking', ['visit'], 'Parking', 'Please park your car behind the house.'),
  article('opening', ['visit'], 'Opening hours', 'We are open from nine to five, never on Sunday.'),
  article('keys', ['keys'], 'A lost key', 'We cut a new key, and keys of old locks.'),
  article('brakes', ['repairs'], 'Brakes', 'A brake that squeaks is repaired at once.'),
];

/** Searches; `embed` gives the vector of the query. */
async function search(input: JsonObject, embed: EmbedMessage = async (text) => fakeTextVector(text)) {
  const tool = createArticleSearch('search_articles', articles, { vectors: fakeVectors, embed });
  const parsed = tool.input.safeParse({ limit: 10, ...input });
  if (!parsed.success) throw new Error('the input is refused');
  const context = {
    ...noMessage,
    signal: new AbortController().signal,
    attempt: 1,
    logger: silentLogger,
    idempotencyKey: 'key-1',
  };
  const output = await tool.execute(parsed.data, context);
  return Array.isArray(output['articles']) ? output['articles'].filter(isJsonObject) : [];
}

const idsOf = (found: readonly JsonObject[]) => found.map(({ id }) => id);

describe('a search of articles with vectors', () => {
  test('finds by meaning what has no word in common with the query', async () => {
    expect(idsOf(await search({ query: 'automobile' }))).toEqual(['parking']);
    expect(idsOf(await search({ query: 'my opener vanished' }))).toEqual(['keys']);
    expect(idsOf(await search({ query: 'automobile' }, async () => undefined))).toEqual([]);
  });

  test('puts first what both words and meaning find', async () => {
    const found = await search({ query: 'lost key, and my automobile' });
    expect(idsOf(found)).toEqual(['keys', 'parking']);
    expect(found[0]).toMatchObject({ title: 'A lost key', score: 1, excerpt: expect.any(String) });
    expect(found[1]?.['score']).toBeLessThan(0.5);
  });

  test('finds nothing where nothing is meant', async () => {
    expect(await search({ query: 'weather forecast tomorrow' })).toEqual([]);
  });

  test('keeps to the intent and the language', async () => {
    expect(idsOf(await search({ query: 'automobile', intent: 'visit' }))).toEqual(['parking']);
    expect(await search({ query: 'automobile', intent: 'visit', language: 'de' })).toEqual([]);
    // The only article of an intent is its answer.
    expect(await search({ query: 'automobile', intent: 'keys' })).toMatchObject([{ id: 'keys', score: 0 }]);
  });

  test('asks for the vector of the query once', async () => {
    const asked: unknown[] = [];
    await search({ query: 'automobile' }, async (text, use, { model }) => {
      asked.push({ text, use, model });
      return fakeTextVector(text);
    });
    expect(asked).toEqual([{ text: 'automobile', use: 'article_search', model: 'fake-embedding' }]);
  });

  test('divides long articles into passages, each with the title', () => {
    const long = article('long', [], 'Terms', 'A sentence of some words about wheels. '.repeat(100));
    const passages = passagesToEmbed([long, ...articles]);
    expect(passages.slice(0, 4).every((one) => one.startsWith('Terms\n') && one.length < 1_100)).toBe(true);
    expect(passages.length).toBeGreaterThan(articles.length + 3);
    expect(passagesToEmbed([article('x', [], 'T', 'word. '.repeat(20_000))])).toHaveLength(16);
  });
});
