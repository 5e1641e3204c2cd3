import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { memoryStorage } from '../../src/adapters/memory-storage.ts';
import { exampleTools } from '../../src/adapters/tools/example-tools.ts';
import { createOrchestrator, type Orchestrator } from '../../src/application/orchestrator.ts';
import type { Ticket } from '../../src/domain/evaluation/tickets.ts';
import type { DatasetExample } from '../../src/domain/inbox/example.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import type { Ports } from '../../src/ports/ports.ts';
import type { Stages } from '../../src/ports/stages.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { burnCpu, createTurnCounter } from '../support/event-loop.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { recordEvents, recordLogs } from '../support/fakes.ts';
import { sampleItem } from '../support/inbox.ts';
import { decided, scriptedStages } from '../support/stages.ts';

/** An orchestrator with the default ports and the example tools. */
function setUp(overrides: Partial<Ports> = {}, tools: readonly Tool[] = exampleTools) {
  const recorded = recordEvents();
  const ports = defaultPorts({ events: recorded.sink, ...overrides });
  const orchestrator: Orchestrator = createOrchestrator(ports, defaultLimits);
  for (const tool of tools) orchestrator.tools.register(tool);
  return { orchestrator, recorded, ports };
}

const refund: Ticket = { message: 'I want my money back', expectedIntent: 'refund' };

function tickets(count: number): readonly Ticket[] {
  return Array.from({ length: count }, (_, index) => ({ ...refund, message: `ticket ${index}` }));
}

/** Stages whose classifier waits for `release`, and counts its calls. */
function blockedStages() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const calls = { started: 0 };
  const stages = scriptedStages(
    {},
    {
      async classify() {
        calls.started += 1;
        await promise;
        return decided({ intent: 'refund', confidence: 0.9 });
      },
    },
  );
  return { stages, calls, release };
}

