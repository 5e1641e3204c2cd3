import type { Trace } from '../../../src/domain/message/trace.ts';
import { oldTrace } from '../old-trace.ts';

/** A trace with an id. */
export function sampleTrace(traceId: string, changes: Partial<Trace> = {}): Trace {
  const { message, timeline } = oldTrace;
  return {
    ...oldTrace,
    traceId,
    timeline: timeline.map((event) => ({ ...event, traceId, seq: 1 })),
    subject: null,
    conversationId: null,
    locale: null,
    metadata: null,
    prepared: { text: message, setApart: [], language: 'en', automatic: false },
    disposition: 'escalated',
    concerns: [],
    itemId: null,
    ...changes,
  };
}
