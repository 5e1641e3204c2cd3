import { describe, expect, test } from 'vitest';
import { ToolError } from '../../../src/domain/tool-error.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { HOUR, setUpSchedules } from '../../support/schedules.ts';
import { call, child, createCore, pause } from '../../support/workflow/core.ts';

const facts: JsonObject = {
  id: '${{ run.id }}',
  created_at: '${{ run.created_at }}',
  started_at: '${{ run.started_at }}',
  attempt: '${{ run.attempt }}',
  schedule: '${{ schedule.id }}',
  fire_at: '${{ schedule.fire_at }}',
  zone: '${{ schedule.timezone }}',
};

const inZone: JsonObject = {
  day: '${{ date(schedule.?fire_at.orValue(run.created_at)) }}',
  time: "${{ format(schedule.?fire_at.orValue(run.created_at), 'HH:mm') }}",
};

describe('what expressions know of a run', () => {
  test('is what its record says, before and after a wait', async () => {
    const core = createCore();
    const runId = await core.start(
      [
        call('a', 'echo', { staticInput: facts, when: 'run.started_at >= run.created_at' }),
        pause('w', 60_000, { dependsOn: ['a'] }),
        call('b', 'echo', { staticInput: facts, dependsOn: ['w'] }),
      ],
      { output: { took: '${{ run.started_at - run.created_at }}', day: '${{ weekday(run.created_at) }}' } },
    );
    await core.clock.advance(61_000);
    const run = await core.get(runId);
    const known = {
      id: runId,
      created_at: run.createdAt,
      started_at: run.startedAt,
      attempt: 1,
      schedule: null,
      fire_at: null,
      zone: null,
    };
    expect(run.status).toBe('COMPLETED');
    expect(run.stepResults.map(({ output }) => output)).toEqual([known, {}, known]);
    expect(run.output).toEqual({ took: '0s', day: new Date(run.createdAt).getUTCDay() || 7 });
  });

  test('stays the same in a retry, but for the attempt', async () => {
    const core = createCore();
    core.tool('once', (input, attempt) => {
      if (attempt === 1) throw new ToolError('not yet');
      return input;
    });
    const runId = await core.start([
      call('a', 'echo', { staticInput: facts }),
      call('b', 'once', {
        dependsOn: ['a'],
        staticInput: facts,
        when: 'run.attempt < 3 && run.started_at == timestamp(steps.a.started_at)',
      }),
    ]);
    await core.clock.advance(5_000);
    await core.runs.retry(runId, { by: 'ann' });
    await core.settle();
    const { status, stepResults, createdAt } = await core.get(runId);
    expect(status).toBe('COMPLETED');
    expect(stepResults.map(({ output }) => output)).toMatchObject([
      { id: runId, created_at: createdAt, started_at: createdAt, attempt: 1 },
      { id: runId, created_at: createdAt, started_at: createdAt, attempt: 2 },
    ]);
  });

  test('is each run its own, while a child and a rerun have the schedule of the first', async () => {
    const core = createCore();
    const inner = await core.define([call('a', 'echo', { staticInput: facts })], {
      output: { facts: '$step.a', zoned: inZone },
    });
    const schedule = { id: 's-1', fireAt: '2026-07-01T22:30:00.000Z', timezone: 'Europe/Berlin' };
    const runId = await core.start([child('sub', inner), call('own', 'echo', { staticInput: inZone })], {
      schedule,
    });
    await core.clock.advance(1_000);
    const rerun = await core.runs.rerun(runId, { background: true });
    await core.clock.advance(1_000);
    const zoned = { day: '2026-07-02', time: '00:30' };
    for (const id of [runId, rerun.runId]) {
      const [started] = await core.childrenOf(id);
      expect(await core.get(id)).toMatchObject({
        status: 'COMPLETED',
        stepResults: [{ output: { execution_id: started?.runId } }, { output: zoned }],
      });
      expect(started?.output).toMatchObject({ zoned });
      expect((await core.get(started?.runId ?? '')).stepResults[0]?.output).toEqual({
        id: started?.runId,
        created_at: started?.createdAt,
        started_at: started?.startedAt,
        attempt: 1,
        schedule: 's-1',
        fire_at: schedule.fireAt,
        zone: schedule.timezone,
      });
    }
  });

  test('is not there for other steps: a definition that reads what nobody knows is refused', async () => {
    const core = createCore();
    await expect(core.define([call('a', 'echo', { when: 'now() > run.created_at' })])).rejects.toThrow(
      'steps.0.when: there is no function now()',
    );
    await expect(core.define([call('a', 'echo', { when: 'date(run.created_at)' })])).rejects.toThrow(
      'steps.0.when: must be a boolean, but it is a text',
    );
    await expect(
      core.define([call('a', 'echo', { staticInput: { day: "${{ date(run.created_at, 'Nowhere/X') }}" } })]),
    ).rejects.toThrow('steps.0.static_input.day: there is no time zone "Nowhere/X"');
  });

  test('a wait can end at a timestamp', async () => {
    const core = createCore();
    const runId = await core.start([
      { id: 'w', kind: 'wait', until: "run.started_at + duration('90s')" },
      call('b', 'echo', { dependsOn: ['w'] }),
    ]);
    await core.clock.advance(89_000);
    expect(await core.statuses(runId)).toEqual(['WAITING', 'WAITING', 'PENDING']);
    await core.clock.advance(2_000);
    expect(await core.statuses(runId)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
  });
});

describe('a run of a schedule', () => {
  test('knows the schedule, its fire time and its zone; one by hand has no fire time', async () => {
    const service = await setUpSchedules({ start: '2026-06-30T21:30:00.000Z' });
    const { id } = await service.first.workflows.create({
      name: 'zoned',
      steps: [call('work', 'work', { staticInput: { facts, inZone } })],
    });
    const { schedule } = await service.create({ workflowId: id, timezone: 'Europe/Berlin' });
    await service.clock.advance(HOUR / 2);
    await service.first.schedules.trigger(schedule.scheduleId);
    await service.clock.advance(1);
    const { scheduleId } = schedule;
    expect(service.started.map(({ input }) => input)).toMatchObject([
      {
        facts: { schedule: scheduleId, fire_at: '2026-06-30T22:00:00.000Z', zone: 'Europe/Berlin' },
        inZone: { day: '2026-07-01', time: '00:00' },
      },
      { facts: { schedule: scheduleId, fire_at: null, zone: 'Europe/Berlin' }, inZone: { time: '00:00' } },
    ]);
    await service.close();
  });
});
