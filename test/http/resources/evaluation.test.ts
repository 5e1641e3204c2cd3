import { afterEach, describe, expect, test } from 'vitest';
import { createRuleBasedStages } from '../../../src/adapters/rule-based.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import type { ItemDecision } from '../../../src/application/inbox/inbox.ts';
import { concerns, intents } from '../../../src/domain/message/message.ts';
import { createTestApp, expectError, jsonOf, type TestAppOverrides } from '../../support/http/app.ts';
import { bodyOf, postJson, type Service, startService } from '../../support/process/service.ts';
import { decided, scriptedStages } from '../../support/stages.ts';

const running: Service[] = [];

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

/** The app with the default stages and tools. */
function createApp(overrides: TestAppOverrides = {}) {
  const stages = createRuleBasedStages({ escalationThreshold: 0.45 });
  return createTestApp({ ...overrides, ports: { stages, ...overrides.ports }, tools: exampleTools });
}

interface WireEvaluation {
  readonly dataset: { readonly name: string; readonly size: number; readonly seed: number | null };
  readonly total_tickets: number;
  readonly classification_accuracy: number;
  readonly per_intent: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly calibration: readonly Readonly<Record<string, number | null>>[];
  readonly dispositions: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly needless: readonly Readonly<Record<string, unknown>>[];
  readonly misclassified: readonly Readonly<Record<string, unknown>>[];
  readonly thresholds: readonly Readonly<Record<string, number>>[];
}

const ticket = { message: 'I want a refund', expected_intent: 'refund' };

