import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { exampleTools } from '../../src/adapters/tools/example-tools.ts';
import { createOrchestrator, type Orchestrator } from '../../src/application/orchestrator.ts';
import type { Ticket } from '../../src/domain/evaluation/scores.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import type { Ports } from '../../src/ports/ports.ts';
import type { Stages } from '../../src/ports/stages.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { burnCpu, createTurnCounter } from '../support/event-loop.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { recordEvents, recordLogs } from '../support/fakes.ts';
import { decided, scriptedStages } from '../support/stages.ts';

/** The core over memory and rules, with the example tools. */
function createCore(ports: Partial<Ports> = {}, tools: readonly Tool[] = exampleTools) {
  const told = recordEvents();
  const all = defaultPorts({ events: told.sink, ...ports });
  const orchestrator: Orchestrator = createOrchestrator(all, defaultLimits);
  for (const tool of tools) orchestrator.tools.register(tool);
  return { orchestrator, told, ports: all };
}

const refund: Ticket = { message: 'I want my money back', expectedIntent: 'refund' };

function tickets(count: number): readonly Ticket[] {
  return Array.from({ length: count }, (_, index) => ({ ...refund, message: `ticket ${index}` }));
}

/** A promise that is settled from outside. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Stages whose classifier waits for a gate, and counts who has come that far. */
function gatedStages() {
  const doors = gate();
  const state = { begun: 0, underWay: 0, busiest: 0 };
  const stages = scriptedStages(
    {},
    {
      async classify() {
        state.begun += 1;
        state.underWay += 1;
        state.busiest = Math.max(state.busiest, state.underWay);
        await doors.opened;
        state.underWay -= 1;
        return decided({ intent: 'refund', confidence: 0.9 });
      },
    },
  );
  return { stages, state, open: doors.open };
}

