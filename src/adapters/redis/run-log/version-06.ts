import { workflowRecords } from '../../../domain/collections.ts';
import type { RunEvent } from '../../../domain/run/events.ts';
import { hasEnded, type RunSummary, type StepResult } from '../../../domain/run/run.ts';
import type { Step, WorkflowDefinition } from '../../../domain/workflow/definition.ts';
import { type StoredDefinition, toDefinition } from '../../shared/stored-definition.ts';
import type { Connection } from '../client/connection.ts';
import { ignoreWrongType, StoreError } from '../client/errors.ts';
import { asNumber } from '../client/replies.ts';
import { fencedScript } from '../client/scripts.ts';
import { parseStored } from '../client/stored-json.ts';
import type { Keys } from '../keys.ts';
import { decodeSummary } from './encoding.ts';
import { keepDefinition, push } from './write-scripts.ts';

/** A run of version 0.6. */
export interface OldRun {
  readonly summary: RunSummary;
  readonly stepResults: readonly StepResult[];
}

/** An event before it has its number. */
type Draft = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'seq'> : never) : never;

/** Prefix of the fields of step results; the step's index in the definition follows. */
const STEP_FIELD = 'step:';

/** A run of version 0.6 from the fields of its key; undefined where they are damaged. */
export function decodeOldRun(runId: string, fields: Readonly<Record<string, string>>): OldRun | undefined {
  const summary = decodeSummary(runId, fields['summary'] ?? '', fields['state'] ?? '');
  const created = parseStored<{ results: StepResult[] }>(
    `{"results":${fields['results'] ?? 'null'}}`,
    ['results'],
    () => true,
  );
  if (summary === undefined || created === undefined) return undefined;
  const stepResults: StepResult[] = [];
  for (const [index, before] of created.results.entries()) {
    const json = fields[STEP_FIELD + index];
    const result = json === undefined ? before : decodeResult(json);
    if (result === undefined) return undefined;
    stepResults.push(result);
  }
  return { summary, stepResults };
}

function decodeResult(json: string): StepResult | undefined {
  return parseStored<StepResult>(json, [], ({ stepId }) => typeof stepId === 'string');
}

/** The log of a run of version 0.6. The same record always gives the same events. */
export function oldRunEvents({ summary, stepResults }: OldRun): readonly RunEvent[] {
  const { workflowName, version, background, input, rerunOf, startedAt } = summary;
  const createdAt = time(summary.createdAt) ?? 0;
  const drafts: Draft[] = [
    {
      ...{ type: 'execution.created', at: createdAt, workflowName, version, background },
      ...{ origin: 'api', input, rerunOf },
    },
  ];
  if (startedAt !== null) {
    drafts.push({ type: 'execution.started', at: time(startedAt) ?? createdAt, attempt: summary.attempt });
  }
  const layers = Map.groupBy(stepResults, ({ layer }) => layer);
  for (const layer of [...layers.keys()].sort((one, other) => one - other)) {
    drafts.push(...layerEvents(layer, layers.get(layer) ?? []));
  }
  const endedAt = time(summary.completedAt) ?? drafts.at(-1)?.at ?? createdAt;
  for (const { stepId, status } of stepResults) {
    if (status === 'SKIPPED')
      drafts.push({ type: 'step.skipped', at: endedAt, stepId, why: 'failed_before' });
  }
  if (hasEnded(summary.status)) drafts.push(endEvent(summary, endedAt));
  return drafts.map((draft, index): RunEvent => ({ ...draft, seq: index + 1 }));
}

/** The start of a layer and the starts of its steps, then their ends, in the order in which they happened. */
function layerEvents(layer: number, results: readonly StepResult[]): readonly Draft[] {
  const started = results.filter(({ startedAt }) => startedAt !== null);
  if (started.length === 0) return [];
  const times = started.map((result) => ({ result, at: time(result.startedAt) ?? 0 }));
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
  const at = time(result.completedAt) ?? startedAt;
  if (status === 'COMPLETED') {
    const ended = { stepId, attempts, durationMs: durationMs ?? 0, output: output ?? {}, startedAt };
    return { type: 'step.completed', at, ...ended };
  }
  if (status !== 'FAILED') return undefined;
  return { type: 'step.failed', at, stepId, attempts, durationMs, error: error ?? '', startedAt };
}

