import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';
import {
  Ambiguous,
  ANY,
  areClose,
  type ExpectedCall,
  type ExpectedItems,
  type ExpectedRun,
  firstLimit,
  isBefore,
  isStopped,
  type Limit,
} from './expected.ts';
import { evaluate, list, orNull, resolve, resolveObject, type Scope } from './expression.ts';
import {
  type Answer,
  agents,
  busyText,
  failureText,
  forItem,
  mended,
  mendedAnswer,
  nameOf,
  type PlannedStep,
  type Scenario,
  tools,
  type Work,
} from './scenario.ts';

/** A run within a scenario. */
export interface RunRequest {
  readonly scenario: Scenario;
  /** The index of its definition. */
  readonly number: number;
  readonly input: JsonObject;
  readonly start: number;
  /** When it is cancelled from outside. */
  readonly limit: Limit | null;
  /** 1 for a run without a parent. */
  readonly depth: number;
  /** True where `start` is known exactly. */
  readonly isExact: boolean;
  /** The end of the run that is retried; null for a first attempt. */
  readonly before: ExpectedRun | null;
}

/** A step of a run that starts at `start`. */
export interface StepRun extends RunRequest {
  readonly scope: Scope;
  /** The course of a run, for child runs. */
  readonly runDefinition: (request: RunRequest) => ExpectedRun;
}

/** The end of the work of a step or of one of its items. */
export interface Done {
  readonly end: number;
  /** By what it was stopped before its own end; null where it was not. */
  readonly stoppedBy: Limit['by'] | null;
  readonly result: { readonly output: JsonValue } | { readonly error: string };
  readonly attempts: number | null;
  readonly calls: readonly ExpectedCall[];
  readonly possibleCalls: readonly ExpectedCall[];
  /** True where `end` is known exactly. */
  readonly isExact: boolean;
  /** Absent without items. */
  readonly items?: ExpectedItems;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Attempts at a tool without a policy. */
const TOOL_ATTEMPTS = 3;

/** Items that run at the same time without a policy. */
const ITEM_CONCURRENCY = 8;

/** The deepest level of a child run. */
const MAX_DEPTH = 8;

/** True for a step that waits for something outside of the engine. */
export function isWaitingKind({ work }: PlannedStep): boolean {
  return work.kind === 'workflow' || work.kind === 'wait' || work.kind === 'approval';
}

/** The course of a step, without its policy for errors. */
export function runStep(step: PlannedStep, run: StepRun): Done {
  const { timeoutMs } = step;
  const timeout: Limit | null =
    timeoutMs === undefined ? null : { at: run.start + timeoutMs, by: 'timeout', isClose: false };
  const limit = firstLimit(run.limit, timeout);
  const done =
    step.foreach === undefined ? runOne(step, { ...run, limit }, 0) : runAll(step, { ...run, limit });
  if (!isStopped(done.end, limit)) return done;
  const error = limit.by === 'timeout' ? `timed out after ${timeoutMs} ms` : ANY;
  return { ...done, end: limit.at, stoppedBy: limit.by, result: { error } };
}

function failed(error: string, end: number): Done {
  return {
    end,
    stoppedBy: null,
    result: { error },
    attempts: 0,
    calls: [],
    possibleCalls: [],
    isExact: true,
  };
}

function runOne(step: PlannedStep, run: StepRun, at: number): Done {
  const { work } = step;
  switch (work.kind) {
    case 'tool':
    case 'agent':
      return call(step, work, run, at);
    case 'wait':
      return wait(work, run);
    case 'approval':
      return ask(step, work, run, at);
    case 'workflow':
      return runChild(step, work, run, at);
  }
}

/** A call of a tool or agent, with its attempts. */
function call(
  step: PlannedStep,
  work: Extract<Work, { kind: 'tool' | 'agent' }>,
  run: StepRun,
  at: number,
): Done {
  const name = nameOf(run.number, step.id);
  const input = resolveObject(work.input, run.scope);
  if (input === null) return failed(ANY, run.start);
  const isTool = work.kind === 'tool';
  const most = attemptsOf(step);
  if (most === null)
    return { ...failed(`no ${work.kind} "${work.name}" is registered`, run.start), attempts: null };
  const behavior = forItem(work.does, at);
  const { failures, does: last, output } = run.before === null ? behavior : mended(behavior);
  // A repeat of an agent after an error that is permanent is allowed, and not required.
  const isCertain = isTool || last !== 'fail' || most === 1;
  const attempts = isCertain ? Math.min(failures + 1, most) : null;
  const base = { stoppedBy: null, attempts, possibleCalls: [], isExact: true };
  const start = exactStart(run);
  const calls = [{ step: name, at, input, attempts, start }];
  if (failures >= most) return { ...base, calls, end: run.start, result: { error: busyText(name) } };
  if (last === 'hang') return { ...base, calls, end: NEVER, result: { error: ANY } };
  const result = last === 'succeed' ? { output } : { error: isTool || most === 1 ? failureText(name) : ANY };
  return { ...base, calls, end: run.start, result };
}

/** The maximum number of calls of a tool or agent; null where there is none of that name. */
export function attemptsOf({ work, retry }: PlannedStep): number | null {
  if (work.kind !== 'tool' && work.kind !== 'agent') return null;
  const isTool = work.kind === 'tool';
  const effect = isTool ? find(tools, work.name) : find(agents, work.name);
  if (effect === null) return null;
  return effect === 'write' ? 1 : (retry?.maxAttempts ?? (isTool ? TOOL_ATTEMPTS : 1));
}

/** The effect of a tool or agent; null where none has that name. */
function find<T>(known: Readonly<Record<string, T>>, name: string): T | null {
  const [found] = Object.entries(known).filter(([other]) => other === name);
  return found === undefined ? null : found[1];
}

function wait(work: Extract<Work, { kind: 'wait' }>, run: StepRun): Done {
  const result = { output: ANY };
  const base = { stoppedBy: null, result, attempts: null, calls: [], possibleCalls: [], isExact: true };
  if ('durationMs' in work) return { ...base, end: run.start + work.durationMs };
  const { until } = work;
  const time = typeof until === 'string' ? until : orNull(() => evaluate(until, run.scope));
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time)))
    return { ...failed(ANY, run.start), attempts: null };
  return { ...base, end: Math.max(run.start, Date.parse(time)) };
}

