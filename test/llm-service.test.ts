import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { assessed, fits } from './support/llm/fake-model.ts';
import {
  dataOf,
  type FakeProvider,
  type ProviderReply,
  type ProviderRequest,
  purposeOf,
  startFakeProvider,
} from './support/llm/fake-provider.ts';
import { byPurpose, completion, failure, inTurn, json } from './support/llm/provider-replies.ts';
import { bodyOf, postJson, type Service, startService } from './support/process/service.ts';

const key = 'sk-canary-5f1d0c';

const decisions = {
  classifier: assessed('refund', {
    tool_calls: [{ tool_name: 'refund_policy', input: { reason: 'damaged' } }],
  }),
  responder: { reply: 'We gladly take it back.', used: ['c1'], left_open: [] },
  verifier: fits,
  decomposer: {
    subtasks: [
      { agent_name: 'summary', text: 'It rained. It poured. It stopped.', input: '{"max_sentences":1}' },
      { agent_name: 'echo', text: 'Say hello.', input: null },
    ],
    unassigned: ['then greet', 'and paint the fence'],
  },
};

const message = { customer_id: 'c-1', source: 'email', message: 'What is your refund policy?' };

interface Decision {
  readonly agent: string;
  readonly source: string;
  readonly summary: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Trace {
  readonly status: string;
  readonly intent: string;
  readonly confidence: number;
  readonly escalated: boolean;
  readonly response: string;
  readonly agent_decisions: readonly Decision[];
}

interface Reply {
  readonly trace_id: string;
  readonly status: string;
}

let provider: FakeProvider;
/** The requests that the provider had received before the test. */
let earlier = 0;
let service: Service | undefined;
const shared = new Map<string, Promise<Service>>();

type Settings = Readonly<Record<string, string>>;

beforeAll(async () => {
  provider = await startFakeProvider(byPurpose(decisions));
});

beforeEach(() => {
  provider.follow(byPurpose(decisions));
  earlier = provider.requests.length;
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
});

afterAll(async () => {
  for (const running of shared.values()) await (await running).stop();
  await provider.close();
});

const startWith = (settings: Settings): Promise<Service> =>
  startService({
    LLM_API_KEY: key,
    LLM_BASE_URL: provider.baseUrl,
    LLM_MAX_RETRIES: '0',
    LOG_LEVEL: 'trace',
    ...settings,
  });

/** Starts the service with the provider, for one test. */
async function start(settings: Settings = {}): Promise<Service> {
  service = await startWith(settings);
  return service;
}

/** The service with these settings that tests share: none of them breaks the provider or counts what others do. */
function share(settings: Settings = {}): Promise<Service> {
  const name = JSON.stringify(settings);
  const running = shared.get(name) ?? startWith(settings);
  shared.set(name, running);
  return running;
}

const containing = (text: string): unknown => expect.stringContaining(text);

/** Sends the message and reads its trace. */
async function traceOf({ baseUrl }: Service, text = message.message): Promise<Trace> {
  const reply = await postJson(`${baseUrl}/messages`, { ...message, message: text });
  expect(reply.status).toBe(200);
  const { trace_id } = await bodyOf<Reply>(reply);
  return bodyOf<Trace>(await fetch(`${baseUrl}/trace/${trace_id}`));
}

function sourcesOf({ agent_decisions }: Trace): Readonly<Record<string, string>> {
  return Object.fromEntries(agent_decisions.map(({ agent, source }) => [agent, source]));
}

/** The lines of the model's metrics, without their comments. */
async function modelMetrics({ baseUrl }: Pick<Service, 'baseUrl'>): Promise<readonly string[]> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith('service_llm_'));
}

/** The requests of the test to the provider. */
const requests = (): readonly ProviderRequest[] => provider.requests.slice(earlier);

/** The purposes of the requests to the model. */
function purposes(): readonly string[] {
  return modelRequests().map(purposeOf);
}

function modelRequests(): readonly ProviderRequest[] {
  return requests().filter(({ path }) => path.endsWith('/chat/completions'));
}

const onlyClassifier = { LLM_MODEL: 'another-model', LLM_STAGES: 'classifier' };

