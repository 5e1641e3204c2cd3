import { endAbandoned } from '../../../domain/run/control.ts';
import type { RunEvent } from '../../../domain/run/events.ts';
import { replay } from '../../../domain/run/evolve.ts';
import { hasEnded, type RunSummary, type StepResult } from '../../../domain/run/run.ts';
import { summaryOf } from '../../../domain/run/state.ts';
import type { Step, WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import type { NewRun } from '../../../ports/storage/run-log.ts';
import { parseOld, timeOf } from './records.ts';

/** The members of a run that version 0.6 stored. */
type OldSummary = Pick<
  RunSummary,
  | 'workflowId'
  | 'workflowName'
  | 'status'
  | 'background'
  | 'input'
  | 'error'
  | 'createdAt'
  | 'startedAt'
  | 'completedAt'
  | 'durationMs'
> & { readonly executionId: string };

/** A run as version 0.6 stored it. */
export interface OldRun extends OldSummary {
  /** In the order of the steps of its definition. */
  readonly stepResults: readonly StepResult[];
}

/** An event before it has its number. */
type Draft = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'seq'> : never) : never;

/** The beginning of the fields of step results; the index of the step in the definition follows. */
const STEP_FIELD = 'step:';

/** A run of version 0.6 from the fields of its key; undefined where they are damaged. */
export function decodeOldRun(runId: string, fields: ReadonlyMap<string, string>): OldRun | undefined {
  const created = parseOld<OldSummary>(
    fields.get('summary') ?? '',
    [],
    ({ executionId, workflowId, createdAt }) =>
      executionId === runId && typeof workflowId === 'string' && timeOf(createdAt) !== undefined,
  );
  const state = parseOld<Partial<OldSummary>>(fields.get('state') ?? '{}', [], () => true);
  const results = parseOld<{ results: StepResult[] }>(
    `{"results":${fields.get('results') ?? 'null'}}`,
    ['results'],
    () => true,
  )?.results;
  if (created === undefined || state === undefined || results === undefined) return undefined;
  const stepResults: StepResult[] = [];
  for (const [index, before] of results.entries()) {
    const json = fields.get(STEP_FIELD + index) ?? JSON.stringify(before);
    const result = parseOld<StepResult>(json, [], ({ stepId }) => typeof stepId === 'string');
    if (result === undefined) return undefined;
    stepResults.push(result);
  }
  return { ...created, ...state, stepResults };
}

/**
 * A run of version 0.6 as one that can be stored, with the events that its record tells. One that had not ended counts
 * as interrupted at `now`, because its process is gone. Its definition is `workflow`, the only version that 0.6 knew;
 * where that is undefined, one is derived from the results, without what its steps call. Throws where the record is
 * damaged.
 */
export function convertOldRun(old: OldRun, workflow: WorkflowDefinition | undefined, now: number): NewRun {
  const { executionId: runId, workflowId } = old;
  const definition = workflow ?? derivedDefinition(old);
  const told = eventsOf(old);
  const state = replay({ runId, workflowId, definition, events: told });
  const events = hasEnded(state.status) ? told : [...told, ...endAbandoned(state, undefined, now)];
  return { summary: summaryOf(state), definition, events };
}

function eventsOf({ stepResults, ...old }: OldRun): readonly RunEvent[] {
  const { workflowName, background, input, startedAt } = old;
  const createdAt = timeOf(old.createdAt) ?? 0;
  const created = { workflowName, version: 1, background, origin: 'api', input, rerunOf: null } as const;
  const drafts: Draft[] = [{ ...created, type: 'execution.created', at: createdAt }];
  if (startedAt !== null) {
    drafts.push({ type: 'execution.started', at: timeOf(startedAt) ?? createdAt, attempt: 1 });
  }
  const layers = Map.groupBy(stepResults, ({ layer }) => layer);
  for (const layer of [...layers.keys()].sort((one, other) => one - other)) {
    drafts.push(...layerEvents(layer, layers.get(layer) ?? []));
  }
  const endedAt = timeOf(old.completedAt) ?? drafts.at(-1)?.at ?? createdAt;
  for (const { stepId, status } of stepResults) {
    if (status === 'SKIPPED')
      drafts.push({ type: 'step.skipped', at: endedAt, stepId, why: 'failed_before' });
  }
  if (hasEnded(old.status)) drafts.push(endEvent(old, endedAt));
  return drafts.map((draft, index): RunEvent => ({ ...draft, seq: index + 1 }));
}

/** The start of a layer and the starts of its steps, then their ends, in the order in which they happened. */
function layerEvents(layer: number, results: readonly StepResult[]): readonly Draft[] {
  const started = results.filter(({ startedAt }) => startedAt !== null);
  if (started.length === 0) return [];
  const times = started.map((result) => ({ result, at: timeOf(result.startedAt) ?? 0 }));
  const begun = times.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
  const steps = started.map(({ stepId }) => stepId);
  const starts = times.map(({ result: { stepId, kind }, at }): Draft => {
    return { type: 'step.started', at, stepId, kind, layer, attempt: 1 };
  });
  const ends = times.flatMap(({ result, at }) => stepEnd(result, at) ?? []);
  ends.sort((one, other) => one.at - other.at);
  return [{ type: 'layer.started', at: begun, layer, steps }, ...starts, ...ends];
}

function stepEnd(result: StepResult, startedAt: number): Draft | undefined {
  const { stepId, status, attempts, output, error, durationMs } = result;
  const at = timeOf(result.completedAt) ?? startedAt;
  if (status === 'COMPLETED') {
    const ended = { stepId, attempts, durationMs: durationMs ?? 0, output: output ?? {}, startedAt };
    return { type: 'step.completed', at, ...ended };
  }
  if (status !== 'FAILED') return undefined;
  return { type: 'step.failed', at, stepId, attempts, durationMs, error: error ?? '', startedAt };
}

function endEvent({ status, error, durationMs }: OldSummary, at: number): Draft {
  if (status === 'COMPLETED') {
    return { type: 'execution.completed', at, error: null, durationMs: durationMs ?? 0 };
  }
  return { type: 'execution.failed', at, error: error ?? '', durationMs };
}

/** A definition with the kinds and layers of the steps. Each depends on all of the layer before. */
function derivedDefinition({ workflowId, workflowName, createdAt, stepResults }: OldRun): WorkflowDefinition {
  const layers: string[][] = [];
  for (const { stepId, layer } of stepResults) {
    while (layers.length <= layer && layers.length <= stepResults.length) layers.push([]);
    layers[layer]?.push(stepId);
  }
  const steps = stepResults.map(({ stepId, kind, layer }): Step => {
    const base = { id: stepId, dependsOn: layers[layer - 1] ?? [], staticInput: {} };
    return kind === 'tool' ? { ...base, kind, toolName: '' } : { ...base, kind: 'agent', agentName: '' };
  });
  return {
    id: workflowId,
    version: 1,
    name: workflowName,
    description: '',
    steps,
    layers,
    warnings: [],
    createdAt,
  };
}