function ask(step: PlannedStep, work: Extract<Work, { kind: 'approval' }>, run: StepRun, at: number): Done {
  const { expiresInMs, onExpire = 'reject', onReject = 'fail' } = work;
  const title = orNull(() => resolve(work.title, run.scope));
  const payload = resolveObject(work.payload, run.scope);
  if (payload === null || typeof title !== 'string') return { ...failed(ANY, run.start), attempts: null };
  const calls = [
    {
      step: nameOf(run.number, step.id),
      at,
      input: payload,
      attempts: null,
      start: exactStart(run),
      title,
    },
  ];
  const base = { stoppedBy: null, attempts: null, calls, possibleCalls: [], isExact: true };
  let answer: Answer = run.before === null ? forItem(work.answers, at) : mendedAnswer;
  if (expiresInMs !== undefined && (answer === null || isBefore(expiresInMs, answer.after))) {
    const outcome = onExpire === 'approve' ? 'approved' : 'rejected';
    const note = 'nobody has decided in time';
    answer = { outcome, after: expiresInMs, by: 'service', note, data: null };
  }
  if (answer === null) return { ...base, end: NEVER, result: { error: ANY } };
  const { outcome, after, by, note, data } = answer;
  const end = run.start + after;
  if (outcome === 'rejected' && onReject === 'fail') {
    return { ...base, end, result: { error: `rejected by "${by}"${note === null ? '' : `: ${note}`}` } };
  }
  const output: JsonObject = {
    approved: outcome === 'approved',
    data,
    decided_by: by,
    decided_at: ANY,
    note,
  };
  return { ...base, end, result: { output } };
}

function runChild(
  step: PlannedStep,
  work: Extract<Work, { kind: 'workflow' }>,
  run: StepRun,
  at: number,
): Done {
  const input = resolveObject(work.input, run.scope);
  if (input === null || work.definition === null || run.depth >= MAX_DEPTH) {
    return { ...failed(ANY, run.start), attempts: null };
  }
  const again = run.before?.steps.get(step.id)?.calls.find((call) => call.at === at);
  const before = again?.child ?? null;
  const marks = { step: nameOf(run.number, step.id), at };
  const child = run.runDefinition({
    scenario: run.scenario,
    number: work.definition,
    depth: run.depth + 1,
    start: run.start,
    isExact: run.isExact,
    before: before ?? (run.before === null ? null : nothingBefore(work.definition)),
    input: before?.input ?? { ...input, ...marks },
    limit: run.limit === null ? null : { ...run.limit, by: 'cancel' },
  });
  const { status, error, output, end, isExact } = child;
  const { step: _step, at: _at, ...given } = child.input;
  const start = again === undefined ? exactStart(run) : again.start;
  const calls = [{ ...marks, input: given, attempts: null, start, child }];
  const base = { stoppedBy: null, attempts: null, calls, possibleCalls: [], isExact };
  if (status === 'CANCELLED') return { ...base, end: NEVER, result: { error: ANY } };
  if (status === 'FAILED')
    return { ...base, end, result: { error: `execution "${ANY}" ended FAILED: ${error}` } };
  return { ...base, end, result: { output: { execution_id: ANY, status, output: output ?? ANY } } };
}