describe('the service with a language model', () => {
  test('uses it in all four stages of a message, with three calls, and records that in the trace with its tokens', async () => {
    const running = await start();
    const trace = await traceOf(running);
    expect(trace).toMatchObject({
      status: 'COMPLETED',
      intent: 'refund',
      confidence: 0.95,
      escalated: false,
      response: expect.stringContaining('We gladly take it back.'),
      // The playbook sets the reason, and the message names none: what the model says of it is not used.
      tool_calls: [{ tool_name: 'refund_policy', input: {}, status: 'success' }],
    });
    expect(trace.agent_decisions.map(({ agent }) => agent)).toEqual([
      'classifier',
      'planner',
      'verifier',
      'responder',
    ]);
    const used = { calls: 1, tokens: { input: 11, cached_input: 0, output: 7 } };
    for (const { agent, source, data } of trace.agent_decisions) {
      expect(source).toBe('llm');
      // The planned calls come with the classification.
      if (agent === 'planner') expect(Object.keys(data)).not.toContain('tokens');
      else expect(data).toMatchObject(used);
    }
    expect(purposes()).toEqual(['classifier', 'responder', 'verifier']);
    expect(await modelMetrics(running)).toEqual(
      ['classifier', 'responder', 'verifier'].flatMap((stage) => [
        `service_llm_tokens_total{stage="${stage}",kind="input"} 11`,
        `service_llm_tokens_total{stage="${stage}",kind="output"} 7`,
      ]),
    );
  });

  test('calls the configured model with the key, and sends the message as data', async () => {
    await traceOf(await share(onlyClassifier));
    const [request] = modelRequests();
    if (request === undefined) throw new Error('the model was not called');
    expect(request.headers.authorization).toBe(`Bearer ${key}`);
    expect(request.body).toMatchObject({ model: 'another-model' });
    const now = { date: expect.any(String), weekday: expect.any(String), time: expect.any(String) };
    expect(dataOf(request)).toEqual({
      language: 'en',
      message: message.message,
      now: { ...now, time_zone: 'UTC' },
    });
  });

  test('uses it only in the configured stages', async () => {
    const running = await share(onlyClassifier);
    expect(sourcesOf(await traceOf(running))).toEqual({
      classifier: 'llm',
      planner: 'deterministic',
      verifier: 'deterministic',
      responder: 'deterministic',
    });
    const routed = await postJson(`${running.baseUrl}/agents/route`, { goal: 'Summarize this. It is long.' });
    expect(await bodyOf(routed)).toMatchObject({ decomposition: 'keyword', status: 'completed' });
    expect(purposes()).toEqual(['classifier']);
  });

  test('uses it for messages of a batch, of an agent and of a workflow too', async () => {
    const { baseUrl } = await start({ LLM_STAGES: 'responder' });
    const batch = await postJson(`${baseUrl}/messages/batch`, { messages: [message, message] });
    const { results } = await bodyOf<{ results: readonly unknown[] }>(batch);
    expect(results).toMatchObject(
      [decisions.responder, decisions.responder].map(({ reply }) => ({ response: containing(reply) })),
    );
    const subtask = { agent_name: 'support_pipeline', payload: { message: message.message } };
    const routed = await postJson(`${baseUrl}/agents/route`, { goal: 'answer', subtasks: [subtask] });
    expect(await bodyOf(routed)).toMatchObject({
      decomposition: 'explicit',
      results: [{ output: { response: containing(decisions.responder.reply) } }],
    });
    const step = { id: 'a', kind: 'agent', agent_name: 'support_pipeline', static_input: subtask.payload };
    const created = await postJson(`${baseUrl}/workflows`, { name: 'w', steps: [step] });
    const { id } = await bodyOf<{ id: string }>(created);
    expect(await bodyOf(await postJson(`${baseUrl}/workflows/${id}/run`, {}))).toMatchObject({
      status: 'COMPLETED',
      step_results: { a: { output: { response: containing(decisions.responder.reply) } } },
    });
    expect(purposes()).toEqual(Array(4).fill('responder'));
  });

  test('lets it not overrule unmistakable words, and asks once for a message that a person gets', async () => {
    const trace = await traceOf(await share(), 'Give me my refund or my lawyer will sue you');
    expect(trace).toMatchObject({ status: 'COMPLETED', escalated: true });
    expect(purposes()).toEqual(['classifier']);
  });

  test('scores its decisions in an evaluation, and stores none of them', async () => {
    const { baseUrl } = await share(onlyClassifier);
    const { total } = await bodyOf<{ total: number }>(await fetch(`${baseUrl}/trace/`));
    const tickets = ['refund', 'spam'].map((expected_intent) => ({ message: 'hm', expected_intent }));
    expect(await bodyOf(await postJson(`${baseUrl}/evaluation`, { tickets }))).toMatchObject({
      classification_accuracy: 0.5,
      misclassified: [{ expected: 'spam', predicted: 'refund', confidence: 0.95 }],
    });
    expect(purposes()).toEqual(['classifier', 'classifier']);
    expect(await bodyOf(await fetch(`${baseUrl}/trace/`))).toMatchObject({ total });
  });
});

