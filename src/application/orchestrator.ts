import { notFound } from '../domain/errors.ts';
import type { Trace, TraceSummary } from '../domain/trace.ts';
import type { Ports } from '../ports/ports.ts';
import type { Page, PageRequest } from '../ports/record-store.ts';
import { createInFlight } from './in-flight.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { createMessageProcessor, type MessageProcessor } from './process-message.ts';
import { createToolRegistry, type ToolRegistry } from './tool-registry.ts';

/** What the core offers: every entry point over one registry of tools and agents. */
export interface Orchestrator {
  readonly messages: Pick<MessageProcessor, 'process' | 'processBatch'>;
  readonly traces: {
    /** The trace of one message. Rejects with `not_found`. */
    get(traceId: string): Promise<Trace>;
    /** Traces without their timelines, newest first. */
    list(page: PageRequest): Promise<Page<TraceSummary>>;
  };
  readonly tools: ToolRegistry;
  readonly limits: Limits;
  /**
   * Waits up to `graceMs` milliseconds for what is under way, then interrupts the rest, which records itself as
   * FAILED, `interrupted` (decisions, section 7).
   */
  close(graceMs: number): Promise<void>;
}

/** The core over its ports. Loads no package and reads no environment. */
export function createOrchestrator(ports: Ports, limits: Limits = defaultLimits): Orchestrator {
  const inFlight = createInFlight(ports.clock);
  const { signal } = inFlight;
  const tools = createToolRegistry(ports, limits);
  const messages = createMessageProcessor(ports, tools, limits);
  return {
    limits,
    tools,
    messages: {
      process: (message, options) => inFlight.track(messages.process(message, { signal, ...options })),
      processBatch: (batch, options) => inFlight.track(messages.processBatch(batch, { signal, ...options })),
    },
    traces: {
      async get(traceId) {
        const trace = await ports.traces.get(traceId);
        if (trace === undefined) throw notFound('trace', traceId);
        return trace;
      },
      list: (page) => ports.traces.list(page),
    },
    close: (graceMs) => inFlight.close(graceMs),
  };
}
