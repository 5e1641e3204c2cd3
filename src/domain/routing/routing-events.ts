import { countCharacters } from '../../lib/text/characters.ts';
import type { RoutingFinished, RoutingStarted, SubTaskFinished } from '../events.ts';
import type { Subject, SubjectEvent } from '../subject-event.ts';
import type { RoutingResult } from './routing.ts';

/** An event of a routed goal. */
export type RoutingEvent = RoutingStarted | SubTaskFinished | RoutingFinished;

/** The number of the event of the first subtask. Those of the others follow in the order of the subtasks. */
export const FIRST_SUBTASK_SEQ = 2;

/** An event of a routed goal as clients see it: without the goal, inputs and outputs. */
export function toRoutingEvent(event: RoutingEvent, subject: Subject): SubjectEvent {
  const { seq, at } = event;
  switch (event.type) {
    case 'routing.started': {
      const { goalLength, subtasks } = event;
      return { seq, type: event.type, at, subject, data: { goalLength, subtasks } };
    }
    case 'subtask.finished': {
      const { taskId, agentName, error, durationMs } = event;
      const data = { taskId, agentName, durationMs };
      if (error === null) return { seq, type: 'subtask.completed', at, subject, data };
      return { seq, type: 'subtask.failed', at, subject, data: { ...data, error } };
    }
    case 'routing.finished': {
      const { status, total, completed, failed, error, durationMs } = event;
      const data = { status, total, completed, failed, error, durationMs };
      return { seq, type: event.type, at, subject, data };
    }
  }
}

/**
 * The events of a stored result, with the times at which they were emitted. Results of before 0.8 have no times of
 * their subtasks: as these began together, and the last one ended at the end of the goal, they follow from the
 * durations.
 */
export function routingEvents(routing: RoutingResult): readonly SubjectEvent[] {
  const { routingId, goal, results, status, error, durationMs, createdAt, completedAt } = routing;
  const subject: Subject = { kind: 'routing', id: routingId };
  const startedAt = Date.parse(createdAt);
  const endedAt = Date.parse(completedAt);
  const longestMs = results.reduce((longest, result) => Math.max(longest, result.durationMs), 0);
  const dispatchedAt = Math.max(startedAt, endedAt - longestMs);
  const { total, completed, failed } = routing.subtaskCounts;
  const events: RoutingEvent[] = [
    {
      type: 'routing.started',
      routingId,
      seq: 1,
      at: startedAt,
      goalLength: countCharacters(goal),
      subtasks: results.length,
    },
    ...results.map((result, index): SubTaskFinished => {
      const { taskId, agentName, status: ended, error: failure, durationMs: ms } = result;
      const estimate = Math.min(endedAt, Math.round(dispatchedAt + ms));
      return {
        type: 'subtask.finished',
        routingId,
        seq: FIRST_SUBTASK_SEQ + index,
        at: result.completedAt === null ? estimate : Date.parse(result.completedAt),
        taskId,
        agentName,
        status: ended,
        error: failure,
        durationMs: ms,
      };
    }),
    {
      type: 'routing.finished',
      routingId,
      seq: FIRST_SUBTASK_SEQ + total,
      at: endedAt,
      status,
      total,
      completed,
      failed,
      error,
      durationMs,
    },
  ];
  return events.map((event) => toRoutingEvent(event, subject));
}
