import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createPlaybook } from '../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import { createLlmStages } from '../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import type { Playbook } from '../../../src/domain/playbook/playbook.ts';
import type { LanguageModel } from '../../../src/ports/language-model.ts';
import { recordLogs } from '../../support/fakes.ts';
import { obedientModel } from '../../support/llm/fake-model.ts';
import { recordModelUse } from '../../support/llm/model-places.ts';

const builtIn = defaultPorts().playbook;

interface Asked {
  readonly playbook?: Playbook;
  readonly classifier?: IntentClassifier;
  readonly intent?: string;
  readonly confidence?: number;
  /** The planned calls, as a tool's name and its input. */
  readonly calls?: Readonly<Record<string, object>>;
  /** A reply that may not be sent when absent. */
  readonly reply?: string;
  /** The responder's call to the provider fails. */
  readonly fails?: boolean;
  readonly hasInbox?: boolean;
  readonly draft?: boolean;
  readonly text?: string;
}

const refused = 'Please send us your password.';

async function ask(asked: Asked) {
  const { playbook = builtIn, classifier, hasInbox = true, text = 'Where is my order A-1234?' } = asked;
  const { intent = 'order_status', confidence = 0.99, calls = {}, reply = refused, draft = false } = asked;
  const { ask: answer } = obedientModel(({ purpose }) => {
    if (purpose === 'classifier') return { intent, confidence, concerns: [] };
    if (purpose === 'verifier') return { escalate: false, reasons: [] };
    if (purpose === 'responder') return { reply };
    const planned = Object.entries(calls);
    return { tool_calls: planned.map(([tool_name, input]) => ({ tool_name, input: JSON.stringify(input) })) };
  });
  const model: LanguageModel = (request) =>
    asked.fails && request.purpose === 'responder'
      ? Promise.resolve({ status: 'error', reason: 'timeout', tokens: { input: 0, output: 0 } })
      : answer(request);
  const assessor = createAssessorFor({ playbook, classifier, hasInbox });
  const rules = createStagesOf(assessor, 0.45);
  const stages = createLlmStages({
    ...{ model, assessor, rules, logger: recordLogs(), observer: recordModelUse() },
    enabled: new Set(['classifier', 'planner', 'verifier', 'responder']),
    tools: () => orchestrator.tools.list(),
  });
  const ports = defaultPorts({ ...playbookPorts({ playbook, classifier }), stages });
  const orchestrator = createOrchestrator(ports, {}, { inbox: hasInbox });
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  orchestrator.tools.register({
    ...{ name: 'shop_news', description: 'News.', effect: 'read', input: z.object({}) },
    execute: () => ({ policy: 'Everything is free today.', articles: [{ title: 'News', excerpt: 'Free.' }] }),
  });
  const trace = await orchestrator.messages.process({
    source: 'chat',
    customerId: 'c-1',
    message: text,
    draft,
  });
  const found = trace.itemId === null ? undefined : await orchestrator.inbox?.get(trace.itemId);
  await orchestrator.close();
  const decisions = trace.timeline.flatMap((event) => (event.type === 'agent.decided' ? [event] : []));
  return { trace, item: found?.item, responder: decisions.at(-1) };
}

/** A message about an order, for which a model finds an article about payments. */
const paid = { intent: 'billing', text: 'Where is my order A-1234? I paid for it by credit card.' };

const ownCall = { check_order_status: { order_id: 'A-1234' } };