describe('a goal', () => {
  const goal = 'Say what the weather was, then greet.';

  test('is split by the model, and each part is sent to the agent that it names', async () => {
    const { baseUrl } = await share();
    const reply = await postJson(`${baseUrl}/agents/route`, { goal });
    expect(reply.status).toBe(200);
    const routing = await bodyOf<{ routing_id: string }>(reply);
    expect(routing).toMatchObject({
      decomposition: 'llm',
      status: 'completed',
      unassigned: ['then greet'],
      results: [
        {
          agent_name: 'summary',
          payload: { text: 'It rained. It poured. It stopped.', goal, max_sentences: 1 },
          status: 'completed',
          output: { sentence_count: 1, original_sentence_count: 3 },
        },
        { agent_name: 'echo', status: 'completed', output: { text: 'Say hello.', goal } },
      ],
    });
    expect(purposes()).toEqual(['decomposer']);
    expect(await bodyOf(await fetch(`${baseUrl}/agents/routes/${routing.routing_id}`))).toEqual(routing);
  });

  test('with its own subtasks is never sent to the model', async () => {
    const { baseUrl } = await share();
    const subtasks = [{ agent_name: 'echo', payload: { a: 1 } }];
    const reply = await postJson(`${baseUrl}/agents/route`, { goal, subtasks });
    expect(await bodyOf(reply)).toMatchObject({ decomposition: 'explicit', status: 'completed' });
    expect(requests()).toEqual([]);
  });

  test('that no agent can do, as the model says, fails with the names of the agents', async () => {
    provider.follow(byPurpose({ decomposer: { subtasks: [], unassigned: ['echo my fence'] } }));
    const running = await share();
    const before = await modelMetrics(running);
    const reply = await postJson(`${running.baseUrl}/agents/route`, { goal: 'echo my fence in green' });
    expect(await bodyOf(reply)).toMatchObject({
      decomposition: 'llm',
      status: 'failed',
      error:
        'no registered agent matches the goal; the registered agents are echo, summary, support_pipeline',
      unassigned: ['echo my fence'],
      results: [],
    });
    const fallbacks = (lines: readonly string[]) => lines.filter((line) => line.includes('fallbacks'));
    expect(fallbacks(await modelMetrics(running))).toEqual(fallbacks(before));
  });

  test('that the model assigns to an unknown agent is split by keywords', async () => {
    provider.follow(byPurpose({ decomposer: { subtasks: [{ agent_name: 'root', text: 'hello' }] } }));
    const running = await share();
    const reply = await postJson(`${running.baseUrl}/agents/route`, { goal: 'echo hello' });
    expect(await bodyOf(reply)).toMatchObject({
      decomposition: 'keyword',
      status: 'completed',
      results: [{ agent_name: 'echo' }],
    });
    expect(await modelMetrics(running)).toContain(
      'service_llm_fallbacks_total{stage="decomposer",reason="bad_plan"} 1',
    );
  });
});

const withoutKey = { LLM_API_KEY: '' };

