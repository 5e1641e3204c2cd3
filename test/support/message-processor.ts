import { z } from 'zod';
import { memoryStorage } from '../../src/adapters/memory-storage.ts';
import { createItemWriter } from '../../src/application/inbox/item-writer.ts';
import { createPlaybookInUse } from '../../src/application/messages/playbook-in-use.ts';
import { createMessageProcessor } from '../../src/application/messages/process-message.ts';
import { createToolRegistry } from '../../src/application/tools/registry.ts';
import { defaultLimits, type Limits } from '../../src/domain/limits.ts';
import type { Trace } from '../../src/domain/message/trace.ts';
import type { Ports } from '../../src/ports/ports.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { testPorts } from './ports.ts';

/** Options of the test processor. */
export interface ProcessorOverrides extends Partial<Ports> {
  readonly limits?: Partial<Limits>;
  /** Replaces `put` of the trace store. Default: adds the trace to `stored`. */
  readonly put?: (trace: Trace) => Promise<void>;
  /** Default: true. */
  readonly hasInbox?: boolean;
}

/** The message pipeline over {@link testPorts}, with the traces that it stored. */
export function createTestProcessor({
  limits: someLimits,
  put,
  hasInbox = true,
  ...overrides
}: ProcessorOverrides = {}) {
  const stored: Trace[] = [];
  const traces = {
    ...(overrides.traces ?? memoryStorage().traces),
    put: put ?? (async (trace: Trace) => void stored.push(trace)),
  };
  const { ports, clock, recorded, logger } = testPorts({ ...overrides, traces });
  const limits = { ...defaultLimits, ...someLimits };
  const tools = createToolRegistry(ports, limits);
  const items = hasInbox ? createItemWriter(ports) : undefined;
  const processor = createMessageProcessor(ports, createPlaybookInUse(ports, tools), { limits, items });
  return { ports, clock, recorded, logger, stored, tools, processor };
}

export const message = { source: 'email', customerId: 'customer-1', message: 'I want my money back' };

/** A tool with the given implementation. */
export function lookupTool(execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name: 'lookup', description: 'looks up', input: z.object({}).loose(), execute, ...more };
}

/** A short text for each event of a trace's timeline. */
export function outline(trace: Trace): string[] {
  return trace.timeline.map((event) => {
    if (event.type === 'pipeline.transition') return `${event.from} > ${event.to}`;
    return event.type === 'agent.decided' ? event.agent : event.outcome.toolName;
  });
}

/** The tool calls of a plan with two. */
export const twoCalls = [
  { toolName: 'lookup', input: { n: 1 } },
  { toolName: 'lookup', input: { n: 2 } },
];
