import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { recordLogs } from '../../support/fakes.ts';
import {
  type FakeProvider,
  type ProviderScript,
  startFakeProvider,
} from '../../support/llm/fake-provider.ts';
import { completion, inTurn } from '../../support/llm/provider-replies.ts';
import {
  providerShapes,
  type RefusalShape,
  SHAPE_TEXT,
  schemaRefusals,
  tokenLimitRefusals,
} from '../../support/llm/provider-shapes.ts';
import { connect, generate, goodAnswer, reasonOf } from './connect.ts';

/** The body of a request, as far as these tests look at it. */
interface Sent {
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly response_format: { readonly type: string };
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const sentTo = (provider: FakeProvider) => provider.requests.map(({ body }) => body as Sent);

const formOf = ({ max_tokens, max_completion_tokens, response_format }: Sent) => [
  max_tokens === undefined ? 'max_completion_tokens' : 'max_tokens',
  max_tokens ?? max_completion_tokens,
  response_format.type,
];

const newest = ['max_completion_tokens', 4_096, 'json_schema'];

describe('the replies of providers', () => {
  let provider: FakeProvider;

  beforeAll(async () => {
    provider = await startFakeProvider(inTurn(completion({})));
  });

  afterAll(() => provider.close());

  test.each(providerShapes)('of $provider with $name are understood', async (shape) => {
    const { reply, reason, tokens } = shape;
    provider.follow(inTurn(reply));
    const before = provider.calls();
    const logger = recordLogs();
    const { model } = await connect(provider.baseUrl, { logger, maxRetries: 0 });
    const generation = await generate(model);
    expect(generation).toEqual(
      reason === null
        ? { status: 'success', value: goodAnswer, tokens, calls: 1 }
        : { status: 'error', reason, tokens, calls: 1 },
    );
    expect(provider.calls() - before).toBe(1);
    expect(JSON.stringify([generation, logger.lines])).not.toContain(SHAPE_TEXT);
  });
});

/** Refuses what `refuses` finds in a request, and answers all others. */
function refusing(refusal: RefusalShape, refuses: (sent: Sent) => boolean): ProviderScript {
  return ({ body }) =>
    refuses(body as Sent)
      ? { kind: 'reply', status: refusal.status, body: JSON.stringify(refusal.body) }
      : completion(goodAnswer);
}

const hasNewLimit = (sent: Sent) => sent.max_completion_tokens !== undefined;

const hasSchema = (sent: Sent) => sent.response_format.type === 'json_schema';

describe('a provider that takes older requests only', () => {
  test.each(tokenLimitRefusals)('gets max_tokens from then on: $name', async (refusal) => {
    await using provider = await startFakeProvider(refusing(refusal, hasNewLimit));
    const logger = recordLogs();
    const { model } = await connect(provider.baseUrl, { logger });
    expect(await generate(model)).toMatchObject({ status: 'success', calls: 2 });
    expect(await generate(model)).toMatchObject({ status: 'success', calls: 1 });
    const older = ['max_tokens', 4_096, 'json_schema'];
    expect(sentTo(provider).map(formOf)).toEqual([newest, older, older]);
    const told = logger.lines.filter(({ level }) => level !== 'debug');
    expect(told).toEqual([expect.objectContaining({ level: 'info', max_tokens: true, json_mode: false })]);
  });

  test.each(['o3', 'gpt-5-mini'])('gets max_tokens also for a model called %s', async (name) => {
    const [refusal] = tokenLimitRefusals;
    if (refusal === undefined) throw new Error('there is no refusal');
    await using provider = await startFakeProvider(refusing(refusal, hasNewLimit));
    const { model } = await connect(provider.baseUrl, { model: name });
    expect((await generate(model)).status).toBe('success');
  });

  test.each(schemaRefusals)(
    'gets JSON mode from then on, with the schema in words: $name',
    async (refusal) => {
      await using provider = await startFakeProvider(refusing(refusal, hasSchema));
      const { model } = await connect(provider.baseUrl);
      expect(await generate(model)).toMatchObject({ status: 'success', value: goodAnswer, calls: 2 });
      expect(await generate(model)).toMatchObject({ status: 'success', calls: 1 });
      const older = ['max_completion_tokens', 4_096, 'json_object'];
      const sent = sentTo(provider);
      expect(sent.map(formOf)).toEqual([newest, older, older]);
      const [strict, ...others] = sent.map(({ messages }) => messages[0]?.content ?? '');
      expect(strict).not.toContain('"properties"');
      for (const instructions of others) expect(instructions).toContain('"required":["answer","sure"]');
    },
  );

  test('gets both where it refuses both, and that in one call', async () => {
    const [limit] = tokenLimitRefusals;
    const [schema] = schemaRefusals;
    if (limit === undefined || schema === undefined) throw new Error('there is no refusal');
    await using provider = await startFakeProvider((request) =>
      hasNewLimit(request.body as Sent)
        ? refusing(limit, hasNewLimit)(request)
        : refusing(schema, hasSchema)(request),
    );
    const { model } = await connect(provider.baseUrl);
    expect(await generate(model)).toMatchObject({ status: 'success', calls: 3 });
    await generate(model);
    expect(sentTo(provider).map(formOf).at(-1)).toEqual(['max_tokens', 4_096, 'json_object']);
    expect(provider.calls()).toBe(4);
  });

  test.each([...tokenLimitRefusals, ...schemaRefusals])(
    'is not remembered where the older request is refused too: $name',
    async (refusal) => {
      await using provider = await startFakeProvider(refusing(refusal, () => true));
      const { model } = await connect(provider.baseUrl);
      expect(await generate(model)).toMatchObject({ status: 'error', reason: 'rejected', calls: 2 });
      provider.follow(inTurn(completion(goodAnswer)));
      await generate(model);
      expect(sentTo(provider).map(formOf).at(-1)).toEqual(newest);
    },
  );

  test('is given up at the timeout of the call where it never ends its error', async () => {
    await using provider = await startFakeProvider(() => ({ kind: 'error_stall', status: 400 }));
    const { model } = await connect(provider.baseUrl, { clock: systemClock, timeoutMs: 200 });
    expect(reasonOf(await generate(model))).toBe('timeout');
    await provider.idle(2_000);
  });
});
