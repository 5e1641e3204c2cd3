import type { Subject, SubjectEvent } from '../../../domain/subject-event.ts';
import { isoTime } from '../../../lib/text/time.ts';
import type { EventResponse } from './event-schemas.ts';

/** An event on the wire. */
export function toEventResponse({ seq, type, at, subject, data }: SubjectEvent): EventResponse {
  const event = { seq, type, at: isoTime(at), subject: toSubjectResponse(subject), data: toSnakeCase(data) };
  // The schemas of the data are checked against the types of the domain, under the names that `toSnakeCase` makes.
  return event as EventResponse;
}

function toSubjectResponse({ kind, id, workflowId }: Subject) {
  return workflowId === undefined ? { kind, id } : { kind, id, workflow_id: workflowId };
}

/** The names of the data of all events: a closed set. */
const names = new Map<string, string>();

function toSnakeCase(data: object): object {
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    let name = names.get(key);
    if (name === undefined) {
      name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      names.set(key, name);
    }
    converted[name] = value;
  }
  return converted;
}