describe('POST /evaluation', () => {
  test.each<[string, RequestInit]>([
    ['no body', {}],
    ['an empty body', { body: '' }],
    ['an empty body of JSON', { body: '', headers: { 'Content-Type': 'application/json' } }],
    ['an empty object', { body: '{}', headers: { 'Content-Type': 'application/json' } }],
    ['an unknown member', { body: '{"colour": 1}', headers: { 'Content-Type': 'application/json' } }],
  ])('evaluates 200 synthetic tickets of seed 0 with %s', async (_, init) => {
    const response = await createApp().request('/evaluation', { method: 'POST', ...init });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({
      status: 'completed',
      dataset: { name: 'synthetic', size: 200, seed: 0 },
      total_tickets: 200,
    });
  });

  test('returns every score as a finite number', async () => {
    const response = await createApp().post('/evaluation', { seed: 2, size: 400 });
    const body = await jsonOf<WireEvaluation>(response);
    const share = expect.toSatisfy((value) => typeof value === 'number' && value >= 0 && value <= 1);
    const amount = expect.toSatisfy((value) => typeof value === 'number' && value >= 0);
    expect(body).toEqual({
      status: 'completed',
      dataset: {
        name: 'synthetic',
        size: 400,
        seed: 2,
        description: expect.stringContaining('templates'),
      },
      total_tickets: 400,
      classification_accuracy: share,
      macro_f1: share,
      tool_selection_accuracy: share,
      escalation_accuracy: share,
      escalation_rate: share,
      escalation_reasons: expect.objectContaining({ low_confidence: amount }),
      answered_wrong_rate: share,
      failure_rate: 0,
      average_latency_ms: amount,
      p95_latency_ms: amount,
      calibration_error: share,
      calibration: Array.from({ length: 10 }, (_, bin) => ({
        from: bin / 10,
        to: (bin + 1) / 10,
        count: amount,
        accuracy: expect.toSatisfy((value) => value === null || (value >= 0 && value <= 1)),
      })),
      per_intent: Object.fromEntries(
        intents.map((intent) => [intent, { precision: share, recall: share, f1: share, support: amount }]),
      ),
      confusion: expect.any(Object),
      concerns: {
        recall: share,
        precision: share,
        per_concern: Object.fromEntries(
          concerns.map((concern) => [concern, { recall: share, precision: share, support: amount }]),
        ),
      },
      dispositions: expect.any(Object),
      misclassified: expect.any(Array),
      needless: expect.any(Array),
      thresholds: Array.from({ length: 21 }, (_, step) => ({
        threshold: (step * 5) / 100,
        coverage: share,
        error_rate: share,
        escalation_rate: share,
      })),
    });
    expect(Object.keys(body.confusion).sort()).toEqual([...intents].sort());
    const counted = Object.values(body.confusion).flatMap((row) => Object.values(row));
    const expecting = body.calibration.reduce((total, { count }) => total + Number(count), 0);
    expect(counted.reduce((total, count) => total + count, 0)).toBe(expecting);
    expect(expecting).toBeGreaterThan(200);
    // The built-in playbook makes no drafts.
    expect(Object.keys(body.dispositions).sort()).toEqual(['answered', 'escalated', 'no_reply']);
    expect(body.misclassified.length).toBeLessThanOrEqual(20);
    for (const one of body.misclassified) {
      expect(one).toEqual({
        message: expect.any(String),
        expected: expect.toSatisfy((name) => intents.includes(name)),
        predicted: expect.toSatisfy((name) => intents.includes(name)),
        confidence: share,
      });
      expect(one['predicted']).not.toBe(one['expected']);
    }
  });

  test('returns thresholds without rounding errors', async () => {
    const text = await (await createApp().post('/evaluation', { size: 1 })).text();
    const written = [...text.matchAll(/"threshold":([\d.]+)/g)].map(([, number]) => number);
    expect(written.join(' ')).toBe(
      '0 0.05 0.1 0.15 0.2 0.25 0.3 0.35 0.4 0.45 0.5 0.55 0.6 0.65 0.7 0.75 0.8 0.85 0.9 0.95 1',
    );
  });

  test('returns the same for the same seed, and something else for another', async () => {
    const { post } = createApp();
    const scoresOf = async (seed: number) => (await post('/evaluation', { seed, size: 100 })).text();
    expect(await scoresOf(-8)).toBe(await scoresOf(-8));
    expect(await scoresOf(-8)).not.toBe(await scoresOf(9_007_199_254_740_991));
  });

  test('accepts sizes from 1 to 5000', async () => {
    const { post } = createApp({ ports: { stages: scriptedStages() } });
    for (const size of [1, 5_000]) {
      expect(await jsonOf(await post('/evaluation', { size }))).toMatchObject({ total_tickets: size });
    }
  });

  test('evaluates the given tickets by their expectations', async () => {
    const { post } = createApp();
    const tickets = [
      { ...ticket, expected_tools: ['refund_policy'], expected_escalated: false },
      { ...ticket, expected_tools: [], expected_escalated: true },
      { message: 'get me a human', expected_intent: 'spam', comment: 'not looked at' },
    ];
    const body = await jsonOf<WireEvaluation>(await post('/evaluation', { tickets, seed: 5, size: 9 }));
    expect(body).toMatchObject({
      dataset: { name: 'request', size: 3, seed: null },
      total_tickets: 3,
      classification_accuracy: 2 / 3,
      tool_selection_accuracy: 0.5,
      escalation_accuracy: 0.5,
      confusion: { refund: { refund: 2 }, spam: { human_agent: 1 } },
      misclassified: [{ message: 'get me a human', expected: 'spam', predicted: 'human_agent' }],
    });
    expect(Object.keys(body.per_intent)).toEqual(['refund', 'human_agent', 'spam']);
  });

  test('evaluates the dispositions and concerns that tickets expect, without an intent too', async () => {
    const verdict = { escalated: true, reasons: ['legal'], concerns: ['legal', 'fraud'] } as const;
    const { post } = createApp({ ports: { stages: scriptedStages({ verdict }) } });
    const tickets = [
      { message: 'I will sue you', expected_disposition: 'escalated', expected_concerns: ['legal'] },
      { message: 'I want a refund', expected_intent: 'refund', expected_concerns: [] },
      { message: 'out of office', expected_disposition: 'no_reply' },
    ];
    expect(await jsonOf(await post('/evaluation', { tickets }))).toMatchObject({
      total_tickets: 3,
      classification_accuracy: 1,
      escalation_accuracy: 0.5,
      answered_wrong_rate: 0,
      confusion: { refund: { refund: 1 } },
      concerns: {
        recall: 1,
        precision: 0.5,
        per_concern: {
          fraud: { recall: null, precision: 0, support: 0 },
          legal: { recall: 1, precision: 0.5, support: 1 },
        },
      },
      dispositions: { escalated: { escalated: 1 }, no_reply: { escalated: 1 } },
    });
  });

  test('returns the effect of each threshold', async () => {
    const { post } = createApp({ ports: { stages: scriptedStages() } });
    const tickets = [ticket, ticket, { message: 'x', expected_intent: 'spam' }];
    const { thresholds } = await jsonOf<WireEvaluation>(await post('/evaluation', { tickets }));
    expect(thresholds[18]).toEqual({ threshold: 0.9, coverage: 1, error_rate: 1 / 3, escalation_rate: 0 });
    expect(thresholds[19]).toEqual({ threshold: 0.95, coverage: 0, error_rate: 0, escalation_rate: 1 });
  });

  test('returns null for scores that no ticket has an expectation for', async () => {
    const body = await jsonOf(await createApp().post('/evaluation', { tickets: [ticket] }));
    expect(body).toMatchObject({ tool_selection_accuracy: null, escalation_accuracy: null });
  });

  test('returns misclassified messages unchanged', async () => {
    const message = 'a\u0000b \ud83d <b>ünï</b> "\u2028 __proto__';
    const { post } = createApp({ ports: { stages: scriptedStages() } });
    const response = await post('/evaluation', { tickets: [{ message, expected_intent: 'spam' }] });
    const { misclassified } = await jsonOf<WireEvaluation>(response);
    expect(misclassified).toEqual([{ message, expected: 'spam', predicted: 'refund', confidence: 0.9 }]);
  });

  test('tells which tickets were escalated needlessly, and why', async () => {
    const verdict = { escalated: true, reasons: ['low_confidence'] } as const;
    const { post } = createApp({ ports: { stages: scriptedStages({ verdict }) } });
    const tickets = [
      { message: 'I want a refund', expected_intent: 'refund' },
      { message: 'Let me talk to a person', expected_intent: 'human_agent' },
      { message: 'I will sue you', expected_disposition: 'escalated' },
      { message: 'Thanks', expected_disposition: 'no_reply' },
    ];
    const { needless } = await jsonOf<WireEvaluation>(await post('/evaluation', { tickets }));
    const decided = { predicted: 'refund', confidence: 0.9, reasons: ['low_confidence'] };
    expect(needless).toEqual([
      { message: 'I want a refund', expected: 'refund', ...decided },
      { message: 'Thanks', expected: null, ...decided },
    ]);
  });

  test('lists as many misclassified and needless tickets as misclassified_limit says', async () => {
    const { post } = createApp({
      ports: { stages: scriptedStages({ verdict: { escalated: true, reasons: ['x'] } }) },
    });
    const tickets = Array.from({ length: 30 }, (_, at) => ({ message: `m${at}`, expected_intent: 'spam' }));
    const listed = async (limit?: number) => {
      const response = await post('/evaluation', { tickets, misclassified_limit: limit });
      const { misclassified, needless } = await jsonOf<WireEvaluation>(response);
      return [misclassified.length, needless.length];
    };
    expect(await listed()).toEqual([20, 20]);
    expect(await listed(25)).toEqual([25, 25]);
    expect(await listed(1_000)).toEqual([30, 30]);
    await expectError(
      await post('/evaluation', { misclassified_limit: 1_001 }),
      422,
      'misclassified_limit: must be at most 1000',
    );
  });

  test('counts tickets on which a stage fails', async () => {
    const stages = scriptedStages(
      {},
      {
        classify() {
          throw new Error('out of words');
        },
      },
    );
    const text = await (
      await createApp({ ports: { stages } }).post('/evaluation', { tickets: [ticket] })
    ).text();
    expect(JSON.parse(text)).toMatchObject({
      status: 'completed',
      classification_accuracy: 0,
      failure_rate: 1,
      escalation_rate: 1,
      confusion: { refund: { unknown: 1 } },
      misclassified: [{ predicted: 'unknown', confidence: 0 }],
    });
    expect(text).not.toContain('out of words');
  });
});