/** Lets the event loop turn until something holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !holds(); turn++)
    await new Promise((resolve) => setTimeout(resolve, 1));
  expect(holds()).toBe(true);
}

describe('an evaluation', () => {
  test('scores what the stages that serve messages make of synthetic tickets', async () => {
    const { orchestrator } = createCore();
    const { dataset, scores } = await orchestrator.evaluation.run({ seed: 3, size: 300 });
    expect(dataset).toEqual({ name: 'synthetic', size: 300, seed: 3 });
    expect(scores).toMatchObject({ totalTickets: 300, failureRate: 0 });
    const again = await orchestrator.evaluation.run({ seed: 3, size: 300 });
    const { averageLatencyMs: _a, p95LatencyMs: _p, misclassified: _m, ...repeatable } = scores;
    expect(again.scores).toMatchObject(repeatable);
  });

  test('scores tickets of your own, against what the pipeline says of the same messages', async () => {
    const { orchestrator } = createCore();
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
    expect(dataset).toEqual({ name: 'request', size: 5, seed: null });
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

  test('says of the threshold in force what really was escalated', async () => {
    const { orchestrator } = createCore();
    const { scores } = await orchestrator.evaluation.run({ seed: 11, size: 500 });
    const inForce = scores.thresholds.find(({ threshold }) => threshold === 0.45);
    expect(inForce?.escalationRate).toBe(scores.escalationRate);
  });

  test('tells nobody, stores nothing, and works while the store is away', async () => {
    const { orchestrator, told, ports } = createCore({
      storage: {
        assertAvailable: () => {
          throw new Error('the store is away');
        },
      },
    });
    await orchestrator.evaluation.run({ seed: 0, size: 200 });
    await orchestrator.evaluation.run({ tickets: [refund] });
    expect(told.events).toEqual([]);
    const page = { limit: 50, offset: 0 };
    for (const store of [ports.traces, ports.routes, ports.workflows]) {
      expect(await store.list(page)).toMatchObject({ total: 0, items: [] });
    }
    expect(await orchestrator.traces.list(page)).toMatchObject({ total: 0 });
  });

  test('leaves the messages beside it told and stored as ever', async () => {
    const { orchestrator, told } = createCore();
    const evaluation = orchestrator.evaluation.run({ seed: 0, size: 500 });
    const trace = await orchestrator.messages.process({
      source: 'test',
      customerId: 'c',
      message: 'I want to sue you',
    });
    await evaluation;
    expect(await orchestrator.traces.list({ limit: 50, offset: 0 })).toMatchObject({ total: 1 });
    const named = told.events.flatMap((event) => ('traceId' in event ? [event.traceId] : []));
    expect(new Set(named)).toEqual(new Set([trace.traceId]));
    expect(told.events.filter(({ type }) => type === 'message.escalated')).toHaveLength(1);
  });

  test('calls the tools that are registered, in the way that they are called for messages', async () => {
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
    const { orchestrator } = createCore({ random: () => 0 }, [flaky]);
    const { scores } = await orchestrator.evaluation.run({
      tickets: [{ ...refund, expectedTools: ['refund_policy'] }],
    });
    expect(attempts).toEqual([1, 2]);
    expect(scores).toMatchObject({ toolSelectionAccuracy: 1, failureRate: 0 });
  });

  test('counts what fails, and keeps the intent where it was found before', async () => {
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
    const { orchestrator } = createCore({ stages: scriptedStages({}, stages) });
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
    ['a reason of its own', ['it is a full moon'], 0],
    ['no reason that it names', [], 0],
  ])(
    'lets a message that is escalated for %s depend on the threshold, or not',
    async (_, reasons, coverage) => {
      const verdict = { escalated: true, reasons };
      const { orchestrator } = createCore({ stages: scriptedStages({ verdict }) });
      const { scores } = await orchestrator.evaluation.run({ tickets: [refund] });
      expect(scores.escalationRate).toBe(1);
      expect(scores.thresholds[0]).toMatchObject({ threshold: 0, coverage });
    },
  );
});

describe('the latencies of an evaluation', () => {
  test('are those of each message by itself', async () => {
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
    const { orchestrator } = createCore({ clock, stages });
    const { scores } = await orchestrator.evaluation.run({ tickets: tickets(100) });
    expect(scores).toMatchObject({ averageLatencyMs: 7, p95LatencyMs: 7 });
  });
});

describe('tickets whose stages wait for something', () => {
  test('are under way together, eight at a time, and shown in their order', async () => {
    const waiting: (() => void)[] = [];
    let busiest = 0;
    const stages = scriptedStages(
      {},
      {
        async classify() {
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            busiest = Math.max(busiest, waiting.length);
            // The last to come is answered first.
            if (waiting.length === 8) for (const go of waiting.splice(0).reverse()) go();
          });
          return decided({ intent: 'spam', confidence: 0.9 });
        },
      },
    );
    const { orchestrator } = createCore({ stages });
    const { scores } = await orchestrator.evaluation.run({ tickets: tickets(32) });
    expect(busiest).toBe(8);
    expect(scores.misclassified.map(({ ticket }) => ticket.message)).toEqual(
      tickets(20).map(({ message }) => message),
    );
  });
});

describe('evaluations at the same time', () => {
  test('run one after the other, in the order in which they were asked for', async () => {
    const { stages, state, open } = gatedStages();
    const { orchestrator } = createCore({ stages });
    const ended: number[] = [];
    const runs = [1, 2, 3].map(async (count) => {
      await orchestrator.evaluation.run({ tickets: tickets(count) });
      ended.push(count);
    });
    await until(() => state.begun === 1);
    await settle();
    expect(state.begun).toBe(1);
    open();
    await Promise.all(runs);
    expect(ended).toEqual([1, 2, 3]);
    expect(state.begun).toBe(6);
  });

  test('wait, up to eight of them; more are told to come back', async () => {
    const { stages, open } = gatedStages();
    const { orchestrator } = createCore({ stages });
    const run = () => orchestrator.evaluation.run({ tickets: tickets(1) });
    const accepted = Array.from({ length: 9 }, run);
    for (let more = 0; more < 3; more++) {
      await expect(run()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    }
    open();
    expect((await Promise.all(accepted)).map(({ scores }) => scores.totalTickets)).toEqual(
      Array.from({ length: 9 }, () => 1),
    );
    expect(await run()).toMatchObject({ scores: { totalTickets: 1 } });
  });

  test('survive one that fails', async () => {
    let made = 0;
    const { orchestrator } = createCore({
      makeTickets() {
        made += 1;
        if (made === 1) throw new Error('no tickets today');
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
    ['a little', 0.3, 40],
    ['more', 7, 3],
    ['much', 35, 2],
  ])('let other work run, whatever time each of them takes (%s)', async (_, ms, most) => {
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
    const { orchestrator } = createCore({ stages, makeTickets: (_seed, size) => tickets(size) });
    const size = Math.ceil(400 / ms);
    const { scores } = await orchestrator.evaluation.run({ seed: 0, size });
    expect(scores.totalTickets).toBe(size);
    expect(turns.most).toBeLessThanOrEqual(most);
  });

  test('let other work run after they were made, before the first of them is judged', async () => {
    const seen: string[] = [];
    const stages = scriptedStages(
      {},
      {
        classify() {
          seen.push('judged');
          return decided({ intent: 'refund', confidence: 0.9 });
        },
      },
    );
    const { orchestrator } = createCore({
      stages,
      makeTickets(_seed, size) {
        burnCpu(40);
        setImmediate(() => seen.push('other work'));
        return tickets(size);
      },
    });
    await orchestrator.evaluation.run({ seed: 0, size: 2 });
    expect(seen).toEqual(['other work', 'judged', 'judged']);
  });
});

describe('a shutdown', () => {
  test('waits for an evaluation within its grace', async () => {
    const { stages, state, open } = gatedStages();
    const { orchestrator } = createCore({ stages });
    const run = orchestrator.evaluation.run({ tickets: tickets(3) });
    await until(() => state.begun > 0);
    const closed = orchestrator.close(60_000);
    open();
    expect(await run).toMatchObject({ scores: { totalTickets: 3 } });
    await closed;
  });

  test('interrupts it, and those that wait, once its grace is over', async () => {
    const clock = createFakeClock();
    const { stages, state } = gatedStages();
    let made = 0;
    const makeTickets = (_seed: number, size: number): readonly Ticket[] => {
      made += 1;
      return tickets(size);
    };
    const { orchestrator } = createCore({ clock, stages, makeTickets });
    const runs = [5_000, 5].map((size) => orchestrator.evaluation.run({ seed: 0, size }));
    const outcomes = Promise.allSettled(runs);
    await clock.advance(1);
    expect(state.begun).toBeGreaterThan(0);
    const closed = orchestrator.close(1_000);
    await clock.advance(1_000);
    await closed;
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'unavailable', message: 'the service is shutting down' },
      });
    }
    expect(made).toBe(1);
    expect(state.begun).toBeLessThanOrEqual(8);
  });

  test('interrupts one whose stages never wait, too', async () => {
    let judged = 0;
    const stages = scriptedStages(
      {},
      {
        classify() {
          judged += 1;
          burnCpu(5);
          return decided({ intent: 'refund', confidence: 0.9 });
        },
      },
    );
    const logger = recordLogs();
    const { orchestrator } = createCore({ stages, logger });
    const run = orchestrator.evaluation.run({ tickets: tickets(5_000) });
    const refused = expect(run).rejects.toMatchObject({ code: 'unavailable' });
    await settle();
    await orchestrator.close(0);
    await refused;
    expect(judged).toBeLessThan(5_000);
    expect(logger.lines).toEqual([]);
  });
});