describe('an evaluation', () => {
  test('tells the words that a stage has recorded as its evidence, and no other data', async () => {
    const evidence = {
      legal: ['lawyer', 'sue'],
      refund: ['money back'],
      none: [],
      count: 5,
      mixed: ['a', 5],
    };
    const stages = scriptedStages(
      {},
      {
        classify: () => ({
          ...decided({ intent: 'refund', confidence: 0.9 }),
          data: { evidence, intent: 'refund' },
        }),
      },
    );
    const { orchestrator } = setUp({ stages });
    const { judged } = await orchestrator.evaluation.run({ tickets: [refund] });
    const [classifier, ...others] = judged[0]?.evidence ?? [];
    expect(classifier).toMatchObject({
      stage: 'classifier',
      words: { legal: ['lawyer', 'sue'], refund: ['money back'], mixed: ['a'] },
    });
    expect(Object.keys(classifier?.words ?? {})).toEqual(['legal', 'refund', 'mixed']);
    for (const other of others) expect(other).not.toHaveProperty('words');
  });

  test('tells what a model has said of the intent and how sure it was, where a stage has recorded both', async () => {
    const recorded = [
      { model: { intent: 'spam', sure: 'likely', confidence: 0.75 } },
      { model: { sure: 'unsure', intent: 5 } },
      { model: { intent: 'spam', sure: 'very' } },
      { model: ['certain'] },
      {},
    ];
    const given = recorded.values();
    const stages = scriptedStages(
      {},
      {
        classify: () => ({
          ...decided({ intent: 'refund', confidence: 0.9 }),
          data: given.next().value ?? {},
        }),
      },
    );
    const { orchestrator } = setUp({ stages });
    const { judged } = await orchestrator.evaluation.run({ tickets: tickets(recorded.length) });
    expect(judged.map(({ evidence }) => evidence[0]?.model)).toEqual([
      { intent: 'spam', sure: 'likely' },
      { intent: null, sure: 'unsure' },
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('scores the decisions of the message stages for synthetic tickets', async () => {
    const { orchestrator } = setUp();
    const { dataset, scores } = await orchestrator.evaluation.run({ seed: 3, size: 300 });
    expect(dataset).toEqual({
      name: 'synthetic',
      size: 300,
      seed: 3,
      description: expect.stringContaining('written apart from the texts'),
    });
    expect(scores).toMatchObject({ totalTickets: 300, failureRate: 0 });
    const again = await orchestrator.evaluation.run({ seed: 3, size: 300 });
    const { averageLatencyMs: _a, p95LatencyMs: _p, misclassified: _m, ...repeatable } = scores;
    expect(again.scores).toMatchObject(repeatable);
  });

  test('scores the tickets of its caller like the message pipeline', async () => {
    const { orchestrator } = setUp();
    const messages = [
      'I want a refund for my kettle',
      'where is order 48213?',
      'get me a human',
      'xyzzy plugh',
      'how do I reset my password?',
    ];
    const traces = await orchestrator.messages.processBatch(
      messages.map((message) => ({ source: 'test', customerId: 'c', message })),
    );
    const own = traces.map(({ message, intent, escalated, timeline }): Ticket => {
      if (intent === 'unknown') throw new Error('the pipeline failed');
      return {
        message,
        expectedIntent: intent,
        expectedTools: timeline.flatMap((event) =>
          event.type === 'tool.executed' ? [event.outcome.toolName] : [],
        ),
        expectedEscalated: escalated,
      };
    });
    const { dataset, scores } = await orchestrator.evaluation.run({ tickets: own });
    expect(dataset).toEqual({
      name: 'request',
      size: 5,
      seed: null,
      description: 'The tickets of the request.',
    });
    expect(scores).toMatchObject({
      totalTickets: 5,
      classificationAccuracy: 1,
      macroF1: 1,
      toolSelectionAccuracy: 1,
      escalationAccuracy: 1,
      escalationRate: traces.filter(({ escalated }) => escalated).length / 5,
      misclassified: [],
    });
  });

  test('has about the real escalation rate at the configured threshold', async () => {
    const { orchestrator } = setUp();
    const { scores } = await orchestrator.evaluation.run({ seed: 11, size: 500 });
    const configured = scores.thresholds.find(({ threshold }) => threshold === 0.45);
    // The verifier compares the confidence in both wishes of a message with the threshold, the table that in the
    // intent.
    const distance = Math.abs((configured?.escalationRate ?? 0) - scores.escalationRate);
    expect(distance).toBeLessThan(0.04);
  });

  test('emits no events, stores nothing, and needs no store', async () => {
    const { orchestrator, recorded, ports } = setUp({
      storage: {
        assertAvailable: () => {
          throw new Error('the store is unavailable');
        },
      },
    });
    await orchestrator.evaluation.run({ seed: 0, size: 200 });
    await orchestrator.evaluation.run({ tickets: [refund] });
    expect(recorded.events).toEqual([]);
    const page = { limit: 50, offset: 0 };
    for (const store of [ports.traces, ports.routes, ports.workflows]) {
      expect(await store.list(page)).toMatchObject({ total: 0, items: [] });
    }
    expect(await orchestrator.traces.list(page)).toMatchObject({ total: 0 });
  });

  test('opens no items, begins no conversations and emits nothing, whatever happens with the messages', async () => {
    const dispositions = ['answered', 'escalated', 'draft', 'no_reply'] as const;
    let count = 0;
    const storage = memoryStorage();
    const { orchestrator, recorded } = setUp({
      ...storage,
      stages: scriptedStages(
        {},
        {
          verify() {
            const disposition = dispositions[count++ % dispositions.length] ?? 'answered';
            return decided({ escalated: disposition === 'escalated', reasons: ['x'], disposition });
          },
          respond({ message: { message } }) {
            if (message === 'ticket 7') throw new Error('no words for that');
            return decided('Yes.');
          },
        },
      ),
    });
    const { scores } = await orchestrator.evaluation.run({ tickets: tickets(40) });
    expect(scores).toMatchObject({ totalTickets: 40, failureRate: 1 / 40, escalationRate: 0.25 + 1 / 40 });
    expect(recorded.events).toEqual([]);
    expect(await storage.inbox.list({}, { limit: 10 })).toEqual({ items: [], next: null });
    expect(await storage.conversations.ofCustomer('evaluation')).toEqual([]);
    expect(await storage.traces.list({ limit: 10, offset: 0 })).toMatchObject({ total: 0 });
    expect((await orchestrator.datasets.list())[0]?.counts.proposed).toBe(0);
    expect(await orchestrator.events.list({}, { limit: 10 })).toMatchObject({ events: [] });
  });

  test('does not affect the events and traces of concurrent messages', async () => {
    const { orchestrator, recorded } = setUp();
    const evaluation = orchestrator.evaluation.run({ seed: 0, size: 500 });
    const trace = await orchestrator.messages.process({
      source: 'test',
      customerId: 'c',
      message: 'I want to sue you',
    });
    await evaluation;
    expect(await orchestrator.traces.list({ limit: 50, offset: 0 })).toMatchObject({ total: 1 });
    const traceIds = recorded.events.flatMap((event) => ('traceId' in event ? [event.traceId] : []));
    expect(new Set(traceIds)).toEqual(new Set([trace.traceId]));
    expect(recorded.events.filter(({ type }) => type === 'message.escalated')).toHaveLength(1);
  });

  test('calls the registered tools with retries, like the message pipeline', async () => {
    const attempts: number[] = [];
    const flaky: Tool = {
      name: 'refund_policy',
      description: 'Fails at first',
      input: z.object({}),
      execute(_input, { attempt }) {
        attempts.push(attempt);
        if (attempt === 1) throw new Error('not now');
        return { policy: 'ours' };
      },
    };
    const { orchestrator } = setUp({ random: () => 0 }, [flaky]);
    const { scores } = await orchestrator.evaluation.run({
      tickets: [{ ...refund, expectedTools: ['refund_policy'] }],
    });
    expect(attempts).toEqual([1, 2]);
    expect(scores).toMatchObject({ toolSelectionAccuracy: 1, failureRate: 0 });
  });

  test('counts failed messages, with their intent if they were classified', async () => {
    const stages: Partial<Stages> = {
      classify({ message }) {
        if (message === 'ticket 0') throw new Error('cannot read that');
        return decided({ intent: 'refund', confidence: 0.8 });
      },
      respond({ message: { message } }) {
        if (message === 'ticket 1') throw new Error('no words for that');
        return decided('Yes.');
      },
    };
    const { orchestrator } = setUp({ stages: scriptedStages({}, stages) });
    const { scores } = await orchestrator.evaluation.run({ tickets: tickets(4) });
    expect(scores).toMatchObject({
      failureRate: 0.5,
      classificationAccuracy: 0.75,
      escalationRate: 0.5,
      confusion: [
        [
          'refund',
          [
            ['unknown', 1],
            ['refund', 3],
          ],
        ],
      ],
    });
    expect(scores.thresholds.map(({ coverage }) => coverage)).toEqual(
      Array.from({ length: 21 }, (_, step) => (step <= 16 ? 0.5 : 0)),
    );
  });

  test.each([
    ['low confidence alone', ['low_confidence'], 1],
    ['low confidence and another reason', ['low_confidence', 'fraud'], 0],
    ['another reason only', ['a custom reason'], 0],
    ['no reason', [], 0],
  ])(
    'counts a message that is escalated for %s correctly at each threshold',
    async (_, reasons, coverage) => {
      const verdict = { escalated: true, reasons };
      const { orchestrator } = setUp({ stages: scriptedStages({ verdict }) });
      const { scores } = await orchestrator.evaluation.run({ tickets: [refund] });
      expect(scores.escalationRate).toBe(1);
      expect(scores.thresholds[0]).toMatchObject({ threshold: 0, coverage });
    },
  );
});

describe('the dispositions and concerns of an evaluation', () => {
  const own: readonly Ticket[] = [
    { message: 'x', expectedDisposition: 'escalated', expectedConcerns: ['legal'] },
  ];

  test('are those of the verdicts', async () => {
    const verdict = { escalated: true, reasons: ['legal'], concerns: ['legal'] } as const;
    const { orchestrator } = setUp({ stages: scriptedStages({ verdict }) });
    const { scores } = await orchestrator.evaluation.run({ tickets: own });
    expect(scores).toMatchObject({
      answeredWrongRate: 0,
      escalationAccuracy: 1,
      concerns: { recall: 1, precision: 1 },
      dispositions: [['escalated', [['escalated', 1]]]],
    });
  });

  test('show a message that gets no reply as handled at any threshold', async () => {
    const verdict = { escalated: false, reasons: ['auto_reply'], disposition: 'no_reply' } as const;
    const { orchestrator } = setUp({ stages: scriptedStages({ verdict, reply: '' }) });
    const { scores } = await orchestrator.evaluation.run({ tickets: own });
    expect(scores.dispositions).toEqual([['escalated', [['no_reply', 1]]]]);
    expect(scores).toMatchObject({ answeredWrongRate: 0, escalationRate: 0, concerns: { recall: 0 } });
    expect(scores.thresholds.map(({ coverage }) => coverage)).toEqual(Array(21).fill(1));
  });
});

describe('an evaluation of accepted examples', () => {
  async function setUpWithExamples(examples: readonly Partial<DatasetExample>[]) {
    const storage = memoryStorage();
    const stages = scriptedStages({ verdict: { escalated: true, reasons: ['x'] } });
    const service = setUp({ ...storage, stages });
    for (const [index, changes] of examples.entries()) {
      const item = sampleItem({ itemId: `item-${index}` });
      await storage.inbox.create(item);
      const example: DatasetExample = {
        exampleId: item.itemId,
        datasetId: 'inbox',
        status: 'accepted',
        message: `${index}`,
        intent: 'refund',
        escalated: null,
        traceId: 't',
        customerId: 'c',
        createdAt: '',
        decidedBy: null,
        decidedAt: null,
        ...changes,
      };
      await storage.inbox.update({ item: { ...item, version: 2 }, expectedVersion: 1, example });
    }
    return service.orchestrator.evaluation.run({ datasetId: 'inbox' });
  }

  test('expects the escalations that people have stated, and no others', async () => {
    const { scores } = await setUpWithExamples([{ escalated: true }, { escalated: false }, {}, {}]);
    expect(scores).toMatchObject({ totalTickets: 4, classificationAccuracy: 1, escalationAccuracy: 0.5 });
    const { scores: unstated } = await setUpWithExamples([{}]);
    expect(unstated.escalationAccuracy).toBeNull();
  });

  test('expects no reply to spam, unless a person has to see it', async () => {
    const { scores } = await setUpWithExamples([
      { intent: 'spam', escalated: false },
      { intent: 'spam' },
      { intent: 'spam', escalated: true },
    ]);
    expect(scores.dispositions).toEqual([['no_reply', [['escalated', 2]]]]);
  });

  test('leaves out intents that the playbook does not have, and says so', async () => {
    const { dataset, scores } = await setUpWithExamples([{}, { intent: 'yak_shaving' }]);
    expect(scores.totalTickets).toBe(1);
    expect(dataset).toEqual({
      name: 'inbox',
      size: 1,
      seed: null,
      description: expect.stringContaining('1 more have intents that the playbook does not have'),
    });
    await expect(setUpWithExamples([{ intent: 'yak_shaving' }])).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringMatching(/^dataset_id: all accepted examples/),
    });
  });

  test('takes only the accepted ones', async () => {
    const { dataset } = await setUpWithExamples([{ status: 'proposed' }, {}, { status: 'rejected' }]);
    expect(dataset.size).toBe(1);
    await expect(setUpWithExamples([{ status: 'proposed' }])).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('the latencies of an evaluation', () => {
  test('are measured for each message', async () => {
    const fake = createFakeClock();
    let elapsed = 0;
    const work = (ms: number): void => {
      elapsed += ms;
    };
    const clock = { ...fake, monotonic: () => elapsed };
    const stages = scriptedStages(
      {},
      {
        classify() {
          work(4);
          return decided({ intent: 'refund', confidence: 0.9 });
        },
        respond() {
          work(3);
          return decided('Yes.');
        },
      },
    );
    const { orchestrator } = setUp({ clock, stages });
    const { scores } = await orchestrator.evaluation.run({ tickets: tickets(100) });
    expect(scores).toMatchObject({ averageLatencyMs: 7, p95LatencyMs: 7 });
  });
});

describe('tickets with asynchronous stages', () => {
  test('run eight at a time, and are listed in order', async () => {
    const waiting: (() => void)[] = [];
    let maxConcurrent = 0;
    const stages = scriptedStages(
      {},
      {
        async classify() {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            maxConcurrent = Math.max(maxConcurrent, waiting.length);
            if (waiting.length === 8) for (const resume of waiting.splice(0).reverse()) resume();
          });
          return decided({ intent: 'spam', confidence: 0.9 });
        },
      },
    );
    const { orchestrator } = setUp({ stages });
    const { scores } = await orchestrator.evaluation.run({ tickets: tickets(32) });
    expect(maxConcurrent).toBe(8);
    expect(scores.misclassified.map(({ ticket }) => ticket.message)).toEqual(
      tickets(20).map(({ message }) => message),
    );
  });
});

describe('the options of an evaluation', () => {
  test.each([1, 3, 64])('limit how many tickets run at a time: %d', async (concurrency) => {
    let running = 0;
    let most = 0;
    const stages = scriptedStages(
      {},
      {
        async classify() {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 2));
          running -= 1;
          return decided({ intent: 'refund', confidence: 0.9 });
        },
      },
    );
    const { orchestrator } = setUp({ stages });
    const { judged } = await orchestrator.evaluation.run({ tickets: tickets(20) }, { concurrency });
    expect(judged.map(({ ticket: { message } }) => message)).toEqual(tickets(20).map((one) => one.message));
    if (concurrency < 20) expect(most).toBe(concurrency);
    else expect(most).toBeGreaterThan(8);
  });

  test('end it after the tickets under way, without those that had not begun', async () => {
    const { stages, calls, release } = blockedStages();
    const stop = new AbortController();
    const { orchestrator } = setUp({ stages });
    const running = orchestrator.evaluation.run(
      { tickets: tickets(20) },
      { concurrency: 3, stop: stop.signal },
    );
    await vi.waitFor(() => expect(calls.started).toBe(3));
    stop.abort();
    release();
    const { judged, dataset, scores } = await running;
    expect(judged.map(({ ticket }) => ticket.message)).toEqual(['ticket 0', 'ticket 1', 'ticket 2']);
    expect([dataset.size, scores.totalTickets, calls.started]).toEqual([20, 3, 3]);
  });

  test('decide about tickets in place of the stages, in the order of the tickets', async () => {
    const { orchestrator } = setUp();
    const seen: number[] = [];
    const { judged } = await orchestrator.evaluation.run(
      { tickets: tickets(4) },
      {
        async decide(_, index, judge) {
          seen.push(index);
          return index % 2 === 0 ? judge() : { ...(await judge()), predicted: `by option ${index}` };
        },
      },
    );
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(judged.map(({ predicted }) => predicted.startsWith('by option'))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test('make it fail where deciding fails', async () => {
    const { orchestrator } = setUp();
    const decide = () => Promise.reject(new Error('the disk is full'));
    await expect(orchestrator.evaluation.run({ tickets: tickets(20) }, { decide })).rejects.toThrow(
      'the disk is full',
    );
  });
});

describe('concurrent evaluations', () => {
  test('run one after the other, in the order of their requests', async () => {
    const { stages, calls, release } = blockedStages();
    const { orchestrator } = setUp({ stages });
    const ended: number[] = [];
    const runs = [1, 2, 3].map(async (count) => {
      await orchestrator.evaluation.run({ tickets: tickets(count) });
      ended.push(count);
    });
    await vi.waitFor(() => expect(calls.started).toBe(1), 10_000);
    await settle();
    expect(calls.started).toBe(1);
    release();
    await Promise.all(runs);
    expect(ended).toEqual([1, 2, 3]);
    expect(calls.started).toBe(6);
  });

  test('wait in a queue of eight, and are rejected with a retry time beyond that', async () => {
    const { stages, release } = blockedStages();
    const { orchestrator } = setUp({ stages });
    const start = () => orchestrator.evaluation.run({ tickets: tickets(1) });
    const accepted = Array.from({ length: 9 }, start);
    for (let more = 0; more < 3; more++) {
      await expect(start()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    }
    release();
    expect((await Promise.all(accepted)).map(({ scores }) => scores.totalTickets)).toEqual(
      Array.from({ length: 9 }, () => 1),
    );
    expect(await start()).toMatchObject({ scores: { totalTickets: 1 } });
  });

  test('continue when one of them fails', async () => {
    let created = 0;
    const { orchestrator } = setUp({
      makeTickets() {
        created += 1;
        if (created === 1) throw new Error('no tickets today');
        return tickets(2);
      },
    });
    const [first, second] = await Promise.allSettled([
      orchestrator.evaluation.run({ seed: 0, size: 2 }),
      orchestrator.evaluation.run({ seed: 0, size: 2 }),
    ]);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'no tickets today' } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { scores: { totalTickets: 2 } } });
  });
});

describe('many tickets', () => {
  test.each([
    ['0.3 ms', 0.3, 40],
    ['7 ms', 7, 3],
    ['35 ms', 35, 2],
  ])('yield to the event loop when each of them takes %s', async (_, ms, maxPerTurn) => {
    const turns = createTurnCounter();
    const stages = scriptedStages(
      {},
      {
        classify() {
          turns.count();
          burnCpu(ms);
          return decided({ intent: 'refund', confidence: 0.9 });
        },
      },
    );
    const { orchestrator } = setUp({ stages, makeTickets: (_seed, size) => tickets(size) });
    const size = Math.ceil(400 / ms);
    const { scores } = await orchestrator.evaluation.run({ seed: 0, size });
    expect(scores.totalTickets).toBe(size);
    expect(turns.max).toBeLessThanOrEqual(maxPerTurn);
  });

  test('yield to the event loop between their creation and the first classification', async () => {
    const order: string[] = [];
    const stages = scriptedStages(
      {},
      {
        classify() {
          order.push('classified');
          return decided({ intent: 'refund', confidence: 0.9 });
        },
      },
    );
    const { orchestrator } = setUp({
      stages,
      makeTickets(_seed, size) {
        burnCpu(40);
        setImmediate(() => order.push('other work'));
        return tickets(size);
      },
    });
    await orchestrator.evaluation.run({ seed: 0, size: 2 });
    expect(order).toEqual(['other work', 'classified', 'classified']);
  });
});

describe('a shutdown', () => {
  test('waits for an evaluation within the grace period', async () => {
    const { stages, calls, release } = blockedStages();
    const { orchestrator } = setUp({ stages });
    const run = orchestrator.evaluation.run({ tickets: tickets(3) });
    await vi.waitFor(() => expect(calls.started).toBeGreaterThan(0), 10_000);
    const closed = orchestrator.close(60_000);
    release();
    expect(await run).toMatchObject({ scores: { totalTickets: 3 } });
    await closed;
  });

  test('interrupts running and waiting evaluations after the grace period', async () => {
    const clock = createFakeClock();
    const { stages, calls } = blockedStages();
    let created = 0;
    const makeTickets = (_seed: number, size: number): readonly Ticket[] => {
      created += 1;
      return tickets(size);
    };
    const { orchestrator } = setUp({ clock, stages, makeTickets });
    const runs = [5_000, 5].map((size) => orchestrator.evaluation.run({ seed: 0, size }));
    const outcomes = Promise.allSettled(runs);
    await clock.advance(1);
    expect(calls.started).toBeGreaterThan(0);
    const closed = orchestrator.close(1_000);
    await clock.advance(1_000);
    await closed;
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'unavailable', message: 'the service is shutting down' },
      });
    }
    expect(created).toBe(1);
    expect(calls.started).toBeLessThanOrEqual(8);
  });

  test('interrupts an evaluation with synchronous stages', async () => {
    let classified = 0;
    const stages = scriptedStages(
      {},
      {
        classify() {
          classified += 1;
          burnCpu(5);
          return decided({ intent: 'refund', confidence: 0.9 });
        },
      },
    );
    const logger = recordLogs();
    const { orchestrator } = setUp({ stages, logger });
    const run = orchestrator.evaluation.run({ tickets: tickets(5_000) });
    const rejected = expect(run).rejects.toMatchObject({ code: 'unavailable' });
    await settle();
    await orchestrator.close(0);
    await rejected;
    expect(classified).toBeLessThan(5_000);
    expect(logger.lines).toEqual([]);
  });
});