/** An app whose inbox has resolved these messages, each with its decision; the examples are accepted. */
async function createAppWithExamples(
  decisions: readonly (readonly [string, Omit<ItemDecision, 'by'>])[],
  isAccepted = true,
) {
  const verdict = { escalated: true, reasons: ['low_confidence'] };
  const app = createApp({ ports: { stages: scriptedStages({ verdict }) } });
  const { messages, inbox, datasets } = app.orchestrator;
  for (const [message, decision] of decisions) {
    const { itemId } = await messages.process({ source: 'email', customerId: 'c', message });
    if (itemId === null) throw new Error('the message has no item');
    await inbox?.resolve(itemId, { ...decision, by: 'ada' });
    if (isAccepted) await datasets.decide('inbox', itemId, { status: 'accepted', by: 'ada' });
  }
  return app;
}

describe('an evaluation of a dataset', () => {
  test('is about its accepted examples, as people have decided them', async () => {
    const app = await createAppWithExamples([
      ['I want a refund', { outcome: 'answered', escalationRight: false }],
      ['Where is it?', { outcome: 'answered', intent: 'order_status', escalationRight: true }],
      ['Buy now', { outcome: 'spam' }],
    ]);
    const response = await app.post('/evaluation', { dataset_id: 'inbox' });
    expect(response.status).toBe(200);
    expect(await jsonOf(response)).toMatchObject({
      dataset: {
        name: 'inbox',
        size: 3,
        seed: null,
        description: 'Messages that people have handled in the inbox, as accepted examples.',
      },
      total_tickets: 3,
      classification_accuracy: 1 / 3,
      escalation_accuracy: 1 / 3,
      dispositions: { no_reply: { escalated: 1 } },
      confusion: { refund: { refund: 1 }, order_status: { refund: 1 }, spam: { refund: 1 } },
    });
  });

  test('opens no items, and tells and stores nothing', async () => {
    const app = await createAppWithExamples([['I want a refund', { outcome: 'answered' }]]);
    const before = app.recorded.events.length;
    const counts = await app.orchestrator.inbox?.list({}, { limit: 10 });
    await app.post('/evaluation', { dataset_id: 'inbox' });
    expect(app.recorded.events).toHaveLength(before);
    expect(await app.orchestrator.inbox?.list({}, { limit: 10 })).toEqual(counts);
    expect(await app.orchestrator.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 1 });
  });

  test('is 422 while nothing is accepted', async () => {
    const detail = 'dataset_id: no example of the dataset is accepted yet';
    await expectError(await createApp().post('/evaluation', { dataset_id: 'inbox' }), 422, detail);
    const app = await createAppWithExamples([['I want a refund', { outcome: 'answered' }]], false);
    await expectError(await app.post('/evaluation', { dataset_id: 'inbox' }), 422, detail);
  });

  test('is 404 for an unknown dataset', async () => {
    const response = await createApp().post('/evaluation', { dataset_id: 'nobody' });
    await expectError(response, 404, 'dataset "nobody" not found');
  });

  test.each<[object, RegExp]>([
    [{ tickets: [ticket] }, /^tickets: must not be given with dataset_id$/],
    [{ seed: 0 }, /^seed: must not be given with dataset_id$/],
    [{ size: 200 }, /^size: must not be given with dataset_id$/],
    [{ seed: 1, size: 2 }, /^seed: must not be .*; size: must not be/],
  ])('is 422 together with %j', async (others, detail) => {
    const response = await createApp().post('/evaluation', { dataset_id: 'inbox', ...others });
    await expectError(response, 422, detail);
  });

  test.each([[''], ['x'.repeat(129)], [7], [null]])('is 422 for the id %j', async (id) => {
    const response = await createApp().post('/evaluation', { dataset_id: id });
    await expectError(response, 422, /^dataset_id: /);
  });
});

