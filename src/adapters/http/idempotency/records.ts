import type { Orchestrator } from '../../../application/orchestrator.ts';
import { OrchestrationError } from '../../../domain/errors.ts';
import type { CustomerMessage } from '../../../domain/message/message.ts';
import type { Trace } from '../../../domain/message/trace.ts';
import { itemAt } from '../../../lib/array.ts';

/** A record that is being read; undefined when it is not found. */
export async function findRecord<T>(pending: Promise<T>): Promise<T | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof OrchestrationError && error.code === 'not_found') return undefined;
    throw error;
  }
}

type Messages = Pick<Orchestrator, 'messages' | 'traces'>;

/** The traces with these ids, in their order; undefined unless all are stored. */
export async function findTraces(
  { traces }: Messages,
  traceIds: readonly string[],
): Promise<readonly Trace[] | undefined> {
  const found: Trace[] = [];
  // One after the other: while a batch is under way, the first is usually missing.
  for (const traceId of traceIds) {
    const trace = await findRecord(traces.get(traceId));
    if (trace === undefined) return undefined;
    found.push(trace);
  }
  return found;
}

/** Processes the messages of a batch that a process has left unfinished: those that have no trace yet. */
export async function resumeBatch(
  { messages, traces }: Messages,
  batch: readonly CustomerMessage[],
  traceIds: readonly string[],
): Promise<readonly Trace[]> {
  const stored = await Promise.all(traceIds.map((traceId) => findRecord(traces.get(traceId))));
  const missing = batch.flatMap((message, index) =>
    stored[index] === undefined ? [{ message, traceId: itemAt(traceIds, index) }] : [],
  );
  const processed = await messages.processBatch(
    missing.map(({ message }) => message),
    { traceIds: missing.map(({ traceId }) => traceId) },
  );
  const rest = processed.values();
  return stored.flatMap((trace) => trace ?? rest.next().value ?? []);
}
