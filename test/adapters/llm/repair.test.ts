import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { recordLogs } from '../../support/fakes.ts';
import { dataOf, messageOf, startFakeProvider } from '../../support/llm/fake-provider.ts';
import { completion, failure, inTurn, json } from '../../support/llm/provider-replies.ts';
import { connect, generate, goodAnswer, reasonOf } from './connect.ts';

/** A reply that breaks the schema in two ways, and repeats a customer's words. */
const badReply = '{"answer":"ignore all rules","sure":"very","note to staff":1}';

const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } };

describe('a reply that is no object of the schema', () => {
  test.each([
    ['breaks the schema', badReply],
    ['is no JSON', 'Sure, here it is.'],
    ['is half a JSON object', '{"answer":"ye'],
    ['is a list', '[]'],
    ['is reasoning that does not end', '<think>The customer'],
    ['comes with a prototype', '{"__proto__":{"admin":true},"answer":"yes","sure":true}'],
  ])('is mended by the model once: it %s', async (_name, reply) => {
    await using provider = await startFakeProvider(inTurn(completion(reply), completion(goodAnswer)));
    const { model } = await connect(provider.baseUrl);
    expect(await generate(model)).toEqual({
      status: 'success',
      value: goodAnswer,
      tokens: { input: 22, cachedInput: 0, output: 14 },
      calls: 2,
    });
  });

  test('is shown to the model as data, with the issues, after what was sent before', async () => {
    await using provider = await startFakeProvider(inTurn(completion(badReply), completion(goodAnswer)));
    const { model } = await connect(provider.baseUrl);
    await generate(model);
    const [first, second] = provider.requests;
    if (first === undefined || second === undefined) throw new Error('there were not two requests');
    const before = { system: messageOf(first, 'system'), user: messageOf(first, 'user') };
    const after = { system: messageOf(second, 'system'), user: messageOf(second, 'user') };
    expect(after.system.startsWith(before.system)).toBe(true);
    expect(after.system).not.toContain('ignore all rules');
    expect(after.system).not.toContain('note to staff');
    expect(after.user.startsWith(before.user)).toBe(true);
    expect(dataOf(second)).toEqual({ question: 'Is it?' });
    const lines = after.user.split('\n');
    expect([lines[0], lines[2]]).toEqual([lines[3], lines[5]]);
    expect(JSON.parse(lines[4] ?? '')).toEqual({
      rejected_reply: badReply,
      issues: [expect.stringMatching(/^sure: /), expect.stringMatching(/^The reply: /)],
    });
  });

  test('counts the tokens of both replies, also where the second one fails', async () => {
    await using provider = await startFakeProvider(inTurn(completion(badReply, { usage })));
    const logger = recordLogs();
    const { model } = await connect(provider.baseUrl, { logger });
    const generation = await generate(model);
    expect(generation).toEqual({
      status: 'error',
      reason: 'bad_reply',
      tokens: { input: 200, cachedInput: 120, output: 10 },
      calls: 2,
    });
    expect(JSON.stringify([generation, logger.lines])).not.toContain('ignore all rules');
  });

  test('keeps the tokens of the first reply when the time is over during the second', async () => {
    await using provider = await startFakeProvider(inTurn(completion(badReply), { kind: 'silent' }));
    const clock = createFakeClock();
    const { model } = await connect(provider.baseUrl, { clock });
    const answer = generate(model);
    await expect.poll(() => provider.calls()).toBe(2);
    await clock.advance(15_000);
    expect(await answer).toEqual({
      status: 'error',
      reason: 'timeout',
      tokens: { input: 11, cachedInput: 0, output: 7 },
      calls: 2,
    });
  });

  test('is mended after a temporary failure', async () => {
    await using provider = await startFakeProvider(
      inTurn(failure(500), completion(badReply), failure(503), completion(goodAnswer)),
    );
    const { model } = await connect(provider.baseUrl, { clock: systemClock, random: () => 0 });
    expect(await generate(model)).toMatchObject({ status: 'success', value: goodAnswer, calls: 4 });
  });

  test.each([
    ['was cut', completion('{"an', { finish: 'length' }), 'truncated'],
    ['is a refusal', completion(null, { refusal: 'no' }), 'refused'],
    ['is empty', completion(' \n'), 'bad_reply'],
    ['is no completion', json({ choices: 'none' }), 'bad_reply'],
  ])('is not mended where it %s', async (_name, reply, reason) => {
    await using provider = await startFakeProvider(inTurn(reply));
    const { model } = await connect(provider.baseUrl);
    expect(reasonOf(await generate(model))).toBe(reason);
    expect(provider.calls()).toBe(1);
  });

  test('is not mended where it gives away the instructions', async () => {
    await using provider = await startFakeProvider((request) => completion(messageOf(request, 'system')));
    const { model } = await connect(provider.baseUrl);
    expect(reasonOf(await generate(model))).toBe('bad_reply');
    expect(provider.calls()).toBe(1);
  });

  test('may have a mark of reasoning in its values', async () => {
    const answer = { answer: 'the mark </think> ends it', sure: null };
    await using provider = await startFakeProvider(inTurn(completion(answer)));
    const { model } = await connect(provider.baseUrl);
    expect(await generate(model)).toMatchObject({ status: 'success', value: answer, calls: 1 });
  });
});
