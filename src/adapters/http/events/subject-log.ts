import type { EventSource } from '../../../domain/subject-event.ts';
import { END_FRAME, encodeFrames, numberedFrame } from './frames.ts';
import type { StreamLog } from './stream-hub.ts';

/** The largest number of events that are read at a time. */
const MAX_EVENTS = 256;

/** The events of one subject as streams send them: with ids, and with a last frame when the subject has ended. */
export function createSubjectLog(source: EventSource): StreamLog {
  return {
    async read(after) {
      const { events, lastSeq, ended } = await source.read(after, MAX_EVENTS);
      const position = events.at(-1)?.seq ?? after;
      if (events.length === 0 && !ended) return undefined;
      const isLast = ended && (events.length === 0 || position >= lastSeq);
      return () => {
        const frames = events.map(numberedFrame).join('') + (isLast ? END_FRAME : '');
        return { position, events: events.length, bytes: encodeFrames(frames), isLast };
      };
    },
    position: () => 0,
    changed: (after, signal) => source.changed(after, signal),
    close: () => undefined,
  };
}

/** The events of a subject that has ended, for `respondWithEvents`. They are numbered from 1 without gaps. */
export function endedSource(events: Awaited<ReturnType<EventSource['read']>>['events']): EventSource {
  return {
    read: async (after, limit) => ({
      events: events.slice(after, after + limit),
      lastSeq: events.length,
      ended: true,
    }),
    changed: async () => undefined,
  };
}
