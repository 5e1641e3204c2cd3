import type { Limits } from '../../domain/limits.ts';
import type { CustomerMessage } from '../../domain/message/message.ts';
import type { Trace } from '../../domain/message/trace.ts';
import { isOverdue } from '../../lib/async/legacy.ts';
import { sleep } from '../../lib/async/sleep.ts';
import type { Ports } from '../../ports/ports.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { SAFE_REPLY, startMessageRun } from './message-run.ts';
import { createPipeline } from './pipeline.ts';
import { failureOf } from './pipeline-failure.ts';

/** What a caller may say of a message beside its content. */
export interface ProcessOptions {
  /** Aborted when the service shuts down: the message then ends as FAILED, `interrupted`. */
  readonly signal?: AbortSignal | undefined;
}

/** The message pipeline (specification, section 3). */
export interface MessageProcessor {
  /**
   * Runs one message through the pipeline and stores its trace, however it ends. Rejects only with `unavailable`,
   * and only before anything was done, when the trace store is known to be out of reach.
   */
  process(message: CustomerMessage, options?: ProcessOptions): Promise<Trace>;
  /** Runs all messages concurrently; traces come in the order of the messages, and none harms another. */
  processBatch(messages: readonly CustomerMessage[], options?: ProcessOptions): Promise<readonly Trace[]>;
}

type ProcessorPorts = Pick<
  Ports,
  'clock' | 'newId' | 'logger' | 'events' | 'telemetry' | 'stages' | 'traces' | 'storage'
>;

/** The message pipeline over its ports and the shared tool registry. */
export function createMessageProcessor(
  ports: ProcessorPorts,
  tools: ToolRegistry,
  limits: Limits,
): MessageProcessor {
  const { clock, logger, telemetry } = ports;
  const pipeline = createPipeline(ports, tools, limits);

  async function runToItsEnd(
    traceId: string,
    message: CustomerMessage,
    options: ProcessOptions,
  ): Promise<Trace> {
    const run = startMessageRun(ports, traceId, message);
    try {
      return await pipeline(run, options.signal);
    } catch (error) {
      const { category, message: reason, cause } = failureOf('internal_error', error, 'the pipeline failed');
      logger.error('message failed', { category, reason, err: cause });
      const told = `${category}: ${reason}`;
      return run.finish({ status: 'FAILED', escalated: true, response: SAFE_REPLY, error: told });
    }
  }

  async function process(message: CustomerMessage, options: ProcessOptions = {}): Promise<Trace> {
    ports.storage.assertAvailable();
    const traceId = ports.newId();
    return logger.bind({ trace_id: traceId }, () =>
      telemetry.span('process_message', { 'message.trace_id': traceId }, async (span) => {
        const trace = await runToItsEnd(traceId, message, options);
        if (trace.error !== null) span.fail(trace.error);
        try {
          await ports.traces.put(trace);
        } catch (error) {
          logger.error('the trace could not be stored', { err: error });
        }
        return trace;
      }),
    );
  }

  return {
    process,
    async processBatch(messages, options) {
      const traces: Promise<Trace>[] = [];
      let begun = clock.monotonic();
      for (const message of messages) {
        if (isOverdue(clock, begun)) {
          await sleep(clock, 0);
          begun = clock.monotonic();
        }
        traces.push(process(message, options));
      }
      return Promise.all(traces);
    },
  };
}
