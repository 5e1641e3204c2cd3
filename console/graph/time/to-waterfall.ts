import type { EventResponse } from '../../../src/entries/client.ts';
import type { WaterfallData, WaterfallRow, WaterfallSpan } from '../types.ts';
import { criticalPath } from './critical-path.ts';
import { type RunTimes, readTimes } from './read-events.ts';

/** The members of a step of a run that are read, as `GET /runs/{execution_id}` has them. */
export interface StepRecord {
  readonly step_id: string;
  readonly kind: string;
  readonly status: string;
  readonly layer: number;
  readonly attempts: number;
  readonly error: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}

/** The members of a run that are read, as `GET /runs/{execution_id}` has them. */
export interface RunRecord {
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly waiting_for: readonly {
    readonly kind: NonNullable<WaterfallSpan['waitsFor']>;
    readonly step_id: string;
    readonly until?: string | undefined;
  }[];
  readonly step_results: Readonly<Record<string, StepRecord>>;
}

/**
 * The steps of a run over time, by layer. The events are those of the run, oldest first; without them, or where those
 * of a step are missing, the record tells when it started and ended, and its attempts are one span. Linear time.
 */
export function toWaterfall(run: RunRecord, events: readonly EventResponse[]): WaterfallData {
  const results = Object.values(run.step_results).toSorted((a, b) => a.layer - b.layer);
  const times = readTimes(events, (id) => {
    const startedAt = Object.hasOwn(run.step_results, id) ? run.step_results[id]?.started_at : null;
    return parse(startedAt);
  });
  const layers = new Map(times.layers);
  for (const { layer, started_at } of results) {
    const at = parse(started_at);
    if (at !== undefined && !times.layers.has(layer))
      layers.set(layer, Math.min(at, layers.get(layer) ?? at));
  }
  // A step that waits for several things shows the first.
  const waits = new Map(run.waiting_for.toReversed().map((wait) => [wait.step_id, wait]));
  const rows = results.map((step) => rowOf(step, run, { ...times, layers, waits }));
  const critical = criticalPath(rows);
  return {
    rows: rows.map((row) => ({ ...row, isCritical: critical.has(row.id) })),
    from: parse(run.started_at) ?? Date.parse(run.created_at),
    to: parse(run.completed_at) ?? null,
  };
}

const parse = (iso: string | null | undefined): number | undefined =>
  iso === null || iso === undefined ? undefined : Date.parse(iso);

interface Known extends RunTimes {
  readonly waits: ReadonlyMap<string, RunRecord['waiting_for'][number]>;
}

function rowOf(step: StepRecord, run: RunRecord, { steps, layers, waits }: Known): WaterfallRow {
  const { step_id: id, kind, status, layer, attempts } = step;
  const times = steps.get(id);
  const isCopied = times?.isCopied === true;
  const spans =
    times?.hasEvents === true ? times.spans : spansOfRecord(step, run, layers.get(layer), waits.get(id));
  const own = spans.filter((span) => span.kind !== 'dependencies' && span.kind !== 'queued');
  return {
    id,
    layer,
    kind,
    status,
    attempts,
    isCopied,
    spans: isCopied ? [] : spans,
    from: isCopied ? null : (own[0]?.from ?? null),
    to: isCopied ? null : (own.at(-1)?.to ?? null),
    isCritical: false,
    progress: times?.progress,
  };
}

/** The spans of a step that its record alone has. */
function spansOfRecord(
  { status, attempts, error, started_at, completed_at }: StepRecord,
  run: RunRecord,
  layerFrom: number | undefined,
  wait: RunRecord['waiting_for'][number] | undefined,
): readonly WaterfallSpan[] {
  const from = parse(started_at);
  if (from === undefined) return [];
  const runFrom = parse(run.started_at) ?? from;
  const ready = Math.min(layerFrom ?? from, from);
  const to = parse(completed_at) ?? null;
  const own: WaterfallSpan =
    status === 'WAITING'
      ? { kind: 'waiting', from, to, waitsFor: wait?.kind, until: wait?.until }
      : { kind: 'attempt', from, to, attempt: Math.max(1, attempts), ...outcomeOf(status, error) };
  const before: readonly WaterfallSpan[] = [
    { kind: 'dependencies', from: runFrom, to: ready },
    { kind: 'queued', from: ready, to: from },
  ];
  return [...before.filter((span) => (span.to ?? 0) > span.from), own];
}

function outcomeOf(status: string, error: string | null): Pick<WaterfallSpan, 'outcome' | 'error'> {
  if (status === 'FAILED') return { outcome: 'failed', error: error ?? undefined };
  if (status === 'CANCELLED') return { outcome: 'cancelled' };
  return status === 'COMPLETED' ? { outcome: 'completed' } : {};
}