describe('a provider that fails', () => {
  test('leaves every decision to the rules, with the same response as without a model', async () => {
    const expected = await traceOf(await share(withoutKey));
    provider.follow(inTurn(failure(500, {}, `no luck with ${key}`)));
    const running = await start();
    const trace = await traceOf(running);
    expect(sourcesOf(trace)).toEqual({
      classifier: 'fallback',
      planner: 'fallback',
      // The rules wrote the reply: there is none to check.
      verifier: 'deterministic',
      responder: 'fallback',
    });
    const comparable = ({ status, intent, confidence, escalated, response }: Trace) => {
      return { status, intent, confidence, escalated, response };
    };
    expect(comparable(trace)).toEqual(comparable(expected));
    const reasonsOf = ({ agent_decisions }: Trace) => agent_decisions.map(({ data }) => data['reason']);
    expect(reasonsOf(trace)).toEqual(['provider_error', 'provider_error', undefined, 'provider_error']);
    const next = await traceOf(running);
    expect(comparable(next)).toEqual(comparable(expected));
    expect(reasonsOf(next)).toEqual(['provider_error', 'provider_error', undefined, 'breaker_open']);
    expect(await modelMetrics(running)).toEqual([
      'service_llm_fallbacks_total{stage="classifier",reason="provider_error"} 2',
      'service_llm_fallbacks_total{stage="responder",reason="provider_error"} 1',
      'service_llm_fallbacks_total{stage="responder",reason="breaker_open"} 1',
    ]);
    expect(JSON.stringify([trace, next])).not.toContain('no luck');
  });

  const failures: readonly (readonly [string, ProviderReply])[] = [
    ['provider_error', failure(503, {}, `overloaded ${key}`)],
    ['unauthorized', failure(401, {}, `Incorrect API key provided: ${key}`)],
    ['unauthorized', failure(403)],
    ['rate_limited', failure(429)],
    ['not_found', failure(404, {}, 'no such model')],
    ['rejected', failure(400, {}, `what is ${key}?`)],
    ['bad_reply', completion('I would say that this is a refund.')],
    ['bad_reply', completion(assessed('world_domination'))],
    ['bad_reply', completion(assessed('refund', { sure: 7 }))],
    ['bad_reply', json({ hello: 'world' })],
    ['truncated', completion(assessed('refund'), { finish: 'length' })],
    ['refused', completion(null, { finish: 'content_filter' })],
    ['unreachable', { kind: 'reset' }],
    ['timeout', { kind: 'silent' }],
  ];

  test('is reported with a fixed reason, and used again for the next message', async () => {
    const running = await start({ LLM_STAGES: 'classifier', LLM_TIMEOUT_MS: '2000' });
    const healthy = byPurpose(decisions);
    const counts = new Map<string, number>();
    for (const [reason, reply] of failures) {
      provider.follow(inTurn(reply));
      const trace = await traceOf(running);
      const [classifier] = trace.agent_decisions;
      expect(classifier).toMatchObject({ agent: 'classifier', source: 'fallback', data: { reason } });
      expect(classifier?.summary).toMatch(
        new RegExp(
          `^Decided by rules, because the language model failed \\(${reason}\\): The message is classified as refund `,
        ),
      );
      expect(trace).toMatchObject({ status: 'COMPLETED', intent: 'refund', escalated: false });
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      provider.follow(healthy);
      expect(sourcesOf(await traceOf(running))).toMatchObject({ classifier: 'llm' });
    }
    const metrics = await modelMetrics(running);
    for (const [reason, count] of counts) {
      expect(metrics).toContain(
        `service_llm_fallbacks_total{stage="classifier",reason="${reason}"} ${count}`,
      );
    }
    expect(running.output()).not.toContain(key);
  });

  test('that cannot be reached does not prevent the start: health reports it, and the rules decide', async () => {
    const running = await start({ LLM_STAGES: 'classifier', LLM_BASE_URL: 'http://127.0.0.1:9/v1' });
    const trace = await traceOf(running);
    expect(trace.agent_decisions[0]).toMatchObject({ source: 'fallback', data: { reason: 'unreachable' } });
    expect(trace).toMatchObject({ status: 'COMPLETED', intent: 'refund' });
    expect(await bodyOf(await fetch(`${running.baseUrl}/health`))).toMatchObject({
      status: 'degraded',
      checks: { llm: 'error' },
    });
    expect((await fetch(`${running.baseUrl}/health?probe=ready`)).status).toBe(200);
  });
});

