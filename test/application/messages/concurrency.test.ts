import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { logEvents } from '../../../src/adapters/logging/log-events.ts';
import { createLogger } from '../../../src/adapters/logging/logger.ts';
import { systemClock } from '../../../src/adapters/shared/system.ts';
import { createPlaybookInUse } from '../../../src/application/messages/playbook-in-use.ts';
import { createMessageProcessor } from '../../../src/application/messages/process-message.ts';
import { createToolRegistry } from '../../../src/application/tools/registry.ts';
import { defaultLimits } from '../../../src/domain/limits.ts';
import type { CustomerMessage } from '../../../src/domain/message/message.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import type { Stages } from '../../../src/ports/stages.ts';
import { settle } from '../../support/fake-clock.ts';
import { testPorts } from '../../support/ports.ts';
import { decided } from '../../support/stages.ts';

const COUNT = 1_000;
const canaryPattern = /canary-\d{4}/g;

const canary = (index: number) => `canary-${String(index).padStart(4, '0')}`;

/** Waits up to four times for all promises to settle, so that messages overtake each other. */
async function delay({ customerId }: CustomerMessage): Promise<void> {
  for (let turn = Number(customerId.slice(-4)) % 5; turn > 0; turn--) await settle();
}

/** Stages with the message's canary in every decision. Every seventh message fails in the verifier. */
const stages: Stages = {
  async classify(message) {
    await delay(message);
    return decided({ intent: 'refund', confidence: 0.9 }, { data: { seen: message.message } });
  },
  plan: ({ message }) => decided({ toolCalls: [{ toolName: 'lookup', input: { canary: message.message } }] }),
  async verify({ message, outcomes }) {
    await delay(message);
    if (Number(message.customerId.slice(-4)) % 7 === 0) throw new Error(message.message);
    return decided({ escalated: false, reasons: [String(outcomes[0]?.output?.['canary'])] });
  },
  respond: ({ message, verdict }) => decided(`for ${message.message}: ${verdict.reasons[0]}`),
};

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line)),
    flush: () => Promise.resolve(),
  };
  const logger = createLogger({ level: 'debug', destination });
  const stored: Trace[] = [];
  const { ports } = testPorts({
    clock: systemClock,
    random: Math.random,
    logger,
    events: logEvents(logger),
    stages,
  });
  const traces = {
    ...ports.traces,
    async put(trace: Trace) {
      await settle();
      stored.push(trace);
    },
  };
  const tools = createToolRegistry(ports, defaultLimits);
  tools.register({
    name: 'lookup',
    description: 'returns its input',
    input: z.object({ canary: z.string() }),
    async execute(input, context) {
      const parsed = z.object({ canary: z.string() }).parse(input);
      await settle();
      context.logger.info('looked up', parsed);
      return parsed;
    },
  });
  return {
    lines,
    stored,
    processor: createMessageProcessor({ ...ports, traces }, createPlaybookInUse(ports, tools), {
      limits: defaultLimits,
      items: undefined,
    }),
  };
}

const canariesIn = (value: unknown) => [...new Set(JSON.stringify(value).match(canaryPattern))];

describe('a thousand concurrent messages', () => {
  test('do not mix their replies, traces and log lines', async () => {
    const { lines, stored, processor } = setUp();
    const messages = Array.from({ length: COUNT }, (_, index) => ({
      source: 'api',
      customerId: canary(index),
      message: canary(index),
    }));
    const half = messages.slice(0, COUNT / 2);
    const others = messages.slice(COUNT / 2);
    const [batch, singles] = await Promise.all([
      processor.processBatch(half),
      Promise.all(others.map((message) => processor.process(message))),
    ]);
    const traces = [...batch, ...singles];

    expect(traces.map(canariesIn)).toEqual(messages.map(({ message }) => [message]));
    expect(new Set(traces.map(({ traceId }) => traceId)).size).toBe(COUNT);
    expect(traces.filter(({ status }) => status === 'FAILED')).toHaveLength(Math.ceil(COUNT / 7));
    const byId = (one: Trace, other: Trace) => one.traceId.localeCompare(other.traceId);
    expect(stored.sort(byId)).toEqual([...traces].sort(byId));

    const canaryOfTrace = new Map(traces.map(({ traceId, message }) => [traceId, message]));
    const mixedUp = lines.filter((line) => {
      const own = canaryOfTrace.get(String(line['trace_id']));
      return own === undefined || canariesIn(line).some((found) => found !== own);
    });
    expect(mixedUp).toEqual([]);
    for (const [message, count] of [
      ['looked up', COUNT],
      ['message finished', COUNT],
      ['message failed', Math.ceil(COUNT / 7)],
    ] as const) {
      const traced = lines.filter(({ msg }) => msg === message).map((line) => line['trace_id']);
      expect(traced).toHaveLength(count);
      expect(new Set(traced).size).toBe(count);
    }
  });
});
