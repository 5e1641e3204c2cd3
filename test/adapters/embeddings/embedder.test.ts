import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEmbedder } from '../../../src/adapters/embeddings/embedder.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { cosine, unitVector } from '../../../src/lib/learning/dense-vector.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { fakeVector, inputOf, vectorsReply } from '../../support/llm/fake-embeddings.ts';
import { type FakeProvider, type ProviderReply, startFakeProvider } from '../../support/llm/fake-provider.ts';
import { failure, json } from '../../support/llm/provider-replies.ts';

const KEY = 'sk-canary-embedding';

let provider: FakeProvider;
let earlier = 0;

beforeAll(async () => {
  provider = await startFakeProvider(vectorsReply);
});

beforeEach(() => {
  provider.follow(vectorsReply);
  earlier = provider.requests.length;
});

afterAll(() => provider.close());

const requests = () => provider.requests.slice(earlier);

const connect = (options: { readonly apiKey?: string | undefined; readonly baseUrl?: string } = {}) =>
  createEmbedder({
    apiKey: KEY,
    baseUrl: provider.baseUrl,
    model: 'asked-for',
    clock: systemClock,
    ...options,
  });

describe('a client of an embedding model', () => {
  test('asks for all texts at once, and puts the vectors in their order', async () => {
    const texts = ['the key', 'a bicycle', 'two brakes'];
    const embedding = await connect().embed(texts, 5_000);
    if (embedding.status === 'error') throw new Error(embedding.reason);
    expect(requests()).toHaveLength(1);
    expect(requests()[0]).toMatchObject({
      method: 'POST',
      path: '/v1/embeddings',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: { model: 'asked-for', input: texts },
    });
    embedding.vectors.forEach(({ model, values }, at) => {
      expect(model).toBe('fake-embedding');
      expect(cosine(values, values)).toBeCloseTo(1, 5);
      expect(cosine(values, unitVector(fakeVector(texts[at] ?? '')))).toBeGreaterThan(0.999);
    });
  });

  test('sends no key where there is none, and takes the name that it asked for where none is told', async () => {
    provider.follow((request) =>
      json({ data: inputOf(request).map((_, index) => ({ index, embedding: [1, 2] })) }),
    );
    const embedding = await connect({ apiKey: undefined }).embed(['a'], 5_000);
    expect(embedding).toMatchObject({ status: 'success', vectors: [{ model: 'asked-for' }] });
    expect(requests()[0]?.headers).not.toHaveProperty('authorization');
  });

  test('sends the start of a long text, without half a character', async () => {
    await connect().embed([`${'a'.repeat(1_999)}😀${'b'.repeat(60_000)}`], 5_000);
    const [text = ''] = inputOf(requests()[0] ?? { ...never });
    expect(text).toHaveLength(2_000);
    expect(text.isWellFormed()).toBe(true);
  });

  const vectors = (...data: readonly unknown[]): ProviderReply => json({ model: 'fake-embedding', data });

  test.each<[string, ProviderReply, string]>([
    ['a wrong key', failure(401), 'unauthorized'],
    ['an unknown model', failure(404), 'not_found'],
    ['a text that it refuses', failure(400), 'rejected'],
    ['too many requests', failure(429), 'rate_limited'],
    ['an error of the server', failure(500), 'provider_error'],
    ['a redirect', failure(302, { location: 'http://127.0.0.1:1/' }), 'rejected'],
    ['no JSON', { kind: 'reply', status: 200, body: '<html>' }, 'bad_reply'],
    ['another object', json({ vectors: [[1, 2]] }), 'bad_reply'],
    ['no vector', vectors(), 'bad_reply'],
    ['one vector of two', vectors({ index: 0, embedding: [1] }), 'bad_reply'],
    ['too many', vectors(...[0, 1, 2].map((index) => ({ index, embedding: [1] }))), 'bad_reply'],
    ['one vector twice', vectors({ index: 0, embedding: [1] }, { index: 0, embedding: [1] }), 'bad_reply'],
    [
      'vectors of texts',
      vectors({ index: 0, embedding: 'AAAA' }, { index: 1, embedding: 'AAAA' }),
      'bad_reply',
    ],
    [
      'different lengths',
      vectors({ index: 0, embedding: [1] }, { index: 1, embedding: [1, 2] }),
      'bad_reply',
    ],
    ['nothing but zeros', vectors({ index: 0, embedding: [0] }, { index: 1, embedding: [0] }), 'bad_reply'],
    ['a broken connection', { kind: 'reset' }, 'unreachable'],
    ['half a reply', { kind: 'reset', body: '{"data":[' }, 'unreachable'],
    ['too much', { kind: 'flood', bytes: 20 * 1024 * 1024 }, 'too_large'],
    ['no reply', { kind: 'silent' }, 'timeout'],
    ['a reply that does not end', { kind: 'drip', everyMs: 20 }, 'timeout'],
  ])('fails for %s, and tells nothing but the reason', async (_, reply, reason) => {
    provider.follow(() => reply);
    const startedAt = performance.now();
    const embedding = await connect().embed(['a', 'b'], reason === 'timeout' ? 200 : 5_000);
    expect(embedding).toEqual({ status: 'error', reason });
    expect(performance.now() - startedAt).toBeLessThan(4_500);
  });

  test('fails at once where nothing listens', async () => {
    const embedder = connect({ baseUrl: 'http://127.0.0.1:1/v1' });
    expect(await embedder.embed(['a'], 5_000)).toEqual({ status: 'error', reason: 'unreachable' });
  });

  test('is not asked for ten seconds after three failures in a row', async () => {
    provider.follow(() => failure(500));
    const clock = createFakeClock();
    const embedder = createEmbedder({ apiKey: KEY, baseUrl: provider.baseUrl, model: 'm', clock });
    for (let call = 0; call < 3; call++) await embedder.embed(['a'], 5_000);
    expect(await embedder.embed(['a'], 5_000)).toEqual({ status: 'error', reason: 'breaker_open' });
    expect(requests()).toHaveLength(3);
    provider.follow(vectorsReply);
    await clock.advance(10_000);
    expect(await embedder.embed(['a'], 5_000)).toMatchObject({ status: 'success' });
  });
});

/** A request that was never made. */
const never = { method: '', path: '', headers: {}, body: { input: [] }, index: 0, at: 0 };
