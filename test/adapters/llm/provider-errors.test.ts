import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLanguageModel } from '../../../src/adapters/llm/language-model.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import type { LanguageModel, ModelFailure } from '../../../src/ports/language-model.ts';
import { sampleOf } from '../../support/extent.ts';
import { noTelemetry, type RecordingLogger, recordLogs } from '../../support/fakes.ts';
import { type FakeProvider, startFakeProvider } from '../../support/llm/fake-provider.ts';
import {
  CUSTOMER_TEXT,
  type Place,
  type PlaceOutcome,
  places,
  recordModelUse,
} from '../../support/llm/model-places.ts';
import { PROVIDER_TEXT, providerFailures } from '../../support/llm/provider-errors.ts';
import { completion, inTurn, type ProviderReply } from '../../support/llm/provider-replies.ts';

const KEY = 'sk-canary-of-the-key';

/** Timeouts in milliseconds: for calls that time out, and for calls that must not, even on a busy machine. */
const SHORT_MS = 200;
const LONG_MS = 20_000;

let provider: FakeProvider;

beforeAll(async () => {
  provider = await startFakeProvider(inTurn(completion({})));
  // The first call loads the SDK and the built-in model, which takes longer than a short timeout.
  const model = await connect(recordLogs());
  for (const place of places) await place.run({ model, logger: recordLogs(), observer: recordModelUse() });
});

afterAll(() => provider.close());

async function connect(
  logger: RecordingLogger,
  baseUrl = provider.baseUrl,
  timeoutMs = LONG_MS,
): Promise<LanguageModel> {
  const { model } = await createLanguageModel({
    apiKey: KEY,
    baseUrl,
    model: 'fake-model',
    timeoutMs,
    maxRetries: 2,
    clock: systemClock,
    random: () => 0,
    logger,
    telemetry: noTelemetry,
  });
  return model;
}

/** Runs a place against a provider that fails, and checks that the rules decided and that the reason is recorded. */
async function expectRules(place: Place, reason: ModelFailure, baseUrl?: string): Promise<void> {
  const logger = recordLogs();
  const observer = recordModelUse();
  const model = await connect(logger, baseUrl, reason === 'timeout' ? SHORT_MS : LONG_MS);
  const outcome = await place.run({ model, logger, observer });
  expect(outcome.value).toEqual(place.byRules);
  expect(outcome.source).toBe('fallback');
  expect(observer.fallbacks).toEqual([{ stage: place.name, reason }]);
  if (place.name !== 'decomposer') expect(outcome.data).toMatchObject({ rule: true, reason });
  expectNoSecrets(outcome, logger);
}

function expectNoSecrets(outcome: PlaceOutcome, logger: RecordingLogger): void {
  const visible = JSON.stringify([outcome, logger.lines]);
  expect(visible).not.toContain(KEY);
  expect(visible).not.toContain(PROVIDER_TEXT);
  expect(JSON.stringify(logger.lines)).not.toContain(CUSTOMER_TEXT);
}

function oneOfEachReason(index: number): typeof providerFailures {
  const byReason = Map.groupBy(providerFailures, ({ reason }) => reason);
  return [...byReason.values()].flatMap((failures) => sampleOf(failures, index));
}

describe.each(places)('the $name with a language model', (place) => {
  /** All failures in the first place, and in the others one of each reason: the same client reports them. */
  const failures = place === places[0] ? providerFailures : oneOfEachReason(places.indexOf(place));

  test.each(failures)('uses the rules when the provider $name', async (failure) => {
    const before = provider.calls();
    provider.follow(inTurn(failure.reply(place.valid)));
    await expectRules(place, failure.reason);
    expect(provider.calls() - before).toBe(failure.calls);
  });

  test.each([
    ['the connection is refused', 'http://127.0.0.1:9/v1'],
    ['its name cannot be resolved', `http://${'a'.repeat(64)}.invalid/v1`],
    ['it does not support TLS', 'tls'],
    ['its address contains a password', 'http://user:secret@127.0.0.1:9/v1'],
  ])('uses the rules when %s', async (_name, address) => {
    const before = provider.calls();
    const baseUrl = address === 'tls' ? provider.baseUrl.replace('http:', 'https:') : address;
    await expectRules(place, 'unreachable', baseUrl);
    expect(provider.calls()).toBe(before);
  });

  test.each<readonly [string, ProviderReply]>([
    ['never responds', { kind: 'silent' }],
    ['stops in the middle of its reply', { kind: 'stall', body: '{' }],
    ['sends a byte at a time', { kind: 'drip', everyMs: 10 }],
    ['sends 50 MB', { kind: 'flood', bytes: 50 * 1_024 * 1_024 }],
  ])('closes the connection to a provider that %s', async (_name, reply) => {
    await using own = await startFakeProvider(inTurn(reply));
    await expectRules(place, reply.kind === 'flood' ? 'too_large' : 'timeout', own.baseUrl);
    await own.idle(2_000);
  });

  test.each([
    ['as it stands', (json: string) => json],
    ['in a fence', (json: string) => `\`\`\`json\n${json}\n\`\`\``],
    ['in a fence without a language', (json: string) => `\`\`\`\n${json}\n\`\`\``],
    ['between blanks', (json: string) => `\n\n  ${json}  \n`],
  ])('accepts a reply that comes %s, and counts its tokens', async (_name, wrap) => {
    provider.follow(inTurn(completion(wrap(JSON.stringify(place.valid)))));
    const logger = recordLogs();
    const observer = recordModelUse();
    const outcome = await place.run({ model: await connect(logger), logger, observer });
    expect(outcome.value).toEqual(place.byModel);
    expect(outcome.source).toBe('llm');
    expect(observer.fallbacks).toEqual([]);
    expect(observer.costs).toEqual([{ stage: place.name, input: 11, output: 7 }]);
    if (place.name !== 'decomposer') expect(outcome.data).toMatchObject({ tokens: { input: 11, output: 7 } });
    expectNoSecrets(outcome, logger);
  });

  test('accepts a reply after two failures', async () => {
    provider.follow(
      inTurn({ kind: 'reset' }, { kind: 'reply', status: 500, body: '' }, completion(place.valid)),
    );
    const logger = recordLogs();
    const outcome = await place.run({ model: await connect(logger), logger, observer: recordModelUse() });
    expect(outcome.value).toEqual(place.byModel);
  });
});
