import type { RunEvent, RunEventType } from '../../../src/domain/run/events.ts';
import { hasEnded, type RunSummary } from '../../../src/domain/run/run.ts';
import type { RunChange } from '../../../src/domain/run/state.ts';
import { stepKinds, type WorkflowDefinition } from '../../../src/domain/workflow/definition.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { AppendOutcome, NewRun, RunLog } from '../../../src/ports/storage/run-log.ts';
import { toolStep } from './graphs.ts';

/** When the runs of {@link newRun} are created, unless they say otherwise, in milliseconds since the epoch. */
export const CREATED_AT = Date.UTC(2026, 0, 1);

/** An event without its number and time. */
export type EventDraft = {
  readonly [Type in RunEventType]: Omit<RunEvent<Type>, 'seq' | 'at'>;
}[RunEventType];

/** A JSON object with odd keys and texts. */
export function oddJson(): JsonObject {
  return JSON.parse(
    '{"__proto__": {"a": [1]}, "constructor": "é☃\\ud800", "": {}, "toJSON": 1, "n": -1.5e-7}',
  );
}

/** A JSON object that is nested `depth` levels deep. */
export function deepJson(depth: number): JsonObject {
  return JSON.parse(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);
}

/** A definition of `steps` tool steps in sequence: `step-0`, `step-1` and so on. */
export function sampleDefinition(id = 'workflow-1', steps = 3): WorkflowDefinition {
  const ids = Array.from({ length: steps }, (_, index) => `step-${index}`);
  return {
    id,
    version: 1,
    name: 'Sample "workflow" ☃',
    description: '',
    steps: ids.map((stepId, index) => toolStep(stepId, ids.slice(Math.max(0, index - 1), index), oddJson())),
    layers: ids.map((stepId) => [stepId]),
    warnings: [],
    createdAt: new Date(CREATED_AT).toISOString(),
  };
}

/** Numbers events from `firstSeq` on. They happen one millisecond after another, from {@link CREATED_AT} on. */
export function numbered(firstSeq: number, drafts: readonly EventDraft[]): RunEvent[] {
  return drafts.map((draft, index): RunEvent => {
    const seq = firstSeq + index;
    return { ...draft, seq, at: CREATED_AT + seq };
  });
}

/** Appends drafts after the event `after`. */
export function append(
  log: RunLog,
  runId: string,
  after: number,
  drafts: readonly EventDraft[],
  change: RunChange,
): Promise<AppendOutcome> {
  return log.append(runId, after, numbered(after + 1, drafts), change);
}

/** A new run with the event `execution.created`. What `changes` names replaces the members of its summary. */
export function newRun(
  runId: string,
  changes: Partial<RunSummary> = {},
  definition: WorkflowDefinition = sampleDefinition(changes.workflowId),
): NewRun {
  const summary: RunSummary = {
    runId,
    workflowId: definition.id,
    workflowName: definition.name,
    version: 1,
    status: 'PENDING',
    background: true,
    input: oddJson(),
    error: null,
    createdAt: new Date(CREATED_AT).toISOString(),
    startedAt: null,
    completedAt: null,
    durationMs: null,
    attempt: 1,
    recoveries: 0,
    recoveriesWithoutProgress: 0,
    rerunOf: null,
    parentRunId: null,
    customerId: null,
    output: null,
    waitingFor: [],
    wakeAt: null,
    ...changes,
  };
  return { summary, definition, events: [createdEvent(summary)] };
}

/** The event that begins the log of a run. */
function createdEvent(summary: RunSummary): RunEvent<'execution.created'> {
  const { workflowName, version, background, input, rerunOf } = summary;
  const customer = summary.customerId === null ? {} : { customerId: summary.customerId };
  const origin = rerunOf === null ? 'api' : 'rerun';
  const at = Date.parse(summary.createdAt);
  const created = { workflowName, version, background, origin, input, rerunOf, ...customer } as const;
  return { seq: 1, type: 'execution.created', at, ...created };
}

/** The start of a step. */
export function stepStarted(stepId: string, layer = 0): EventDraft {
  return { type: 'step.started', stepId, kind: 'tool', layer, attempt: 1 };
}

/** The end of a step with an output. */
export function stepCompleted(stepId: string, output: JsonObject = {}): EventDraft {
  return { type: 'step.completed', stepId, attempts: 1, durationMs: 0.25, output, startedAt: CREATED_AT + 1 };
}

