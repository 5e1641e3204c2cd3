import { describe, expect, test } from 'vitest';
import { createAssessorFor, createRuleBasedStages } from '../../../../src/adapters/rule-based.ts';
import { createLlmStages } from '../../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../../src/adapters/stages/rule-based.ts';
import type { Classification, CustomerMessage, Decision } from '../../../../src/domain/message/message.ts';
import { concerns } from '../../../../src/domain/message/message.ts';
import { recordLogs } from '../../../support/fakes.ts';
import { type FakeModel, obedientModel } from '../../../support/llm/fake-model.ts';
import { injections } from '../../../support/llm/injections.ts';
import { prepared, recordModelUse } from '../../../support/llm/model-places.ts';
import { dentist, playbookOf } from '../own-playbooks.ts';
import { assessor } from '../stage-inputs.ts';

const rules = createRuleBasedStages();

const signal = new AbortController().signal;

function stagesWith(model: FakeModel) {
  return createLlmStages({
    assessor,
    model: model.ask,
    rules,
    enabled: new Set(['classifier']),
    tools: () => [],
    logger: recordLogs(),
    observer: recordModelUse(),
  });
}

async function classify(
  model: FakeModel,
  message: string,
  more: Partial<CustomerMessage> = {},
): Promise<Decision<Classification>> {
  return stagesWith(model).classify(prepared(message, more), { signal });
}

const saying = (intent: string, found: readonly string[] = [], confidence: unknown = 0.9): FakeModel =>
  obedientModel(() => ({ intent, confidence, concerns: found }));

const sue = 'I would like a refund. My lawyer will sue you.';