describe('an invalid evaluation request', () => {
  const many = Array.from({ length: 5_001 }, () => ticket);

  test.each<[string, unknown, RegExp]>([
    ['a size of 0', { size: 0 }, /^size: must be at least 1$/],
    ['a size of 5001', { size: 5_001 }, /^size: must be at most 5000$/],
    ['a size below zero', { size: -1 }, /^size: /],
    ['half a ticket', { size: 1.5 }, /^size: must be an integer$/],
    ['a size as text', { size: '10' }, /^size: must be an integer$/],
    ['no size', { size: null }, /^size: must be an integer$/],
    ['a seed as text', { seed: 'x' }, /^seed: must be an integer$/],
    ['a seed with a fraction', { seed: 0.5 }, /^seed: must be an integer$/],
    ['a seed beyond exact numbers', { seed: 2 ** 53 }, /^seed: /],
    ['no seed', { seed: null }, /^seed: /],
    ['no tickets', { tickets: [] }, /^tickets: must contain at least 1 ticket$/],
    ['too many tickets', { tickets: many }, /^tickets: must contain at most 5000 tickets$/],
    ['tickets that are no list', { tickets: ticket }, /^tickets: must be an array of tickets$/],
    ['null for tickets', { tickets: null }, /^tickets: /],
    ['a ticket that is no object', { tickets: [ticket, 'x'] }, /^tickets\.1: /],
    [
      'an unknown intent',
      { tickets: [{ ...ticket, expected_intent: 'x' }] },
      /^tickets\.0\.expected_intent: must be one of refund, /,
    ],
    [
      'unknown for an intent',
      { tickets: [{ ...ticket, expected_intent: 'unknown' }] },
      /^tickets\.0\.expected_intent: /,
    ],
    ['no intent', { tickets: [{ message: 'x' }] }, /^tickets\.0\.expected_intent: /],
    ['a blank message', { tickets: [{ ...ticket, message: ' \t\n' }] }, /^tickets\.0\.message: must not be /],
    [
      'an empty message',
      { tickets: [{ ...ticket, message: '' }] },
      /^tickets\.0\.message: must not be empty$/,
    ],
    ['no message', { tickets: [{ expected_intent: 'refund' }] }, /^tickets\.0\.message: is required$/],
    [
      'a message too long',
      { tickets: [{ ...ticket, message: 'x'.repeat(32_769) }] },
      /^tickets\.0\.message: must be at most 32768 characters$/,
    ],
    [
      'tools that are no list',
      { tickets: [{ ...ticket, expected_tools: 'a' }] },
      /^tickets\.0\.expected_tools: /,
    ],
    [
      'half a million expected tools that are none',
      { tickets: [{ ...ticket, expected_tools: new Array(500_000).fill(0) }] },
      /^tickets\.0\.expected_tools: must have at most 10000 items, but there are 500000$/,
    ],
    [
      'a tool that is no text',
      { tickets: [{ ...ticket, expected_tools: [1] }] },
      /^tickets\.0\.expected_tools\.0: /,
    ],
    [
      'an escalation that is no truth',
      { tickets: [{ ...ticket, expected_escalated: 'no' }] },
      /^tickets\.0\.expected_escalated: /,
    ],
    [
      'an unknown disposition',
      { tickets: [{ ...ticket, expected_disposition: 'sent' }] },
      /^tickets\.0\.expected_disposition: must be one of answered, escalated, no_reply, draft$/,
    ],
    [
      'an unknown concern',
      { tickets: [{ ...ticket, expected_concerns: ['legal', 'weather'] }] },
      /^tickets\.0\.expected_concerns\.1: must be one of self_harm, /,
    ],
    [
      'concerns that are no list',
      { tickets: [{ ...ticket, expected_concerns: 'legal' }] },
      /^tickets\.0\.expected_concerns: must be an array$/,
    ],
    [
      'more concerns than there are',
      { tickets: [{ ...ticket, expected_concerns: Array(10).fill('legal') }] },
      /^tickets\.0\.expected_concerns: must contain at most 9 concerns$/,
    ],
    [
      'nothing expected but tools',
      { tickets: [{ message: 'x', expected_tools: [] }] },
      /^tickets\.0\.expected_intent: is required without an expected disposition or concerns$/,
    ],
    [
      'a disposition that contradicts the escalation',
      { tickets: [{ ...ticket, expected_escalated: true, expected_disposition: 'answered' }] },
      /^tickets\.0\.expected_disposition: must be escalated exactly when an escalation is expected$/,
    ],
    [
      'a concern without an escalation',
      { tickets: [{ ...ticket, expected_escalated: false, expected_concerns: ['legal'] }] },
      /^tickets\.0\.expected_escalated: must be escalated where concerns are expected$/,
    ],
    ['a list', [], /^body: /],
    ['null', null, /^body: /],
    ['a text', '"x"', /^body: /],
    ['two issues', { size: 0, seed: 'x' }, /seed: .*size: /],
  ])('is rejected with 422 and its issues: %s', async (_, body, detail) => {
    const { post, recorded } = createApp();
    await expectError(await post('/evaluation', body), 422, detail);
    expect(recorded.events).toEqual([]);
  });

  test('has its issues truncated', async () => {
    const tickets = Array.from({ length: 5_000 }, () => ({}));
    await expectError(await createApp().post('/evaluation', { tickets }), 422, /^tickets\.0\.message/);
  });
});

