import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createPlaybook } from '../../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { createAssessorFor } from '../../../src/adapters/rule-based.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createLlmStages } from '../../../src/adapters/stages/llm/stages.ts';
import { createStagesOf } from '../../../src/adapters/stages/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import type { Playbook, Sureness } from '../../../src/domain/playbook/playbook.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { LanguageModel } from '../../../src/ports/language-model.ts';
import type { Tool } from '../../../src/ports/tool.ts';
import { recordLogs } from '../../support/fakes.ts';
import { createTestApp, jsonOf } from '../../support/http/app.ts';
import { assessed, fits, modelWith } from '../../support/llm/fake-model.ts';
import { recordModelUse } from '../../support/llm/model-places.ts';

const builtIn = defaultPorts().playbook;

const shopNews: Tool = {
  name: 'shop_news',
  description: 'News.',
  effect: 'read',
  input: z.object({}),
  execute: () => ({ policy: 'Everything is free today.', articles: [{ title: 'News', excerpt: 'Free.' }] }),
};

interface Asked {
  readonly playbook?: Playbook;
  readonly classifier?: IntentClassifier;
  readonly intent?: string;
  readonly sure?: Sureness;
  /** The planned calls, as a tool's name and its input. */
  readonly calls?: Readonly<Record<string, JsonObject>>;
  /** A reply that may not be sent when absent. */
  readonly reply?: JsonObject;
  readonly check?: JsonObject;
  /** The responder's call to the provider fails. */
  readonly fails?: boolean;
  readonly hasInbox?: boolean;
  readonly draft?: boolean;
  readonly text?: string;
}

const written = (reply: string, leftOpen: readonly string[] = []): JsonObject => ({
  reply,
  used: [],
  left_open: [...leftOpen],
});

const refused = written('Please send us your password.');

/** A model that replies so. */
function modelFor(asked: Asked): LanguageModel {
  const { intent = 'order_status', sure = 'certain', calls = {}, reply = refused, check = fits } = asked;
  const planned = Object.entries(calls).map(([tool_name, input]) => ({ tool_name, input }));
  const { ask: answer } = modelWith({
    classifier: assessed(intent, { sure, tool_calls: planned }),
    responder: reply,
    verifier: check,
  });
  return (request) =>
    asked.fails && request.purpose === 'responder'
      ? Promise.resolve({
          status: 'error',
          reason: 'timeout',
          tokens: { input: 0, cachedInput: 0, output: 0 },
          calls: 0,
        })
      : answer(request);
}

async function ask(asked: Asked) {
  const { playbook = builtIn, classifier, hasInbox = true, text = 'Where is my order A-1234?' } = asked;
  const { draft = false } = asked;
  const model = modelFor(asked);
  const assessor = createAssessorFor({ playbook, classifier, hasInbox });
  const rules = createStagesOf(assessor, 0.45);
  const stages = createLlmStages({
    findArticles: () => [],
    model,
    assessor,
    rules,
    logger: recordLogs(),
    observer: recordModelUse(),
    enabled: new Set(['classifier', 'planner', 'verifier', 'responder']),
    tools: () => app.orchestrator.tools.list(),
    clock: systemClock,
  });
  const app = createTestApp({
    ports: { ...playbookPorts({ playbook, classifier }), stages },
    tools: [...exampleTools, shopNews],
    options: { inbox: hasInbox },
  });
  const { orchestrator } = app;
  const trace = await orchestrator.messages.process({
    source: 'chat',
    customerId: 'c-1',
    message: text,
    draft,
  });
  const item = trace.itemId === null ? undefined : await jsonOf(await app.request(`/inbox/${trace.itemId}`));
  await orchestrator.close();
  const decisions = trace.timeline.flatMap((event) => (event.type === 'agent.decided' ? [event] : []));
  const of = (agent: string) => decisions.find((one) => one.agent === agent);
  return { trace, item, verifier: of('verifier'), responder: of('responder') };
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
      const { trace, item, verifier, responder } = await ask({ ...paid, fails });
      expect(trace).toMatchObject({ status: 'COMPLETED', escalated: true, disposition: 'escalated' });
      expect(trace.response).toContain('A colleague will read your message');
      expect(trace.response).not.toMatch(/invoice|payment|order A-1234/i);
      expect(verifier).toMatchObject({ data: { reasons: ['reply_missing'] } });
      expect(responder).toMatchObject({
        source: 'fallback',
        data: { reason: fails ? 'timeout' : 'unsafe_reply' },
      });
      expect(item).toMatchObject({
        kind: 'escalation',
        reasons: ['reply_missing'],
        draft: fails ? null : expect.stringContaining('Please send us your password.'),
      });
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
    expect(item).toMatchObject({ reasons: ['reply_missing'] });
  });

  test('but not where their call was not made', async () => {
    const playbook = { ...builtIn, messageTools: new Set(['shop_news']) };
    const { trace } = await ask({ playbook, calls: { shop_news: {} } });
    expect(trace).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(trace.response).not.toContain('Free');
  });

  test('but not where a model called other tools too', async () => {
    const playbook = { ...builtIn, messageTools: new Set(['shop_news']) };
    const text = 'What does express delivery cost?';
    const shipping = await ask({ playbook, intent: 'shipping', calls: { shop_news: {} }, text });
    const order = await ask({ playbook, calls: { shop_news: {}, ...ownCall } });
    for (const { trace, item } of [shipping, order]) {
      expect(trace).toMatchObject({ status: 'COMPLETED', disposition: 'escalated' });
      expect(item).toMatchObject({ reasons: ['reply_missing'] });
      expect(trace.response).not.toMatch(/free|News/);
    }
  });

  test('also with the articles that the service finds for the intent', async () => {
    const { trace } = await ask({ intent: 'shipping', text: 'What does express delivery cost?' });
    expect(trace).toMatchObject({ disposition: 'answered', intent: 'shipping' });
    expect(trace.response).toMatch(/express/i);
  });

  test('else a person decides, also about a draft, and nobody is promised without an inbox', async () => {
    const draft = await ask({ ...paid, draft: true });
    expect(draft.trace).toMatchObject({ escalated: true, disposition: 'escalated' });
    const alone = await ask({ ...paid, hasInbox: false });
    expect(alone.trace).toMatchObject({ escalated: true, itemId: null });
    expect(alone.trace.response).not.toContain('colleague');
  });
});

