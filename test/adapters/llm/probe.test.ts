import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../../support/fake-clock.ts';
import { type ProviderReply, startFakeProvider } from '../../support/llm/fake-provider.ts';
import { failure, inTurn, json } from '../../support/llm/provider-replies.ts';
import { connect, KEY } from './connect.ts';

describe('the probe of a language model', () => {
  test('requests the list of models with the key, and uses no tokens', async () => {
    await using provider = await startFakeProvider(inTurn(json({})));
    const { probe } = await connect(`${provider.baseUrl}/`);
    expect(await probe()).toBe('ok');
    expect(provider.requests).toMatchObject([{ method: 'GET', path: '/v1/models', body: undefined }]);
    expect(provider.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(provider.calls()).toBe(0);
  });

  test.each([401, 403, 404, 302, 429, 500])(
    'reports an error when the provider responds with %d',
    async (status) => {
      await using provider = await startFakeProvider(() => failure(status, { location: '/v1/elsewhere' }));
      const { probe } = await connect(provider.baseUrl);
      expect(await probe()).toBe('error');
      expect(provider.requests).toHaveLength(1);
    },
  );

  test('reports an error when the connection is refused', async () => {
    const clock = createFakeClock();
    const { probe } = await connect('http://127.0.0.1:9/v1', { clock });
    expect(await probe()).toBe('error');
    expect(clock.pending()).toBe(0);
  });

  test('reports an error when the connection is closed without a response', async () => {
    await using provider = await startFakeProvider(() => ({ kind: 'reset' }));
    const { probe } = await connect(provider.baseUrl);
    expect(await probe()).toBe('error');
  });

  test('reports an error after a second without a response, and closes the connection', async () => {
    await using provider = await startFakeProvider(() => ({ kind: 'silent' }));
    const clock = createFakeClock();
    const { probe } = await connect(provider.baseUrl, { clock });
    const status = probe();
    await expect.poll(() => provider.requests).toHaveLength(1);
    await clock.advance(1_000);
    expect(await status).toBe('error');
    await provider.idle(2_000);
  });

  test.each<ProviderReply>([
    { kind: 'drip', everyMs: 5 },
    { kind: 'flood', bytes: 50 * 1_024 * 1_024 },
  ])('does not read the response body: $kind', async (reply) => {
    await using provider = await startFakeProvider(() => reply);
    const { probe } = await connect(provider.baseUrl);
    expect(await probe()).toBe('ok');
    await provider.idle(2_000);
  });
});