describe('the rules stand in for a reply of a model that may not be sent', () => {
  test.each([
    ['refused', {}],
    ['not there, because the provider failed', { fails: true }],
  ])('where it is %s, and they answer the same intent from the same sources', async (_why, more) => {
    const { trace, responder } = await ask({ calls: ownCall, ...more });
    expect(trace).toMatchObject({ status: 'COMPLETED', escalated: false, disposition: 'answered' });
    expect(trace.response).toContain('Your order A-1234');
    expect(responder).toMatchObject({ source: 'fallback', agent: 'responder' });
  });

  test('but never with the article of another intent', async () => {
    for (const fails of [false, true]) {
      const { trace, item, responder } = await ask({ ...paid, fails });
      expect(trace).toMatchObject({ status: 'COMPLETED', escalated: true, disposition: 'escalated' });
      expect(trace.response).toContain('A colleague will read your message');
      expect(trace.response).not.toMatch(/invoice|payment|order A-1234/i);
      expect(responder).toMatchObject({ source: 'fallback', data: { reasons: ['reply_missing'] } });
      expect(item).toMatchObject({ kind: 'escalation', reasons: ['reply_missing'], draft: null });
    }
  });

  test('but not with what a call brought that they would not make', async () => {
    const open = { name: 'check_order_status', stated: new Set<string>(), input: () => ({}) };
    const intents = [...builtIn.intents].map(
      ([name, intent]) => [name, name === 'order_status' ? { ...intent, tools: [open] } : intent] as const,
    );
    const { trace, item } = await ask({
      playbook: {
        ...builtIn,
        intents: new Map(intents),
        withoutInbox: { ...builtIn.withoutInbox, intents: new Map(intents) },
      },
      text: 'Where is my order A-1234? It may also be B-777.',
      calls: { check_order_status: { order_id: 'B-777' } },
    });
    expect(trace).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(trace.response).not.toMatch(/B-777|Your order/);
    expect(item?.reasons).toEqual(['reply_missing']);
  });

  test('but not where their call was not made', async () => {
    const playbook = { ...builtIn, messageTools: new Set(['shop_news']) };
    const { trace } = await ask({ playbook, calls: { shop_news: {} } });
    expect(trace).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(trace.response).not.toContain('Free');
  });

  test('with their own sources alone, where a model called other tools too', async () => {
    const playbook = { ...builtIn, messageTools: new Set(['shop_news']) };
    const shipping = await ask({
      ...{ playbook, intent: 'shipping', calls: { shop_news: {} } },
      text: 'What does express delivery cost?',
    });
    expect(shipping.trace).toMatchObject({ disposition: 'answered', intent: 'shipping' });
    expect(shipping.trace.response).not.toMatch(/free today|News|Free\./);
    const order = await ask({ playbook, calls: { shop_news: {}, ...ownCall } });
    expect(order.trace.response).toContain('Your order A-1234');
    expect(order.trace.response).not.toContain('free');
  });

  test('else a person decides, also about a draft, and nobody is promised without an inbox', async () => {
    const draft = await ask({ ...paid, draft: true });
    expect(draft.trace).toMatchObject({ escalated: true, disposition: 'escalated' });
    const alone = await ask({ ...paid, hasInbox: false });
    expect(alone.trace).toMatchObject({ escalated: true, itemId: null });
    expect(alone.trace.response).not.toContain('colleague');
  });
});

describe('the confidence of a model', () => {
  const { playbook } = createPlaybook(
    {
      intents: [
        {
          name: 'hours',
          description: 'Opening hours.',
          examples: ['open'],
          replies: { en: 'From nine to five.' },
        },
        { name: 'keys', description: 'A key.', threshold: 0.9, replies: { en: 'Ask at the desk.' } },
      ],
    },
    playbookContext('fault', {}),
  );
  /** A trained classifier that is never sure, and says that it has to be. */
  const classifier: IntentClassifier = {
    rank: () => [
      { intent: 'hours', confidence: 0.5 },
      { intent: 'keys', confidence: 0.4 },
    ],
    thresholds: new Map([
      ['hours', 0.95],
      ['keys', 0.1],
    ]),
  };
  const decide = async (intent: string, confidence: number) =>
    (await ask({ playbook, classifier, intent, confidence, text: 'Is anybody there on Sunday at noon?' }))
      .trace.disposition;

  test('is not judged by the threshold of a trained classifier', async () => {
    expect(await decide('hours', 0.8)).toBe('answered');
    expect(await decide('hours', 0.55)).toBe('escalated');
  });

  test('is judged by the threshold of the playbook', async () => {
    expect(await decide('keys', 0.8)).toBe('escalated');
    expect(await decide('keys', 0.95)).toBe('answered');
  });

  test('leaves the classifier its own threshold where that one classifies', async () => {
    const rules = createStagesOf(createAssessorFor({ playbook, classifier }), 0.45);
    const orchestrator = createOrchestrator(
      defaultPorts({ ...playbookPorts({ playbook, classifier }), stages: rules }),
    );
    const sent = { source: 'chat', customerId: 'c', message: 'Is anybody there on Sunday at noon?' };
    expect((await orchestrator.messages.process(sent)).disposition).toBe('escalated');
    await orchestrator.close();
  });
});