describe('a classification of a language model', () => {
  test('has its intent and its concerns', async () => {
    expect(await classify(saying('refund', ['vulnerable']), 'Can I send the shoes back?')).toMatchObject({
      source: 'llm',
      value: { intent: 'refund', confidence: 0.9, concerns: ['vulnerable'] },
      data: { concerns: ['vulnerable'], model: { concerns: ['vulnerable'] } },
    });
  });

  test('keeps the concerns of the rules, and adds its own to them', async () => {
    expect((await classify(saying('refund'), sue)).value.concerns).toEqual(['legal']);
    expect((await classify(saying('refund', ['press', 'legal', 'injury']), sue)).value.concerns).toEqual([
      'injury',
      'legal',
      'press',
    ]);
  });

  test.each(concerns)('can add the concern %s, which escalates the message', async (concern) => {
    const stages = stagesWith(saying('refund', [concern]));
    const message = prepared('Can I send the shoes back?');
    const { value: classification } = await stages.classify(message, { signal });
    const verdict = await stages.verify({ message, classification, outcomes: [] }, { signal });
    expect(verdict.value).toMatchObject({ disposition: 'escalated', concerns: [concern] });
  });

  test.each([
    ['an unknown concern', { intent: 'refund', confidence: 1, concerns: ['boredom'] }],
    ['concerns that are no list', { intent: 'refund', confidence: 1, concerns: 'legal' }],
    ['a confidence above 1', { intent: 'refund', confidence: 1.1, concerns: [] }],
  ])('with %s is not used', async (_name, reply) => {
    const decided = await classify(
      obedientModel(() => reply),
      sue,
    );
    expect(decided).toMatchObject({ source: 'fallback', value: { concerns: ['legal'] } });
  });

  test.each([
    [
      'an automatic reply',
      'I am out of the office until Monday. This is an automatic reply.',
      'Out of office',
    ],
    ['a bounce', 'Delivery has failed to these recipients: a@b.example', 'Undeliverable: your order'],
    ['a message without text', '   <p> </p> ', undefined],
  ])('is not requested for %s', async (_name, message, subject) => {
    const model = saying('refund');
    const decided = await classify(model, message, { subject });
    expect(decided.source).toBe('deterministic');
    expect(model.requests).toEqual([]);
  });

  test.each(['Thanks a lot!', 'Good morning', 'Thank you, that helped.'])(
    'does not change what happens with thanks and greetings: %s',
    async (text) => {
      for (const intent of ['spam', 'human_agent', 'refund', 'order_status', 'feedback']) {
        const stages = stagesWith(saying(intent));
        const message = prepared(text);
        const { value: classification } = await stages.classify(message, { signal });
        const verdict = await stages.verify({ message, classification, outcomes: [] }, { signal });
        expect(verdict.value).toMatchObject({ disposition: 'answered', reasons: ['small_talk'] });
      }
    },
  );

  test('as spam does not silence a customer whom a person has to see', async () => {
    for (const text of [
      'I want to speak to a human, please.',
      sue,
      'Your last answer did not help me at all.',
    ]) {
      const stages = stagesWith(saying('spam'));
      const message = prepared(text);
      const { value: classification } = await stages.classify(message, { signal });
      const verdict = await stages.verify({ message, classification, outcomes: [] }, { signal });
      expect(verdict.value).toMatchObject({ disposition: 'escalated' });
    }
    expect((await classify(saying('spam'), 'Buy cheap followers now')).value.intent).toBe('spam');
  });

  test('is made from the prepared text, the subject, the language and the quotes, as data', async () => {
    const model = saying('billing');
    const html = '<p>My card 4111 1111 1111 1111 was charged twice.</p><script>x</script>';
    const quote = 'On 3 May 2026 at 10:00, Example Shop wrote:\n> Please pay with 4111 1111 1111 1111.';
    await classify(model, `My card 4111 1111 1111 1111 was charged twice.\n\n-- \nJane Doe\n\n${quote}`, {
      subject: 'Card 4111 1111 1111 1111',
    });
    await classify(model, html);
    const [request, fromHtml] = model.requests;
    expect(request?.data).toEqual({
      message: 'My card [card number] was charged twice.',
      language: 'en',
      subject: 'Card [card number]',
      quoted: [{ kind: 'quote', text: expect.stringContaining('Please pay with [card number].') }],
    });
    expect(fromHtml?.data).toEqual({ message: 'My card [card number] was charged twice.', language: 'en' });
    expect(request?.instructions).not.toContain('charged twice');
    for (const concern of concerns) expect(request?.instructions).toContain(`\n- ${concern}: `);
  });

  test('is made from bounded data', async () => {
    const model = saying('billing');
    const quote = Array.from({ length: 400 }, (_, line) => `> line ${line} of an old mail`).join('\n');
    await classify(model, `${'Where is it? '.repeat(1_000)}\n\n${quote}`, { subject: 's'.repeat(256) });
    expect(JSON.stringify(model.requests[0]?.data).length).toBeLessThan(11_000);
    expect(model.requests[0]?.data).toHaveProperty('quoted');
  });

  test('never gets text of the customer among its instructions', async () => {
    const model = saying('refund');
    for (const attack of injections) {
      const more = { subject: attack.slice(0, 256) };
      await classify(
        model,
        `Refund, please.\n\nOn 3 May 2026, Bob wrote:\n> ${attack.replaceAll('\n', '\n> ')}`,
        more,
      );
    }
    expect(new Set(model.requests.map(({ instructions }) => instructions)).size).toBe(1);
  });
});

describe("a company's own playbook", () => {
  const own = createAssessorFor({ playbook: playbookOf(dentist) });
  const seen: string[] = [];
  const classifyOwn = (intent: string) =>
    createLlmStages({
      assessor: own,
      model: obedientModel(({ instructions }) => {
        seen.push(instructions);
        return { intent, confidence: 0.9, concerns: [] };
      }).ask,
      rules: createStagesOf(own, 0.45),
      ...{ enabled: new Set(['classifier'] as const), tools: () => [] },
      ...{ logger: recordLogs(), observer: recordModelUse() },
    }).classify(prepared('May I leave my bicycle in the yard?'), { signal });

  test('gives the model its intents with their descriptions, and no others', async () => {
    expect((await classifyOwn('parking')).value).toMatchObject({ intent: 'parking', confidence: 0.9 });
    expect(seen[0]).toContain('- parking: Asks where to park.');
    expect(seen[0]).not.toContain('- refund:');
  });

  test('accepts no intent of another playbook from the model', async () => {
    expect(await classifyOwn('refund')).toMatchObject({
      source: 'fallback',
      value: { intent: expect.not.stringMatching('refund') },
    });
  });
});