/** When a step or item starts; null where that is not known. */
function exactStart({ isExact, start }: StepRun): number | null {
  return isExact ? start : null;
}

/** The placeholder of the attempt before of a child run that a retry of its parent has started. */
function nothingBefore(definition: number): ExpectedRun {
  const nothing = {
    status: 'FAILED',
    error: null,
    output: null,
    steps: new Map(),
    end: 0,
    isExact: true,
  } as const;
  return { definition, input: {}, ...nothing };
}

/** All items, so many at a time, in their order. */
function runAll(step: PlannedStep, run: StepRun): Done {
  const { foreach } = step;
  const given = foreach?.items ?? [];
  const items = 'op' in given ? orNull(() => list(evaluate(given, run.scope))) : given;
  if (items === null) return failed(ANY, run.start);
  const before = run.before?.steps.get(step.id)?.items;
  const kept = before?.total === items.length ? before : undefined;
  const { concurrency = ITEM_CONCURRENCY, onItemError = 'fail' } = foreach ?? {};
  const lanes = Array.from({ length: Math.min(concurrency, items.length) }, () => run.start);
  const stopsAtError = onItemError === 'fail';
  const begun: Done[] = [];
  const possible: Done[] = [];
  let failedAt = NEVER;
  for (const [index, value] of items.entries()) {
    const start = Math.min(...lanes);
    const lane = lanes.indexOf(start);
    if (run.limit !== null && start !== run.start && !isBefore(start, run.limit.at)) break;
    if (start === NEVER) break;
    const isClose = failedAt !== NEVER && areClose(start, failedAt);
    if (failedAt !== NEVER && ((isClose && concurrency === 1) || (!isClose && start > failedAt))) break;
    const isExact = run.isExact && (start === run.start || begun.every((done) => done.isExact));
    const scope = { ...run.scope, item: { value, index } };
    const output = kept?.outputs.get(index);
    const done =
      output === undefined ? runOne(step, { ...run, start, isExact, scope }, index) : keptItem(output, start);
    if (isClose) {
      if (done.end !== start) throw new Ambiguous('an item starts as another one fails');
      possible.push(done);
      continue;
    }
    begun.push(done);
    lanes[lane] = done.end;
    if (stopsAtError && 'error' in done.result && done.end < failedAt) {
      if (!done.isExact && concurrency > 1) throw new Ambiguous('an item fails at a time that is not exact');
      failedAt = done.end;
    }
  }
  const outputs = begun.flatMap(({ result, end, stoppedBy }, index) =>
    'output' in result && stoppedBy === null && (run.limit === null || end < run.limit.at)
      ? [[index, result.output] as const]
      : [],
  );
  const done = together(begun, possible, stopsAtError, run.start);
  return { ...done, items: { total: items.length, outputs: new Map(outputs) } };
}

/** An item that completed in the attempt before. */
function keptItem(output: JsonValue, end: number): Done {
  const nothing = { stoppedBy: null, attempts: 0, calls: [], possibleCalls: [], isExact: true };
  return { ...nothing, end, result: { output } };
}

/** The result of the items together. */
function together(
  begun: readonly Done[],
  possible: readonly Done[],
  stopsAtError: boolean,
  start: number,
): Done {
  const sum = begun.reduce<number | null>(
    (total, { attempts }) => (total === null || attempts === null ? null : total + attempts),
    possible.some(({ calls }) => calls.length > 0) ? null : 0,
  );
  const errors: Record<string, string> = {};
  for (const [index, { result }] of begun.entries()) {
    if ('error' in result) errors[String(index)] = result.error;
  }
  const base = {
    stoppedBy: null,
    attempts: sum,
    isExact: begun.every(({ isExact }) => isExact),
    end: Math.max(start, ...begun.map(({ end }) => end)),
    calls: begun.flatMap(({ calls }) => calls),
    possibleCalls: possible.flatMap(({ calls }) => calls),
  };
  const [first] = Object.entries(errors);
  if (stopsAtError && first !== undefined)
    return { ...base, result: { error: `item ${first[0]} failed: ${first[1]}` } };
  const results = begun.map(({ result }) => ('output' in result ? result.output : null));
  const output = { results, errors, count: begun.length, failed: Object.keys(errors).length };
  return { ...base, result: { output } };
}