describe('more evaluations than can wait', () => {
  test('get 503 with Retry-After; the others are completed', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const stages = scriptedStages(
      {},
      {
        async classify() {
          await opened;
          return decided({ intent: 'refund', confidence: 0.9 });
        },
      },
    );
    const { post } = createApp({ ports: { stages } });
    const sent = Array.from({ length: 10 }, () => post('/evaluation', { tickets: [ticket] }));
    // The others wait.
    const rejected = await Promise.race(sent);
    expect(rejected.headers.get('retry-after')).toBe('5');
    await expectError(rejected, 503, 'too many evaluations are waiting already');
    open();
    const accepted = (await Promise.all(sent)).filter((response) => response !== rejected);
    expect(accepted.map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect((await post('/evaluation', { tickets: [ticket] })).status).toBe(200);
  });
});

describe('the service during and after an evaluation of five thousand tickets', () => {
  test('serves other requests, changes no metric of messages, and stores no trace', async () => {
    const service = await startService();
    running.push(service);
    const ofMessages = async (): Promise<readonly string[]> => {
      const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return metrics.split('\n').filter((line) => /^service_(?:tool|verifier|llm|store)_/.test(line));
    };
    await postJson(`${service.baseUrl}/messages`, { customer_id: 'c', message: 'I want a refund' });
    const before = await ofMessages();
    expect(before).toContain('service_tool_execution_total{tool_name="refund_policy",status="success"} 1');

    let isDone = false;
    const evaluation = postJson(`${service.baseUrl}/evaluation`, { size: 1_500 }).then(async (response) => {
      isDone = true;
      return bodyOf<WireEvaluation>(response);
    });
    let answered = 0;
    while (!isDone) {
      expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200);
      if (!isDone) answered += 1;
    }
    expect(await evaluation).toMatchObject({ status: 'completed', total_tickets: 1_500 });
    expect(answered).toBeGreaterThan(2);
    expect(await ofMessages()).toEqual(before);
    expect(await bodyOf(await fetch(`${service.baseUrl}/trace`))).toMatchObject({ total: 1 });
  });
});
