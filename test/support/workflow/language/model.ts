import type { JsonObject, JsonValue } from '../../../../src/lib/json/json.ts';
import {
  Ambiguous,
  ANY,
  type ExpectedCall,
  type ExpectedRun,
  type ExpectedStep,
  firstLimit,
  isBefore,
  type Limit,
} from './expected.ts';
import { orNull, resolveObject, type Scope, truth } from './expression.ts';
import { type Done, isWaitingKind, type RunRequest, runStep, type StepRun } from './model-steps.ts';
import type { PlannedStep, Scenario } from './scenario.ts';

/** The number of steps of a layer that run at the same time where a definition does not say. */
const MAX_CONCURRENT_STEPS = 256;

/**
 * The end of a run of a scenario that starts at `now` with that input, and is retried at `retriedAt` where the scenario
 * says so and it has not completed. Throws {@link Ambiguous} where that depends on the order of things that happen at
 * about the same time.
 */
export function expectedRun(
  scenario: Scenario,
  input: JsonObject,
  now: number,
  retriedAt: number | null = null,
): ExpectedRun {
  const { cancelAfter, isRetried } = scenario;
  const limit: Limit | null =
    cancelAfter === null ? null : { at: now + cancelAfter, by: 'cancel', isClose: false };
  const request = { scenario, number: 0, input, depth: 1, isExact: true, before: null } as const;
  const first = runDefinition({ ...request, start: now, limit });
  if (!isRetried || first.status === 'COMPLETED') return first;
  assertCertain(scenario, first);
  return runDefinition({ ...request, start: retriedAt ?? first.end, limit: null, before: first });
}

/** Throws {@link Ambiguous} where a retry depends on calls that may have been made, or on the time. */
function assertCertain({ definitions }: Scenario, run: ExpectedRun): void {
  const works = definitions.flatMap(({ steps }) => steps.map(({ work }) => work));
  if (works.some((work) => work.kind === 'wait' && 'until' in work && typeof work.until === 'object')) {
    throw new Ambiguous('a wait until a time, in a retry at another time');
  }
  assertNothingPossible(run);
}

function assertNothingPossible({ steps }: ExpectedRun): void {
  for (const { calls, possibleCalls } of steps.values()) {
    if (possibleCalls.length > 0) throw new Ambiguous('a retry after calls that may have been made');
    for (const { child } of calls) if (child !== undefined) assertNothingPossible(child);
  }
}

