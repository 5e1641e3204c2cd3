import { describe, expect, test } from 'vitest';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { startFakeProvider } from '../../support/llm/fake-provider.ts';
import { completion, failure, inTurn } from '../../support/llm/provider-replies.ts';
import { connect, generate, goodAnswer, reasonOf } from './connect.ts';

describe('a language model whose provider keeps failing', () => {
  test('is not called after three failures, gets a trial call after ten seconds, and is used again once that succeeds', async () => {
    await using provider = await startFakeProvider(inTurn(failure(500)));
    const clock = createFakeClock();
    const { model } = await connect(provider.baseUrl, { clock, random: () => 0, maxRetries: 0 });
    for (let call = 0; call < 3; call++) expect(reasonOf(await generate(model))).toBe('provider_error');
    expect(reasonOf(await generate(model))).toBe('breaker_open');
    expect(provider.calls()).toBe(3);

    await clock.advance(9_999);
    expect(reasonOf(await generate(model))).toBe('breaker_open');
    await clock.advance(1);
    const [trial, ...others] = await Promise.all([generate(model), generate(model), generate(model)]);
    expect(reasonOf(trial)).toBe('provider_error');
    expect(others.map(reasonOf)).toEqual(['breaker_open', 'breaker_open']);
    expect(provider.calls()).toBe(4);

    provider.follow(inTurn(completion(goodAnswer)));
    expect(reasonOf(await generate(model))).toBe('breaker_open');
    await clock.advance(10_000);
    expect((await generate(model)).status).toBe('success');
    const served = await Promise.all([generate(model), generate(model), generate(model)]);
    expect(served.map(({ status }) => status)).toEqual(['success', 'success', 'success']);
  });

  test('does not retry a trial call', async () => {
    await using provider = await startFakeProvider(inTurn(failure(500)));
    const clock = createFakeClock();
    const { model } = await connect(provider.baseUrl, { clock, maxRetries: 0 });
    for (let call = 0; call < 3; call++) await generate(model);
    const retrying = await connect(provider.baseUrl, { clock, maxRetries: 2, random: () => 0 });
    for (let call = 0; call < 3; call++) {
      const answer = generate(retrying.model);
      while (clock.pending() > 0 || provider.calls() < 3 + (call + 1) * 3) {
        await settle();
        await clock.advance(0);
      }
      await answer;
    }
    const before = provider.calls();
    await clock.advance(10_000);
    expect(reasonOf(await generate(retrying.model))).toBe('provider_error');
    expect(provider.calls()).toBe(before + 1);
  });

  test('is called for fewer than one message in ten while the provider is down for a minute', async () => {
    await using provider = await startFakeProvider(inTurn(failure(500)));
    const clock = createFakeClock();
    const { model } = await connect(provider.baseUrl, { clock, maxRetries: 0 });
    const messages = 3_000;
    for (let message = 0; message < messages; message++) {
      await generate(model);
      await clock.advance(20);
    }
    expect(provider.calls()).toBeLessThan(messages / 10);
    expect(provider.calls()).toBeGreaterThanOrEqual(3 + 5);
  });

  test.each([
    ['rejects single requests', failure(400), 1],
    ['answers nonsense, also when it is asked to mend it', completion('no'), 2],
    ['returns a refusal', completion(null, { refusal: 'no' }), 1],
    ['answers too much', { kind: 'flood', bytes: 2_000_000 } as const, 1],
  ])('is called again when it %s, because one message may be the cause', async (_name, reply, requests) => {
    await using provider = await startFakeProvider(inTurn(reply));
    const { model } = await connect(provider.baseUrl);
    for (let call = 0; call < 6; call++) await generate(model);
    expect(provider.calls()).toBe(6 * requests);
  });

  test('is called again after callers abort', async () => {
    await using provider = await startFakeProvider(inTurn({ kind: 'silent' }));
    const { model } = await connect(provider.baseUrl);
    for (let call = 1; call <= 4; call++) {
      const controller = new AbortController();
      const answer = generate(model, { signal: controller.signal });
      await expect.poll(() => provider.calls()).toBe(call);
      controller.abort();
      expect(reasonOf(await answer)).toBe('interrupted');
    }
  });
});

describe('many calls to a language model at once', () => {
  test('run 32 at a time, and all succeed', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    await using provider = await startFakeProvider(() => opened.then(() => completion(goodAnswer)));
    const { model } = await connect(provider.baseUrl);
    const answers = Array.from({ length: 200 }, () => generate(model));
    await expect.poll(() => provider.calls()).toBe(32);
    open();
    expect((await Promise.all(answers)).every(({ status }) => status === 'success')).toBe(true);
    expect(provider.maxInFlight()).toBe(32);
  });

  test('wait for a permit no longer than their timeout', async () => {
    await using provider = await startFakeProvider(inTurn({ kind: 'silent' }));
    const clock = createFakeClock();
    const { model } = await connect(provider.baseUrl, { clock });
    const answers = Array.from({ length: 40 }, () => generate(model));
    await expect.poll(() => provider.calls()).toBe(32);
    await clock.advance(15_000);
    const reasons = (await Promise.all(answers)).map(reasonOf);
    expect(reasons.filter((reason) => reason === 'timeout')).toHaveLength(32);
    expect(reasons.filter((reason) => reason === 'busy')).toHaveLength(8);
    expect(provider.calls()).toBe(32);
    expect(clock.pending()).toBe(0);
    await provider.idle(2_000);
  });

  test('are rejected when too many are waiting', async () => {
    await using provider = await startFakeProvider(inTurn({ kind: 'silent' }));
    const clock = createFakeClock();
    const { model } = await connect(provider.baseUrl, { clock });
    const answers = Array.from({ length: 32 + 1_024 }, () => generate(model));
    expect(reasonOf(await generate(model))).toBe('busy');
    await clock.advance(15_000);
    await Promise.all(answers);
  });
});
