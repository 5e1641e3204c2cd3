import { itemAt } from '../../lib/array.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isoTime } from '../../lib/text/time.ts';
import { indexOfStep } from '../workflow/shape.ts';
import type { ResolveSignal, RunEvent, StepDecision } from './events.ts';
import type { Wait } from './run.ts';
import type { RunState } from './state.ts';

/** Who ended a wait, and how. */
export interface WaitDecision {
  readonly outcome: StepDecision;
  readonly by: string;
  readonly note: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** A wait of a run, also after it has ended. */
export interface StepWait extends Wait {
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly isOpen: boolean;
  /** Null while nobody has decided, and where it ended without a decision. */
  readonly decision: WaitDecision | null;
  /** The output that was decided; else null. */
  readonly output: JsonObject | null;
}

const none: readonly Wait[] = [];

/** The open waits of a run, in the order in which they began. */
export function openWaits({ waits }: RunState): readonly Wait[] {
  if (waits === undefined) return none;
  return [...waits.values()].flatMap(({ kind, stepId, itemId, until, isOpen }) =>
    isOpen ? [{ kind, stepId, itemId, until }] : [],
  );
}

/** The open wait of a step, or undefined. */
export function openWaitOf({ waits }: RunState, stepId: string): StepWait | undefined {
  for (const wait of waits?.values() ?? []) if (wait.isOpen && wait.stepId === stepId) return wait;
  return undefined;
}

/** Adds the wait that an event begins. */
export function addWait(
  state: RunState,
  { stepId, for: kind, until, itemId, at }: RunEvent<'step.waiting'>,
): void {
  const wait = { kind, stepId, itemId, until, since: at, isOpen: true, decision: null, output: null };
  state.waits ??= new Map();
  state.waits.set(itemId, wait);
}

/** Notes what was decided about a wait. */
export function decideWait(
  { waits }: RunState,
  { itemId, outcome, by, note, at }: RunEvent<'execution.resumed'>,
): void {
  const wait = waits?.get(itemId);
  if (wait !== undefined) waits?.set(itemId, { ...wait, decision: { outcome, by, note, at: isoTime(at) } });
}

/** Ends the wait of a step, if it waits. */
export function endWait(state: RunState, stepId: string, output: JsonObject | null): void {
  const wait = openWaitOf(state, stepId);
  if (wait !== undefined) state.waits?.set(wait.itemId, { ...wait, isOpen: false, output });
}

/** The error of a step of unknown outcome about which `by` has decided that it failed. */
function decidedFailure(by: string): string {
  return `its outcome was unknown, and ${JSON.stringify(by)} decided that it has failed`;
}

/** The events by which a decision ends a wait. None where the run does not wait for it any more, or is to be cancelled. */
export function decisionEvents(state: RunState, signal: ResolveSignal, now: number): readonly RunEvent[] {
  const { itemId, outcome, by, note, output } = signal;
  const wait = state.waits?.get(itemId);
  if (wait === undefined || !wait.isOpen || state.cancel !== null) return [];
  const { stepId } = wait;
  const resumed = { type: 'execution.resumed', at: now, by, stepId, itemId, outcome, note } as const;
  const events: RunEvent[] = [{ ...resumed, seq: state.seq + 1 }];
  if (outcome === 'retry') return events;
  const { attempts, startedAt } = itemAt(state.results, indexOfStep(state.shape.indexes, stepId));
  const since = startedAt === null ? now : Date.parse(startedAt);
  const end = { seq: state.seq + 2, at: now, stepId, attempts, durationMs: null, startedAt: since };
  if (outcome === 'completed') events.push({ ...end, type: 'step.completed', output: output ?? {} });
  else events.push({ ...end, type: 'step.failed', error: decidedFailure(by) });
  return events;
}