/** The course of a run, layer by layer. */
function runDefinition(request: RunRequest): ExpectedRun {
  const { scenario, number, input, start } = request;
  const definition = scenario.definitions[number];
  if (definition === undefined) throw new RangeError(`there is no definition ${number}`);
  const { steps: planned, timeoutMs, maxConcurrentSteps: concurrency = MAX_CONCURRENT_STEPS } = definition;
  const deadline: Limit | null =
    timeoutMs === undefined ? null : { at: start + timeoutMs, by: 'deadline', isClose: false };
  let limit = firstLimit(request.limit, deadline);
  const steps = new Map<string, ExpectedStep>();
  const outputs = new Map<string, JsonValue>();
  const scope: Scope = { input, steps: outputs };
  let now = start;
  let error: string | null = null;
  let isTimedOut = false;
  let { isExact } = request;
  const ends = (status: ExpectedRun['status'], text: string | null, output: JsonValue): ExpectedRun => {
    return { definition: number, input, status, error: text, output, steps, end: now, isExact };
  };

  const earlier = (id: string): ExpectedStep | undefined => request.before?.steps.get(id);
  for (const [id, step] of request.before?.steps ?? []) {
    if (step.status !== 'COMPLETED') continue;
    steps.set(id, step);
    outputs.set(id, step.output);
  }

  for (const whole of layersOf(planned)) {
    const layer = whole.filter(({ id }) => !steps.has(id));
    const begun: PlannedStep[] = [];
    const ended = new Map<PlannedStep, Done>();
    for (const step of layer) {
      const why = skipReason(step, steps, error !== null);
      const holds = why === null ? condition(step, scope) : false;
      if (why !== null) steps.set(step.id, skipped(why, earlier(step.id)));
      else if (holds === false) steps.set(step.id, skipped('condition', earlier(step.id)));
      else if (holds === null) ended.set(step, failedWith(ANY, now));
      else begun.push(step);
    }
    const run = { ...request, scope, start: now, limit, isExact, runDefinition };
    const together = runTogether(begun, concurrency, run, isTimedOut ? afterDeadline : runStep);
    for (const [step, done] of together.ended) ended.set(step, done);
    const stopped = [...ended.values()].some(
      ({ stoppedBy }) => stoppedBy !== null && stoppedBy !== 'timeout',
    );
    isExact = together.isExact;
    now = stopped && limit !== null ? limit.at : together.end;
    const fatal: ExpectedStep[] = [];
    const fatalIds: string[] = [];
    for (const step of layer) {
      const done = ended.get(step);
      if (done === undefined) continue;
      const result = resultOf(step, done, isExact, earlier(step.id));
      steps.set(step.id, result);
      if (result.status === 'COMPLETED') outputs.set(step.id, result.output);
      if (result.status !== 'FAILED' || (step.onError ?? 'fail') !== 'fail') continue;
      fatal.push(result);
      fatalIds.push(step.id);
    }
    if (stopped && limit?.by === 'cancel') {
      for (const { id } of planned) if (!steps.has(id)) steps.set(id, skipped('cancelled', earlier(id)));
      return ends('CANCELLED', ANY, null);
    }
    if (stopped) {
      // Which one is told where a step has failed before or beside it is not fixed.
      const isAlone: boolean =
        error === null &&
        [...ended.values()].every(({ stoppedBy, result }) => {
          return stoppedBy === 'deadline' || 'output' in result;
        });
      error = isAlone ? `the workflow timed out after ${timeoutMs} ms` : ANY;
      isTimedOut = true;
      limit = null;
      for (const step of layer) {
        if (steps.has(step.id)) continue;
        if (step.runIf === 'always') throw new Ambiguous('a step that always runs had no place');
        steps.set(step.id, skipped('failed_before', earlier(step.id)));
      }
    } else if (fatal.length > 0 && error === null) {
      const more = fatal.length > 1 ? ` (and ${fatal.length - 1} more of its layer)` : '';
      error = `step "${fatalIds[0]}" failed: ${fatal[0]?.error}${more}`;
    }
  }
  if (error !== null) return ends('FAILED', error, null);
  if (definition.output === undefined) return ends('COMPLETED', null, null);
  const output = resolveObject(definition.output, scope);
  return output === null ? ends('FAILED', ANY, null) : ends('COMPLETED', null, output);
}

/** The steps by layer: each in the first one after all that it depends on. */
function layersOf(steps: readonly PlannedStep[]): PlannedStep[][] {
  const depthOf = ({ dependsOn }: PlannedStep): number =>
    Math.max(0, ...steps.filter(({ id }) => dependsOn.includes(id)).map((step) => depthOf(step) + 1));
  const depths = steps.map(depthOf);
  return Array.from({ length: Math.max(...depths) + 1 }, (_, depth) =>
    steps.filter((_, index) => depths[index] === depth),
  );
}

/** The reason of a step's skip, by the ends of the steps before it; null where it runs. */
function skipReason(
  { dependsOn, runIf = 'none_failed' }: PlannedStep,
  steps: ReadonlyMap<string, ExpectedStep>,
  hasFailed: boolean,
): 'failed_before' | 'condition' | null {
  if (runIf === 'always') return null;
  if (hasFailed) return 'failed_before';
  const before = dependsOn.flatMap((id) => steps.get(id) ?? []);
  const completed = before.filter(({ status }) => status === 'COMPLETED').length;
  const anyFailed = before.some(({ status }) => status === 'FAILED');
  const runs =
    runIf === 'all_completed'
      ? completed === before.length
      : !anyFailed && (completed > 0 || before.length === 0);
  if (runs) return null;
  return anyFailed || before.some(({ why }) => why === 'failed_before') ? 'failed_before' : 'condition';
}

/** The value of the condition of a step; null where it has no value. */
function condition({ when }: PlannedStep, scope: Scope): boolean | null {
  return when === undefined ? true : orNull(() => truth(when, scope));
}

