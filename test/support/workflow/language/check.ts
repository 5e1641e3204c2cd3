import type { RunEvent } from '../../../../src/domain/run/events.ts';
import { hasEnded, type RunSummary } from '../../../../src/domain/run/run.ts';
import type { RunLog } from '../../../../src/ports/storage/run-log.ts';
import { type Call, differences, type StoredWorldRun, type World } from './compare.ts';
import { expectedRun } from './model.ts';
import type { Rig, StartedScenario } from './rig.ts';
import type { Scenario } from './scenario.ts';

/** After so many milliseconds no timer is left. */
const SWEEP_MS = 10_000;

/** Runs a scenario to its end. Returns what is not as it must be, one text each. */
export async function runForReal(rig: Rig, scenario: Scenario): Promise<string[]> {
  const started = await rig.start(scenario);
  await rig.finish(started);
  const retriedAt = await rig.retry(started);
  if (retriedAt !== null) await rig.finish(started);
  return checkEnd(rig, started, { retriedAt });
}

/** The faults of a scenario that has ended; `isDisturbed` where attempts and time may have been lost. */
export async function checkEnd(
  rig: Rig,
  started: StartedScenario,
  { isDisturbed = false, retriedAt = null }: { isDisturbed?: boolean; retriedAt?: number | null } = {},
): Promise<string[]> {
  const { scenario, input, startedAt } = started;
  const expected = expectedRun(scenario, input, startedAt, retriedAt);
  const world = await rig.observe(started);
  const issues = [
    ...differences(expected, world, isDisturbed),
    ...(await soundness(world, rig.ports.runs, isDisturbed)),
  ];
  // A process that continues runs looks for them as long as it lives.
  if (isDisturbed) return issues;
  // The search for waiting runs stops once there is none.
  await rig.clock.advance(SWEEP_MS);
  const timers = rig.clock.pending();
  return timers === 0 ? issues : [...issues, `${timers} timers are left`];
}

/** The order of the events of one step within an attempt of the run. */
const STEP_EVENTS =
  /^(copied|skipped|(started )?((retrying|progress|waiting|resumed) )*(completed|failed|cancelled))$/;

/** The same, where processes are lost: a step starts again in the next one. */
const DISTURBED_STEP_EVENTS =
  /^(copied|skipped|((started|retrying|progress|waiting|resumed) )*(completed|failed|cancelled))$/;

/** The faults of the runs of any scenario, once all of them have ended: one text each. */
async function soundness(world: World, log: RunLog, isDisturbed: boolean): Promise<string[]> {
  const issues: string[] = [];
  for (const [runId, stored] of world.runs) {
    const { record, events } = stored;
    const name = `run ${runId}`;
    if (!hasEnded(record.status)) issues.push(`${name} is ${record.status}`);
    if (events === null || events.some(({ seq }, index) => seq !== index + 1))
      issues.push(`${name}: its events are not numbered 1, 2, 3`);
    const summary = await log.summary(runId);
    const { stepResults: _, ...members } = record;
    const replayed = textOf(members);
    if (textOf(summary) !== replayed) {
      issues.push(`${name}: its summary is ${textOf(summary)}, but its log says ${replayed}`);
    }
    issues.push(...stepOrders(stored, name, isDisturbed ? DISTURBED_STEP_EVENTS : STEP_EVENTS));
  }
  for (const itemId of world.open) issues.push(`the inbox item ${itemId} waits still`);
  return [...issues, ...keyIssues(world.calls ?? [], world), ...writeIssues(world.calls ?? [], world)];
}

/** A summary as text. An ended child is looked at until its parent knows of it. */
function textOf(summary: RunSummary | undefined): string {
  const members = Object.entries({ ...summary, wakeAt: null });
  return JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function stepOrders({ record, events }: StoredWorldRun, name: string, order: RegExp): string[] {
  const orders = new Map<string, string[]>(record.stepResults.map(({ stepId }) => [stepId, []]));
  const issues: string[] = [];
  const finish = (): void => {
    for (const [stepId, names] of orders) {
      if (!order.test(names.join(' '))) issues.push(`${name} step ${stepId}: ${names.join(', ')}`);
    }
  };
  let hasEnd = false;
  for (const event of events ?? []) {
    if (event.type === 'execution.retried') {
      finish();
      for (const stepId of event.steps) orders.set(stepId, []);
      hasEnd = false;
    } else if (hasEnd) issues.push(`${name}: ${event.type} comes after the end`);
    hasEnd ||= ['execution.completed', 'execution.failed', 'execution.cancelled'].includes(event.type);
    if (!('stepId' in event)) continue;
    const names = orders.get(event.stepId);
    if (names === undefined) issues.push(`${name}: ${event.type} of the unknown step ${event.stepId}`);
    else names.push(eventName(event));
  }
  finish();
  return issues;
}

function eventName(event: RunEvent): string {
  return 'copied' in event ? 'copied' : event.type.slice(event.type.indexOf('.') + 1);
}

/** Keys of tools are those of their step and item: distinct, and equal over attempts. */
function keyIssues(calls: readonly Call[], { runs }: World): string[] {
  return calls.flatMap(({ runId, step, at, key }) => {
    if (key === null) return [];
    const id = step.slice(step.indexOf('/') + 1);
    if (!runs.has(runId)) return [`a call for the unknown run ${runId}`];
    const expected = [`${runId}:${id}`, `${runId}:${id}:${at}`];
    return expected.includes(key) ? [] : [`step ${step} item ${at} has the key ${key}`];
  });
}

/** A write acts once, and once more each time that its run is retried, or continued after the loss of its process. */
function writeIssues(calls: readonly Call[], { runs }: World): string[] {
  const writes = calls.filter(({ kind, name }) => kind === 'tool' && name === 'send');
  const byKey = Map.groupBy(writes, ({ key }) => key);
  return [...byKey].flatMap(([key, [first, ...others]]) => {
    if (first === undefined) return [];
    const { runId, step } = first;
    const id = step.slice(step.indexOf('/') + 1);
    const events = runs.get(runId)?.events ?? [];
    const again = events.filter(
      (event) =>
        (event.type === 'execution.retried' || event.type === 'execution.recovered') &&
        event.steps.includes(id),
    );
    return others.length <= again.length ? [] : [`the write ${key} has acted ${others.length + 1} times`];
  });
}
