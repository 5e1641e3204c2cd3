import { z } from 'zod';
import { createMessageProcessor } from '../../src/application/messages/process-message.ts';
import { createToolRegistry } from '../../src/application/tools/registry.ts';
import { defaultLimits, type Limits } from '../../src/domain/limits.ts';
import type { Trace, TraceSummary } from '../../src/domain/message/trace.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { RecordStore, StorageHealth } from '../../src/ports/record-store.ts';
import type { Stages } from '../../src/ports/stages.ts';
import type { Telemetry } from '../../src/ports/telemetry.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { createFakeClock } from './fake-clock.ts';
import { countingIds, noTelemetry, recordEvents, recordLogs } from './fakes.ts';
import { scriptedStages } from './stages.ts';

/** What a test wants otherwise than usual. */
export interface ProcessorOverrides {
  readonly stages?: Stages;
  readonly limits?: Partial<Limits>;
  readonly telemetry?: Telemetry;
  readonly storage?: StorageHealth;
  readonly put?: (trace: Trace) => Promise<void>;
  /** In place of the clock that stands still. */
  readonly clock?: Clock;
}

/** The message pipeline over scripted stages, with a clock that stands still and sinks that remember. */
export function createTestProcessor(options: ProcessorOverrides = {}) {
  const clock = createFakeClock();
  const told = recordEvents();
  const logger = recordLogs();
  const stored: Trace[] = [];
  const put = async (trace: Trace) => void stored.push(trace);
  const traces = { put: options.put ?? put } as RecordStore<Trace, TraceSummary>;
  const ports = {
    clock: options.clock ?? clock,
    newId: countingIds(),
    random: () => 0.5,
    logger,
    events: told.sink,
    telemetry: options.telemetry ?? noTelemetry,
    stages: options.stages ?? scriptedStages(),
    storage: options.storage ?? { assertAvailable() {} },
    traces,
  };
  const limits = { ...defaultLimits, ...options.limits };
  const tools = createToolRegistry(ports, limits);
  return { clock, told, logger, stored, tools, processor: createMessageProcessor(ports, tools, limits) };
}

export const message = { source: 'email', customerId: 'customer-1', message: 'I want my money back' };

/** A tool that does as told. */
export function lookupTool(execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name: 'lookup', description: 'looks up', input: z.object({}).loose(), execute, ...more };
}

/** A trace's timeline in short. */
export function story(trace: Trace): string[] {
  return trace.timeline.map((event) => {
    if (event.type === 'pipeline.transition') return `${event.from} > ${event.to}`;
    return event.type === 'agent.decided' ? event.agent : event.outcome.toolName;
  });
}

/** The calls of a plan with two. */
export const twoCalls = [
  { toolName: 'lookup', input: { n: 1 } },
  { toolName: 'lookup', input: { n: 2 } },
];