function endEvent({ status, error, durationMs }: RunSummary, at: number): Draft {
  if (status === 'COMPLETED') {
    return { type: 'execution.completed', at, error: null, durationMs: durationMs ?? 0 };
  }
  return { type: 'execution.failed', at, error: error ?? '', durationMs };
}

/**
 * The definition of a run of version 0.6: the first version of its workflow, because that version of the service knew no
 * other one; where it is no longer stored, one that is derived from the results, with the kinds and layers of the steps but without what they call.
 */
export function oldRunDefinition(
  { summary, stepResults }: OldRun,
  workflowJson: string | undefined,
): WorkflowDefinition {
  const { workflowId: id, workflowName: name, createdAt } = summary;
  const stored =
    workflowJson === undefined
      ? undefined
      : parseStored<StoredDefinition>(workflowJson, workflowRecords.lists, (workflow) => workflow.id === id);
  if (stored !== undefined) return toDefinition(stored);
  const layers: string[][] = [];
  for (const { stepId, layer } of stepResults) {
    while (layers.length <= layer && layers.length <= stepResults.length) layers.push([]);
    layers[layer]?.push(stepId);
  }
  const steps = stepResults.map(({ stepId, kind, layer }): Step => {
    const base = { id: stepId, dependsOn: layers[layer - 1] ?? [], staticInput: {} };
    return kind === 'tool' ? { ...base, kind, toolName: '' } : { ...base, kind: 'agent', agentName: '' };
  });
  return { id, version: 1, name, description: '', steps, layers, warnings: [], createdAt };
}

/** The command that converts a run of version 0.6. */
export const oldRunScripts = {
  /**
   * KEYS: run, events, definition, index of its workflow, index of all runs. ARGV: deadline, id, status that was read,
   * time of creation, digest of the definition, definition, then events. Gives a run of version 0.6 its log; 0 where it
   * has changed since it was read.
   */
  convertRun: fencedScript(
    5,
    [
      push,
      keepDefinition,
      `
local found = redis.call('HMGET', KEYS[1], 'status', 'definition')
if found[1] ~= ARGV[3] or found[2] then return 0 end
local ttl = redis.call('PTTL', KEYS[1])
keep_definition(ARGV[6], ttl)
redis.call('DEL', KEYS[2])
push(7)
if ttl > 0 then redis.call('PEXPIRE', KEYS[2], integer(ttl)) end
redis.call('HSET', KEYS[1], 'created', ARGV[4], 'definition', ARGV[5])
local score = redis.call('ZSCORE', KEYS[4], ARGV[2])
if score then redis.call('ZADD', KEYS[5], 'NX', score, ARGV[2]) end
return 1
`,
    ],
    asNumber,
  ),
};

/** Adds the runs of version 0.6 to the index of all runs, once for each store. */
export interface OldRunIndexer {
  /** Resolves when they are in the index. Rejects with `StoreError`; the next call tries again. */
  index(): Promise<void>;
}

/** Creates an {@link OldRunIndexer}. Runs that replicas of version 0.6 create later are listed by workflow only. */
export function createOldRunIndexer(keys: Keys, connection: Pick<Connection, 'run'>): OldRunIndexer {
  const options = { MATCH: `${keys.runIndices.replace(/[*?[\]\\]/g, '\\$&')}*`, COUNT: 1_000 };
  let isDone = false;
  let indexing: Promise<void> | undefined;

  async function copyIndices(): Promise<void> {
    const done = await connection.run('EXISTS', (client) => client.exists(keys.oldRunsIndexed));
    for (let cursor = '0', isLast = done === 1; !isLast; isLast = cursor === '0') {
      const from = cursor;
      const page = await connection.run('SCAN', (client) => client.scan(from, options));
      for (const key of page.keys) {
        await connection
          .run('EVALSHA', (client) => client.copyIndex([key, keys.allRuns], []))
          .catch(ignoreWrongType);
      }
      if (page.cursor === from && from !== '0') throw new StoreError('reply', 'UNEXPECTED');
      cursor = page.cursor;
    }
    if (done !== 1) await connection.run('SET', (client) => client.set(keys.oldRunsIndexed, '1'));
    isDone = true;
  }

  return {
    async index() {
      if (isDone) return;
      indexing ??= copyIndices().finally(() => {
        indexing = undefined;
      });
      await indexing;
    },
  };
}

function time(iso: string | null): number | undefined {
  const ms = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(ms) ? undefined : ms;
}
