import { differences } from './compare.ts';
import { soundness } from './invariants.ts';
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
