import { afterEach, describe, expect, test } from 'vitest';
import type { CatchUpMode } from '../../../src/domain/schedule/schedule.ts';
import { sameRuns } from '../../support/schedule-replicas/daylight-saving.ts';
import { killAtFire } from '../../support/schedule-replicas/kill.ts';
import { outcomeOf, timeOf, untilQuiet } from '../../support/schedule-replicas/outcome.ts';
import { openReplica, type Replica } from '../../support/schedule-replicas/replica.ts';
import { newPath } from '../../support/sqlite/files.ts';
import { until } from '../../support/until.ts';

const opened: Replica[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((replica) => replica.close()));
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.UTC(2030, 0, 15, 12);

async function open(path: string, now: number): Promise<Replica> {
  const replica = await openReplica({ place: { path }, now });
  opened.push(replica);
  return replica;
}

/** A file with a schedule that fires at each full hour, whose process has ended before noon. */
async function createBeforeNoon(catchUp: CatchUpMode = 'none') {
  const path = await newPath();
  const replica = await openReplica({ place: { path }, now: NOON - 10 * MINUTE });
  replica.start();
  const workflowId = await replica.define();
  const { schedule } = await replica.schedules.create({ workflowId, cron: '0 * * * *', catchUp });
  await replica.close();
  return { path, schedule };
}

describe('a schedule in a file, after a restart', () => {
  test('fires at its next time, once', async () => {
    const { path, schedule } = await createBeforeNoon();
    const replica = await open(path, NOON - 300);
    replica.start();
    await untilQuiet([replica], NOON);
    replica.clock.moveTo(NOON + 10 * MINUTE);
    await untilQuiet([replica], NOON);
    const outcome = await outcomeOf([replica], schedule);
    expect(outcome).toEqual({ fired: [timeOf(NOON)], skipped: [], ...sameRuns(outcome, 1) });
  });

  test('starts nothing for the times that it has missed', async () => {
    const { path, schedule } = await createBeforeNoon();
    const replica = await open(path, NOON + 2 * HOUR + 10 * MINUTE);
    replica.start();
    await untilQuiet([replica], NOON);
    expect(await outcomeOf([replica], schedule)).toEqual({
      fired: [],
      stored: [],
      told: [],
      called: [],
      skipped: [`${timeOf(NOON)} missed`],
    });
    expect((await replica.schedules.get(schedule.scheduleId)).nextFireAt).toBe(NOON + 3 * HOUR);
  });

  test('starts one run for the last of them with `catch_up: last`, and none at the restart after that', async () => {
    const { path, schedule } = await createBeforeNoon('last');
    const replica = await openReplica({ place: { path }, now: NOON + 2 * HOUR + 10 * MINUTE });
    replica.start();
    await untilQuiet([replica], NOON);
    const outcome = await outcomeOf([replica], schedule);
    await replica.close();
    expect(outcome).toEqual({
      fired: [timeOf(NOON + 2 * HOUR)],
      skipped: [`${timeOf(NOON)} missed`],
      ...sameRuns(outcome, 1),
    });
    const again = await open(path, NOON + 2 * HOUR + 20 * MINUTE);
    again.start();
    again.clock.moveTo(NOON + 2 * HOUR + 30 * MINUTE);
    await untilQuiet([again], NOON);
    expect(await outcomeOf([again], schedule)).toEqual({
      fired: [],
      skipped: [],
      told: [],
      called: [],
      stored: outcome.stored,
    });
  });

  test.each(['before', 'after'] as const)(
    'goes on where it was killed, %s the run of a fire was created',
    async (when) => {
      const { path, schedule } = await createBeforeNoon();
      const runId = await killAtFire({ path }, NOON - 500, when);
      const replica = await open(path, NOON + MINUTE);
      replica.start();
      await until('the run is told', () => replica.events.some(({ type }) => type === 'schedule.fired'));
      await untilQuiet([replica], NOON);
      const outcome = await outcomeOf([replica], schedule);
      expect(outcome).toEqual({ fired: [timeOf(NOON)], skipped: [], ...sameRuns(outcome, 1) });
      expect(outcome.stored).toEqual([runId]);
    },
  );
});
