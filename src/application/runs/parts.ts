import type { RunEvent } from '../../domain/run/events.ts';
import { jsonByteLength } from '../../lib/json/size.ts';

/** The events in parts of which each has at most `maxBytes` bytes of outputs, or one output. */
export function* inParts(events: readonly RunEvent[], maxBytes: number): Generator<readonly RunEvent[]> {
  let part: RunEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = event.type === 'step.completed' ? jsonByteLength(event.output) : 0;
    if (bytes + size > maxBytes && part.length > 0) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(event);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
