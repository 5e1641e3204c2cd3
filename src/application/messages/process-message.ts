import type { Limits } from '../../domain/limits.ts';
import type { CustomerMessage } from '../../domain/message/message.ts';
import type { PreparedMessage } from '../../domain/message/prepared.ts';
import type { Trace } from '../../domain/message/trace.ts';
import { yieldIfDue } from '../../lib/async/yield.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { FAILURE_REPLY, startMessageRun } from './message-run.ts';
import { createPipeline } from './pipeline.ts';
import { toPipelineFailure } from './pipeline-failure.ts';

/** The ids of the traces, chosen by the caller. */
export interface MessageIds {
  /** One for each message, in their order, made by `NewId`; chosen here when absent. */
  readonly traceIds?: readonly string[] | undefined;
}

/** Options of one message or batch. */
export interface ProcessOptions extends MessageIds {
  /** Aborted when the service shuts down: the message then ends as FAILED, `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The message pipeline (specification, section 3). */
export interface MessageProcessor {
  /**
   * Runs one message through the pipeline and stores its trace, however it ends. Rejects only with `unavailable`,
   * before anything was done, when the trace store is known to be unreachable.
   */
  process(message: CustomerMessage, options?: ProcessOptions): Promise<Trace>;
  /** Runs all messages concurrently. Traces come in the order of the messages; a failure of one affects no other. */
  processBatch(messages: readonly CustomerMessage[], options?: ProcessOptions): Promise<readonly Trace[]>;
}

/** The ports that the message pipeline uses. */
export type MessagePorts = Pick<
  Ports,
  | 'clock'
  | 'newId'
  | 'logger'
  | 'events'
  | 'telemetry'
  | 'prepare'
  | 'playbook'
  | 'stages'
  | 'traces'
  | 'storage'
>;

/** Creates the message pipeline from its ports and the shared tool registry. */
export function createMessageProcessor(
  ports: MessagePorts,
  tools: ToolRegistry,
  limits: Limits,
): MessageProcessor {
  const { clock, events, logger, telemetry } = ports;
  const pipeline = createPipeline(ports, tools, limits);

  /** Runs the pipeline to COMPLETED or FAILED. Never rejects. */
  async function runPipeline(
    traceId: string,
    message: PreparedMessage,
    { signal }: ProcessOptions,
  ): Promise<Trace> {
    const context = { clock, events, otelTraceId: telemetry.traceId() };
    const run = startMessageRun(context, traceId, message);
    try {
      return await pipeline(run, signal);
    } catch (thrown) {
      const failure = toPipelineFailure('internal_error', thrown, 'the pipeline failed');
      const { category, message: reason, cause } = failure;
      logger.warn('message failed', { category, reason, err: cause });
      return run.finish({
        ...{ status: 'FAILED', escalated: true, disposition: 'escalated', response: FAILURE_REPLY },
        concerns: run.classification?.concerns ?? [],
        error: `${category}: ${reason}`,
      });
    }
  }

  /** Stores a trace. A failure is only logged, so that the customer still gets the reply. */
  async function storeTrace(trace: Trace): Promise<void> {
    try {
      await ports.traces.put(trace);
    } catch (error) {
      logger.error('the trace could not be stored', { err: error });
    }
  }

  /** Runs a message and stores its trace. Never rejects. */
  function run(message: CustomerMessage, index: number, options: ProcessOptions): Promise<Trace> {
    const traceId = options.traceIds?.[index] ?? ports.newId();
    return logger.bind({ trace_id: traceId }, () =>
      telemetry.span('process_message', { 'message.trace_id': traceId }, async (span) => {
        const trace = await runPipeline(traceId, ports.prepare(message), options);
        if (trace.error !== null) span.fail(trace.error);
        await storeTrace(trace);
        return trace;
      }),
    );
  }

  return {
    async process(message, options = {}) {
      ports.storage.assertAvailable();
      return run(message, 0, options);
    },
    async processBatch(messages, options = {}) {
      ports.storage.assertAvailable();
      const traces: Promise<Trace>[] = [];
      for (const [index, message] of messages.entries()) {
        traces.push(run(message, index, options));
        await yieldIfDue();
      }
      return Promise.all(traces);
    },
  };
}
