import { expect } from 'vitest';
import type { RunEvent } from '../../../src/domain/run/events.ts';
import { replay } from '../../../src/domain/run/evolve.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import { recordOf } from '../../../src/domain/run/state.ts';
import { toSubjectEvent } from '../../../src/domain/run/subject-events.ts';
import { itemAt } from '../../../src/lib/array.ts';
import type { RunLog } from '../../../src/ports/storage/run-log.ts';

/** The members that no event shows to clients. */
const HIDDEN = [
  ...['input', 'output', 'startedAt', 'rerunOf', 'parentRunId', 'depth', 'ends', 'mark'],
  ...['itemId', 'item', 'timesOut', 'outcome', 'note', 'data', 'isExpired', 'end'],
];

/**
 * The order of the events of one step within an attempt of the run. One whose condition or input cannot be evaluated
 * ends without a start; what was decided may be to run it again.
 */
const STEP_EVENTS =
  /^(copied|skipped|completed|failed|started( (retrying|progress|waiting|resumed( started)?))*( (completed|failed|cancelled|skipped))?)$/;

/**
 * Expects that the stored log of a run is sound: numbered without gaps, replayed to the stored record, each step
 * started and ended once in each attempt, and shown to clients without inputs and outputs. Returns the record.
 */
export async function expectSoundLog({ runs }: { readonly runs: RunLog }, runId: string): Promise<Run> {
  const stored = (await runs.get(runId)) ?? expect.fail('the run is not stored');
  const { events, workflowId } = stored;
  const record = recordOf(replay(stored));
  const summary = await runs.summary(runId);
  const { stepResults, ...members } = record;
  // Comparing as text is much faster than `toEqual`, and shows the same differences.
  expect(JSON.stringify(sorted(summary))).toBe(JSON.stringify(sorted(members)));
  expectSoundEvents(
    events,
    stepResults.map(({ stepId }) => stepId),
  );
  for (const event of events) {
    const subject = { kind: 'execution', id: runId, workflowId } as const;
    const { data, ...envelope } = toSubjectEvent(subject, event);
    const { seq, type, at } = event;
    if (HIDDEN.some((name) => name in data)) expect.fail(`${type} shows ${Object.keys(data)}`);
    if (
      envelope.seq !== seq ||
      envelope.type !== type ||
      envelope.at !== at ||
      envelope.subject !== subject
    ) {
      expect(envelope).toEqual({ seq, type, at, subject });
    }
  }
  return record;
}

function sorted(value: object | undefined): object {
  return Object.fromEntries(Object.entries(value ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Expects that events are numbered without gaps, and that those of each step come in a possible order. */
export function expectSoundEvents(events: readonly RunEvent[], stepIds: readonly string[]): void {
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) expect.fail(`event ${gap + 1} has the number ${events[gap]?.seq}`);
  expect(itemAt(events, 0).type).toBe('execution.created');
  let ofSteps = new Map<string, string[]>();
  let ended = false;
  for (const event of events) {
    if (event.type === 'execution.retried') {
      if (!ended) expect.fail('a run is retried that has not ended');
      expectStepOrders(ofSteps);
      ofSteps = new Map();
      ended = false;
      continue;
    }
    if (ended) expect.fail(`${event.type} comes after the end`);
    ended = ['execution.completed', 'execution.failed', 'execution.cancelled'].includes(event.type);
    if (!('stepId' in event)) continue;
    if (!stepIds.includes(event.stepId)) expect.fail(`${event.type} of the unknown step ${event.stepId}`);
    const name = 'copied' in event ? 'copied' : event.type.slice(event.type.indexOf('.') + 1);
    ofSteps.set(event.stepId, [...(ofSteps.get(event.stepId) ?? []), name]);
  }
  expectStepOrders(ofSteps);
}

function expectStepOrders(ofSteps: ReadonlyMap<string, readonly string[]>): void {
  for (const [stepId, names] of ofSteps) {
    if (!STEP_EVENTS.test(names.join(' '))) expect.fail(`step ${stepId}: ${names.join(', ')}`);
  }
}