function skipped(
  why: 'failed_before' | 'condition' | 'cancelled',
  before: ExpectedStep | undefined,
): ExpectedStep {
  const { attempts = 0, calls = [], possibleCalls = [], items = null } = before ?? {};
  const none = { output: null, error: null, end: null };
  return { status: 'SKIPPED', why, ...none, attempts, calls, possibleCalls, items };
}

function failedWith(error: string, end: number): Done {
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

/** A step that runs although the run has timed out: it is called once, and does not wait. */
function afterDeadline(step: PlannedStep, run: StepRun): Done {
  if (isWaitingKind(step)) {
    if (step.foreach !== undefined) throw new Ambiguous('items of a waiting kind after the deadline');
    return { ...failedWith(ANY, run.start), attempts: null };
  }
  const done = runStep(step, { ...run, limit: null });
  const calls = [...done.calls, ...done.possibleCalls];
  if (done.end !== run.start || calls.some(({ attempts }) => attempts !== 1)) {
    throw new Ambiguous('a step takes time after the deadline');
  }
  return done;
}

/**
 * The ends of the steps of a layer, at most so many at a time. Those that had no place before the limit have no end.
 */
function runTogether(
  begun: readonly PlannedStep[],
  concurrency: number,
  run: StepRun,
  runOne: (step: PlannedStep, run: StepRun) => Done,
): { readonly ended: ReadonlyMap<PlannedStep, Done>; readonly end: number; readonly isExact: boolean } {
  const ended = new Map<PlannedStep, Done>();
  const { start, limit } = run;
  // A waiting step may keep its place or free it.
  const isOpen = begun.length > concurrency && begun.some(isWaitingKind);
  const lanes = new Array<number>(isOpen ? begun.length : Math.min(begun.length, concurrency)).fill(start);
  let isExact = run.isExact && !isOpen;
  for (const step of begun) {
    const next = Math.min(...lanes);
    if (limit !== null && next > start && !isBefore(next, limit.at)) continue;
    const done = runOne(step, { ...run, start: next, isExact });
    isExact &&= done.isExact;
    const isCut = done.stoppedBy !== null && done.stoppedBy !== 'timeout';
    lanes[lanes.indexOf(next)] = isCut ? Number.POSITIVE_INFINITY : done.end;
    ended.set(step, done);
  }
  const end = Math.max(start, ...lanes);
  if (!isOpen || end === start) return { ended, end, isExact };
  if (limit !== null) throw new Ambiguous('steps wait for each other before a limit');
  return { ended, end: lanes.reduce((sum, at) => sum + at - start, start), isExact };
}

/** The result of a step by its policy for errors; `before` is its end in the attempt that is retried. */
function resultOf(
  { onError = 'fail' }: PlannedStep,
  done: Done,
  isExact: boolean,
  before: ExpectedStep | undefined,
): ExpectedStep {
  const { result, stoppedBy, possibleCalls, items = null } = done;
  const end = isExact && done.isExact ? done.end : null;
  const earlier = before?.attempts === undefined ? 0 : before.attempts;
  const attempts = earlier === null || done.attempts === null ? null : earlier + done.attempts;
  // A child run that is retried is the same one.
  const isAgain = ({ at, child }: ExpectedCall): boolean =>
    child !== undefined && done.calls.some((call) => call.at === at);
  const calls = [...(before?.calls ?? []).filter((call) => !isAgain(call)), ...done.calls];
  const base = { why: null, attempts, calls, possibleCalls, end, items };
  if (stoppedBy === 'cancel') return { ...base, status: 'CANCELLED', output: null, error: ANY };
  if ('output' in result) return { ...base, status: 'COMPLETED', output: result.output, error: null };
  if (typeof onError === 'object') {
    if (stoppedBy === 'deadline') throw new Ambiguous('a policy for errors at the deadline');
    return { ...base, status: 'COMPLETED', output: onError.output, error: result.error };
  }
  if (onError === 'continue' && stoppedBy === 'deadline') throw new Ambiguous('a policy at the deadline');
  return { ...base, status: 'FAILED', output: null, error: result.error };
}
