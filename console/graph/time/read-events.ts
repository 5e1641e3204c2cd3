import type { EventResponse } from '../../../src/entries/client.ts';
import { addSpan, closeSpan, newTimes, openSpan, type StepTimes } from './step-times.ts';

/** The times in the events of a run. */
export interface RunTimes {
  readonly steps: ReadonlyMap<string, StepTimes>;
  /** When each layer started first, by its number. */
  readonly layers: ReadonlyMap<number, number>;
}

/** When a step was called, as its record says; undefined where it does not. */
type CalledAt = (stepId: string) => number | undefined;

/** Reads the events of a run, oldest first, each once. Some may be missing at the end. Linear time. */
export function readTimes(events: readonly EventResponse[], calledAt: CalledAt): RunTimes {
  const steps = new Map<string, StepTimes>();
  const layers = new Map<number, number>();
  const lastStarts = new Map<string, number>();
  for (const { type, seq, data } of events) if (type === 'step.started') lastStarts.set(data.step_id, seq);
  const timesOf = (id: string): StepTimes => {
    const known = steps.get(id);
    if (known !== undefined) return known;
    const times = newTimes();
    steps.set(id, times);
    return times;
  };
  let attemptFrom: number | undefined;
  for (const event of events) {
    const at = Date.parse(event.at);
    switch (event.type) {
      case 'execution.started':
        attemptFrom = at;
        break;
      case 'layer.started':
        if (!layers.has(event.data.layer)) layers.set(event.data.layer, at);
        for (const id of event.data.steps) {
          const times = timesOf(id);
          times.readyAt = at;
          if (attemptFrom !== undefined) addSpan(times, { kind: 'dependencies', from: attemptFrom, to: at });
        }
        break;
      case 'step.started': {
        const { step_id: id, attempt } = event.data;
        const told = lastStarts.get(id) === event.seq ? calledAt(id) : undefined;
        startAttempt(timesOf(id), { at, calledAt: Math.max(at, told ?? at), attempt });
        break;
      }
      case 'execution.recovered':
        for (const times of steps.values()) {
          if (times.open?.kind === 'attempt') closeSpan(times, at, { outcome: 'lost' });
        }
        break;
      case 'execution.completed':
      case 'execution.failed':
      case 'execution.cancelled':
        for (const times of steps.values()) closeSpan(times, at, { outcome: 'lost' });
        break;
      default:
        if ('step_id' in event.data) readStepEvent(timesOf(event.data.step_id), event, at);
    }
  }
  for (const times of steps.values()) if (times.open !== undefined) times.spans.push(times.open);
  return { steps, layers };
}

function startAttempt(
  times: StepTimes,
  { at, calledAt, attempt }: { readonly at: number; readonly calledAt: number; readonly attempt: number },
): void {
  closeSpan(times, at, { outcome: 'lost' });
  times.hasEvents = true;
  addSpan(times, { kind: 'queued', from: times.readyAt ?? at, to: calledAt });
  // A step that runs a second time in its layer has not waited for its place since the first.
  times.readyAt = undefined;
  openSpan(times, { kind: 'attempt', from: calledAt, attempt });
}

function readStepEvent(times: StepTimes, { type, data }: EventResponse, at: number): void {
  switch (type) {
    case 'step.retrying': {
      const next = at + data.delay_ms;
      closeSpan(times, at, { outcome: 'failed', error: data.error, attempts: data.attempt });
      addSpan(times, { kind: 'backoff', from: at, to: next });
      openSpan(times, { kind: 'attempt', from: next, attempt: data.attempt + 1 });
      break;
    }
    case 'step.progress':
      times.progress = { done: data.done, failed: data.failed, total: data.total };
      break;
    case 'step.waiting': {
      const { open } = times;
      if (open?.kind === 'waiting' && open.waitsFor === data.for) break;
      // The attempt of a step that only waits has no length of its own.
      if (open?.kind === 'attempt' && at - open.from < 1) times.open = undefined;
      closeSpan(times, at, { outcome: 'completed' });
      openSpan(times, { kind: 'waiting', from: at, waitsFor: data.for, until: data.until });
      break;
    }
    case 'step.completed': {
      const { attempts, error } = data;
      times.isCopied = data.copied === true;
      closeSpan(times, at, { outcome: error === undefined ? 'completed' : 'failed', error, attempts });
      break;
    }
    case 'step.failed':
      closeSpan(times, at, { outcome: 'failed', error: data.error, attempts: data.attempts });
      break;
    case 'step.cancelled':
      closeSpan(times, at, { outcome: 'cancelled', attempts: data.attempts });
      break;
    default:
  }
}
