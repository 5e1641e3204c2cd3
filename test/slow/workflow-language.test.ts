import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { hasEnded } from '../../src/domain/run/run.ts';
import { runsOf } from '../support/extent.ts';
import { createFakeClock, settle } from '../support/fake-clock.ts';
import { countingIds } from '../support/fakes.ts';
import { newPath, openFile } from '../support/sqlite/files.ts';
import { report, runInSimulation, runSeeds } from '../support/workflow/language/batch.ts';
import { type Chance, chanceFrom } from '../support/workflow/language/chance.ts';
import { checkEnd, runForReal } from '../support/workflow/language/check.ts';
import { scenarioOf } from '../support/workflow/language/generate.ts';
import { createCast, createRig, type StartedScenario } from '../support/workflow/language/rig.ts';
import { type Scenario, UNIT } from '../support/workflow/language/scenario.ts';

const recovery = { maxRecoveries: 100, unknownOutcome: 'retry' } as const;

/** Processes that run scenarios one after the other over a file, each until it stops without a grace. */
async function createCrashes() {
  const clock = createFakeClock();
  const cast = createCast();
  const newId = countingIds();
  let crashes = 0;

  function open(path: string) {
    const { adapters } = openFile(path, { clock });
    const rig = createRig({ ports: { ...adapters.ports, newId }, clock, cast, recovery });
    rig.orchestrator.start();
    return { rig, adapters, path };
  }

  let process = open(await newPath());

  /** Stops the process, which hands its runs over, and starts another one with its file. */
  async function stop(): Promise<void> {
    const { rig, adapters, path } = process;
    await lastOf(rig.orchestrator.close(0).then(() => adapters.close()));
    process = open(path);
  }

  /** Ends the process in the middle of what it does, and starts another one with what its file contains. */
  async function kill(): Promise<void> {
    const { rig, adapters } = process;
    rig.kill();
    const path = await newPath();
    await mkdir(dirname(path), { recursive: true });
    await adapters.backup(path);
    process = open(path);
    await lastOf(rig.orchestrator.close(0).then(() => adapters.close()));
  }

  /** Lets time pass until something is done. */
  async function lastOf(work: Promise<void>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    for (let turn = 0; turn < 200 && !isDone; turn++) await clock.advance(100);
    if (!isDone) throw new Error('the process does not stop');
    await done;
  }

  /** Ends up to four processes that run a scenario, each at a random point. */
  async function disturb({ runId }: StartedScenario, chance: Chance): Promise<void> {
    for (let left = 1 + chance.int(4); left > 0; left--) {
      for (let turn = chance.int(30); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      if (chance.oneIn(3)) await clock.advance(chance.int(2 * UNIT));
      const summary = await process.rig.ports.runs.summary(runId);
      if (summary !== undefined && hasEnded(summary.status)) return;
      crashes++;
      await (chance.oneIn(2) ? stop() : kill());
      await process.rig.askAgain();
    }
  }

  return {
    /** The number of stops of a process. */
    crashes: () => crashes,
    /** Runs a scenario, with crashes at random points. Returns what is not as it must be. */
    async run(scenario: Scenario): Promise<string[]> {
      const chance = chanceFrom(scenario.seed);
      const started = await process.rig.start(scenario);
      await disturb(started, chance);
      await process.rig.finish(started);
      const retriedAt = await process.rig.retry(started);
      if (retriedAt !== null) {
        await disturb(started, chance);
        await process.rig.finish(started);
      }
      await settle();
      return checkEnd(process.rig, started, { isDisturbed: true, retriedAt });
    },
  };
}

const SCENARIOS = runsOf(2_000, 10_000);

/** The number of scenarios that are run over files, and the number of them that share a file. */
const DURABLE = 400;
const PER_FILE = 25;

test('thousands of random workflows with all policies end as the model says', async () => {
  await runSeeds(runForReal, 1, SCENARIOS);
}, 600_000);

test('simulations of thousands of random workflows with all policies end as the model says', async () => {
  await runSeeds(runInSimulation, 1, SCENARIOS);
}, 600_000);

test('random workflows end as the model says, however often their process stops or dies', async () => {
  let count = 0;
  for (let first = 1; first <= DURABLE; first += PER_FILE) {
    const crashes = await createCrashes();
    for (let seed = first; seed < first + PER_FILE; seed++) {
      const scenario = scenarioOf(seed, { isRepeatable: true });
      const issues = await crashes.run(scenario).catch((error: unknown) => [String(error)]);
      if (issues.length > 0) throw new Error(report(scenario, issues));
    }
    count += crashes.crashes();
  }
  expect(count).toBeGreaterThan(DURABLE / 2);
}, 600_000);