describe('a person sees the reply of a model that was not sent', () => {
  const good = 'Your order A-1234 was shipped.';

  test.each<[string, string, Asked]>([
    ['leaves something open', 'left_open', { reply: written(good, ['the costs of a return']) }],
    ['does not fit', 'reply_does_not_fit', { reply: written(good), check: { ...fits, fits: false } }],
    [
      'states what no source has',
      'reply_does_not_fit',
      { reply: written(good), check: { ...fits, unsupported: ['that it was shipped'] } },
    ],
  ])('where it %s, as the draft of the item', async (_why, reason, asked) => {
    const { trace, item } = await ask({ calls: ownCall, ...asked });
    expect(trace).toMatchObject({ status: 'COMPLETED', escalated: true, disposition: 'escalated' });
    expect(trace.response).not.toContain('shipped');
    expect(item).toMatchObject({
      kind: 'escalation',
      reasons: [reason],
      draft: expect.stringContaining(good),
      subject: { kind: 'message', id: trace.traceId },
    });
    // It is in the item alone.
    expect(JSON.stringify(trace)).not.toContain(good);
  });

  test('where it was refused twice, and is promised nothing without an inbox', async () => {
    const { item } = await ask(paid);
    expect(item).toMatchObject({ draft: expect.stringContaining('Please send us your password.') });
    const alone = await ask({ ...paid, hasInbox: false });
    expect(alone.item).toBeUndefined();
    expect(alone.trace.response).not.toContain('password.');
  });

  test('and no draft where the model wrote none', async () => {
    const { item } = await ask({ text: 'Where is my order A-1234? My lawyer will sue you.' });
    expect(item).toMatchObject({ kind: 'escalation', draft: null });
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
        { name: 'keys', description: 'A key.', model_threshold: 0.9, replies: { en: 'Ask at the desk.' } },
        { name: 'pool', description: 'The pool.', threshold: 0.99, replies: { en: 'It is open.' } },
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
  const decide = async (intent: string, sure: Sureness) =>
    (await ask({ playbook, classifier, intent, sure, text: 'Is anybody there on Sunday at noon?' })).trace
      .disposition;

  test('is not judged by the threshold of a trained classifier', async () => {
    expect(await decide('hours', 'likely')).toBe('answered');
    expect(await decide('hours', 'unsure')).toBe('escalated');
  });

  test('is judged by the threshold that the playbook states for it, and by no other', async () => {
    expect(await decide('keys', 'likely')).toBe('escalated');
    expect(await decide('keys', 'certain')).toBe('answered');
    expect(await decide('pool', 'likely')).toBe('answered');
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