/** One event of every type. The last one ends a run. */
export function eventsByType(output: JsonObject = oddJson()): EventsByType {
  const { stepId, attempts, durationMs } = { stepId: 'step-1', attempts: 2, durationMs: 0.5 };
  const why = 'cancelled';
  const steps = ['step-1', 'step-2'];
  const error = 'odd: "\ud800"';
  return {
    'execution.created': {
      type: 'execution.created',
      workflowName: 'w',
      version: 2,
      background: false,
      origin: 'rerun',
      input: output,
      rerunOf: 'execution-0',
    },
    'execution.started': { type: 'execution.started', attempt: 1 },
    'layer.started': { type: 'layer.started', layer: 0, steps },
    'step.started': { type: 'step.started', stepId, kind: 'agent', layer: 0, attempt: 1 },
    'step.retrying': { type: 'step.retrying', stepId, attempt: 1, error, delayMs: 100 },
    'step.progress': {
      type: 'step.progress',
      stepId,
      done: 2,
      failed: 1,
      total: 5,
      mark: 3,
      ends: [
        { index: 2, output, error: null, attempts: 1 },
        { index: 0, output: null, error, attempts: 3 },
      ],
    },
    'step.waiting': {
      type: 'step.waiting',
      stepId,
      for: 'recovery',
      until: null,
      itemId: 'item-1',
      attempts,
    },
    'step.completed': { type: 'step.completed', stepId, attempts, durationMs, output, startedAt: CREATED_AT },
    'step.failed': { type: 'step.failed', stepId, attempts, durationMs, error, startedAt: CREATED_AT },
    'step.skipped': { type: 'step.skipped', stepId, why: 'failed_before' },
    'step.cancelled': {
      type: 'step.cancelled',
      stepId,
      attempts,
      durationMs,
      why,
      startedAt: CREATED_AT,
    },
    'execution.waiting': { type: 'execution.waiting', for: ['recovery'] },
    'execution.resumed': {
      type: 'execution.resumed',
      by: 'ann',
      stepId,
      itemId: 'item-1',
      outcome: 'failed',
      note: null,
    },
    'execution.cancel_requested': { type: 'execution.cancel_requested', by: 'api', reason: null },
    'execution.retried': { type: 'execution.retried', by: 'api', attempt: 2, steps },
    'execution.recovered': {
      type: 'execution.recovered',
      recoveries: 1,
      recoveriesWithoutProgress: 1,
      unknownSteps: ['step-2'],
      steps,
    },
    'execution.cancelled': { type: 'execution.cancelled', error, durationMs: null },
    'execution.failed': { type: 'execution.failed', error, durationMs },
    'execution.completed': { type: 'execution.completed', error: null, durationMs },
  };
}

type EventsByType = { readonly [Type in RunEventType]: Omit<RunEvent<Type>, 'seq' | 'at'> };

/** One event of every type, and of every variant that has other members. The last one ends a run. */
export function everyEvent(output: JsonObject = oddJson()): readonly EventDraft[] {
  const byType = eventsByType(output);
  const error = 'odd: "\ud800"';
  return [
    { ...byType['step.completed'], copied: true },
    { ...byType['step.completed'], durationMs: null },
    { ...byType['step.completed'], error },
    { ...byType['step.completed'], copied: true, error },
    { ...byType['step.failed'], durationMs: null },
    ...stepKinds.map((kind) => ({ ...byType['step.started'], kind })),
    { ...byType['step.progress'], ends: [] },
    {
      ...byType['step.waiting'],
      for: 'wait',
      until: new Date(CREATED_AT).toISOString(),
      item: 0,
      timesOut: true,
    },
    ...approvalAnswers(byType['execution.resumed'], output),
    ...skipReasons.map((reason) => ({ ...byType['step.skipped'], why: reason })),
    { ...byType['execution.created'], origin: 'workflow', parentRunId: 'execution-2', depth: 3 },
    { ...byType['execution.completed'], output },
    ...Object.values(byType),
  ];
}

/** The events that end a wait with what came with it. */
function approvalAnswers(
  resumed: Omit<RunEvent<'execution.resumed'>, 'seq' | 'at'>,
  output: JsonObject,
): readonly EventDraft[] {
  return [
    { ...resumed, outcome: 'approved', note: 'odd "note"', data: [output, null, 1.5], isExpired: true },
    { ...resumed, data: null, end: { index: 1, output, error: null, attempts: 1 } },
    { ...resumed, data: '', end: { index: 1, output: null, error: 'failed', attempts: 0 } },
  ];
}

const skipReasons = ['failed_before', 'condition', 'cancelled'] as const;

/** The summary's change while a run goes on. */
export function running(attempt = 1): RunChange {
  const startedAt = new Date(CREATED_AT + 2).toISOString();
  const ended = { completedAt: null, durationMs: null, output: null, wakeAt: null };
  return {
    status: 'RUNNING',
    error: null,
    startedAt,
    ...ended,
    attempt,
    recoveries: 0,
    recoveriesWithoutProgress: 0,
    waitingFor: [],
  };
}

/** The summary's change at the end of a run. */
export function ended(status: 'COMPLETED' | 'FAILED' | 'CANCELLED' = 'COMPLETED', attempt = 1): RunChange {
  const error = status === 'COMPLETED' ? null : `run ${status.toLowerCase()}`;
  const completedAt = new Date(CREATED_AT + 14).toISOString();
  return { ...running(attempt), status, error, completedAt, durationMs: 12.5 };
}

/** The event that goes with {@link ended}. */
export function endOf(status: 'COMPLETED' | 'FAILED' | 'CANCELLED' = 'COMPLETED'): EventDraft {
  const durationMs = 12.5;
  if (status === 'COMPLETED') return { type: 'execution.completed', error: null, durationMs };
  const error = `run ${status.toLowerCase()}`;
  if (status === 'FAILED') return { type: 'execution.failed', error, durationMs };
  return { type: 'execution.cancelled', error, durationMs };
}

/** A summary after a change. */
export function changedSummary(summary: RunSummary, change: RunChange): RunSummary {
  return { ...summary, ...change };
}

/** A new run that has ended when it is created, as a rerun that copies every step. */
export function newEndedRun(runId: string, changes: Partial<RunSummary> = {}): NewRun {
  const run = newRun(runId, { ...ended(), ...changes });
  if (!hasEnded(run.summary.status)) throw new Error('the run has not ended');
  return { ...run, events: [...run.events, ...numbered(2, [endOf()])] };
}