describe('GET /health', () => {
  test('reports the provider as ok after one request for its models, and calls no model', async () => {
    const { baseUrl } = await start();
    await fetch(`${baseUrl}/health?probe=live`);
    const reports = await Promise.all(
      Array.from({ length: 50 }, async () => bodyOf(await fetch(`${baseUrl}/health`))),
    );
    for (const report of reports) {
      expect(report).toMatchObject({ status: 'ok', checks: { kvstore: 'not_configured', llm: 'ok' } });
    }
    expect(requests()).toMatchObject([
      { method: 'GET', path: '/v1/models', body: undefined, headers: { authorization: `Bearer ${key}` } },
    ]);
    expect(await modelMetrics({ baseUrl })).toEqual([]);
  });

  test.each<[string, ProviderReply]>([
    ['rejects the key', failure(401, {}, `Incorrect API key provided: ${key}`)],
    ['never responds', { kind: 'silent' }],
  ])('reports an error when the provider %s, and stays alive and ready', async (_, reply) => {
    provider.follow(() => reply);
    const running = await start();
    const health = await fetch(`${running.baseUrl}/health`);
    expect(health.status).toBe(200);
    expect(await bodyOf(health)).toMatchObject({ status: 'degraded', checks: { llm: 'error' } });
    for (const probe of ['live', 'ready']) {
      expect((await fetch(`${running.baseUrl}/health?probe=${probe}`)).status).toBe(200);
    }
    expect(modelRequests()).toEqual([]);
    expect(running.output()).not.toContain(key);
  });

  test('reports the provider as not configured without a key', async () => {
    const running = await share(withoutKey);
    expect(await bodyOf(await fetch(`${running.baseUrl}/health`))).toMatchObject({
      status: 'ok',
      checks: { llm: 'not_configured' },
    });
    expect(sourcesOf(await traceOf(running))).toMatchObject({ classifier: 'deterministic' });
    expect(requests()).toEqual([]);
  });
});

describe('the key of the provider', () => {
  test('is sent to the provider only: it is in no response, header, trace, metric or log line', async () => {
    const echo = (request: ProviderRequest): string => `your key is ${request.headers.authorization}`;
    const scripts = [
      byPurpose(decisions),
      (request: ProviderRequest) => failure(401, { 'x-key': key, 'www-authenticate': key }, echo(request)),
      (request: ProviderRequest) => failure(500, {}, echo(request)),
      (request: ProviderRequest) => failure(429, { 'retry-after': key }, echo(request)),
      (request: ProviderRequest) => completion(echo(request)),
      (request: ProviderRequest) => completion(null, { refusal: echo(request) }),
      (request: ProviderRequest) => json({ error: echo(request) }),
      (request: ProviderRequest) => ({ kind: 'reset', body: echo(request) }) as const,
    ];
    const running = await start({ LLM_STAGES: 'classifier,decomposer' });
    const seen: string[] = [];
    const record = async (response: Promise<Response>): Promise<void> => {
      const reply = await response;
      seen.push(JSON.stringify([...reply.headers]), await reply.text());
    };
    const at = (path: string) => `${running.baseUrl}${path}`;
    for (const script of scripts) {
      provider.follow(script);
      await record(postJson(at('/messages'), message));
      await record(postJson(at('/agents/route'), { goal: 'echo hello' }));
      await record(postJson(at('/evaluation'), { size: 3 }));
      provider.follow(byPurpose(decisions));
      await record(postJson(at('/messages'), message));
    }
    const { traces } = await bodyOf<{ traces: readonly Reply[] }>(await fetch(at('/trace/')));
    expect(traces).toHaveLength(2 * scripts.length);
    for (const { trace_id } of traces) await record(fetch(at(`/trace/${trace_id}`)));
    for (const path of [
      '/trace/',
      '/agents/routes',
      '/agents',
      '/tools',
      '/health',
      '/metrics',
      '/openapi.json',
      '/nothing-here',
    ]) {
      await record(fetch(at(path)));
    }
    running.process.kill('SIGTERM');
    expect(await running.exited).toEqual({ code: 0, signal: null });
    expect(seen.join('\n')).not.toContain(key);
    expect(seen.join('\n')).not.toContain('your key is');
    expect(running.output()).not.toContain(key);
    expect(running.output()).toContain('the language model failed');
    expect(modelRequests().every(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true);
  });
});
