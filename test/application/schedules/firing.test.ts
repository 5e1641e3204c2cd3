import { describe, expect, test } from 'vitest';
import { newSchedule, START_LEASE_MS } from '../../../src/domain/schedule/schedule.ts';
import { settle } from '../../support/fake-clock.ts';
import { HOUR, MINUTE, setUpSchedules } from '../../support/schedules.ts';

const day = (time: string) => `2026-01-01T${time}:00.000Z`;

describe('a schedule', () => {
  test('starts a run with its input at each fire time, and says so', async () => {
    const service = await setUpSchedules();
    const { schedule } = await service.create({ input: { n: 7 } });
    await service.clock.advance(2.5 * HOUR);
    expect(service.times()).toEqual([day('01:00'), day('02:00')]);
    expect(service.started[0]?.input).toEqual({ n: 7 });
    const { items } = await service.first.runs.list({}, { limit: 10 });
    expect(items.map(({ status, background }) => [status, background])).toEqual([
      ['COMPLETED', true],
      ['COMPLETED', true],
    ]);
    const [, log] = await Promise.all([settle(), service.runs.get(items[0]?.runId ?? '')]);
    expect(log?.events[0]).toMatchObject({ type: 'execution.created', origin: 'schedule' });
    expect(service.events).toMatchObject([
      {
        seq: 1,
        type: 'schedule.fired',
        subject: { kind: 'schedule', id: schedule.scheduleId },
        data: { workflowId: service.workflowId, executionId: items[1]?.runId, dueAt: day('01:00') },
      },
      { seq: 2, type: 'schedule.fired', data: { executionId: items[0]?.runId, dueAt: day('02:00') } },
    ]);
    expect(await service.first.schedules.get(schedule.scheduleId)).toMatchObject({
      nextFireAt: Date.parse(day('03:00')),
      lastFiredAt: Date.parse(day('02:00')),
      schedule: { version: 1 },
    });
  });

  test('starts one run at each fire time over several processes', async () => {
    const service = await setUpSchedules({ processes: 4 });
    await service.create({ cron: '*/10 * * * *' });
    await service.create({ cron: '0 * * * *', overlap: 'allow' });
    await service.clock.advance(2 * HOUR + 1);
    expect(service.times()).toHaveLength(12 + 2);
    expect(new Set(service.times()).size).toBe(12);
    expect(service.told().every((text) => text.startsWith('schedule.fired'))).toBe(true);
  });

  test('fires in another process once the one that created it is gone', async () => {
    const service = await setUpSchedules({ processes: 2 });
    await service.create();
    await service.first.close(0);
    await service.clock.advance(HOUR + MINUTE);
    expect(service.started).toMatchObject([{ process: 1, at: day('01:00') }]);
  });

  test('fires after a day', async () => {
    const service = await setUpSchedules();
    await service.create({ cron: '0 0 2 1 *' });
    await service.clock.advance(25 * HOUR);
    expect(service.times()).toEqual(['2026-01-02T00:00:00.000Z']);
  });

  test('does not fire again when the clock is put back', async () => {
    const service = await setUpSchedules({ processes: 2 });
    await service.create();
    await service.clock.advance(HOUR + MINUTE);
    service.clock.jump(-10 * MINUTE);
    await service.clock.advance(30 * MINUTE);
    expect(service.started).toHaveLength(1);
  });

  test('fires soon when the clock is put forward over a fire time', async () => {
    const service = await setUpSchedules({ processes: 2 });
    await service.create();
    await service.clock.advance(40 * MINUTE);
    service.clock.jump(20 * MINUTE + 10_000);
    await service.clock.advance(MINUTE);
    expect(service.started).toHaveLength(1);
  });

  test('leaves no timer when the process closes', async () => {
    const service = await setUpSchedules();
    service.holdRuns();
    await service.create({ overlap: 'queue' });
    await service.create({ cron: '*/2 * * * *', overlap: 'queue' });
    await service.clock.advance(2 * HOUR + 1);
    await service.endRuns();
    await service.close();
    expect(service.clock.pending()).toBe(0);
  });
});

describe('a fire while a run of the schedule goes on', () => {
  test('is skipped with `skip`', async () => {
    const service = await setUpSchedules({ processes: 2 });
    service.holdRuns();
    await service.create({ overlap: 'skip' });
    await service.clock.advance(2 * HOUR + 1);
    expect(service.started).toHaveLength(1);
    await service.endRuns();
    await service.clock.advance(HOUR);
    expect(service.times()).toEqual([day('01:00'), day('03:00')]);
    expect(service.told()).toEqual([
      `schedule.fired ${day('01:00')}`,
      `schedule.skipped ${day('02:00')} overlap`,
      `schedule.fired ${day('03:00')}`,
    ]);
  });

  test('waits with `queue`, and starts within seconds of the end of the run before', async () => {
    const service = await setUpSchedules({ processes: 3 });
    service.holdRuns();
    await service.create({ overlap: 'queue' });
    await service.clock.advance(3 * HOUR + 1);
    expect(service.started).toHaveLength(1);
    await service.endRuns();
    await service.clock.advance(5_000);
    expect(service.started).toHaveLength(2);
    await service.clock.advance(MINUTE);
    expect(service.started).toHaveLength(2);
    await service.endRuns();
    await service.clock.advance(5_000);
    expect(service.started).toHaveLength(3);
    expect(service.told()).toEqual(['01:00', '02:00', '03:00'].map((time) => `schedule.fired ${day(time)}`));
    const [stored] = (await service.store.list({ limit: 1, offset: 0 })).items;
    expect(stored?.fires).toMatchObject([{ status: 'started' }]);
  });

  test('waits with `queue` only behind a hundred others', async () => {
    const service = await setUpSchedules();
    service.holdRuns();
    await service.create({ cron: '* * * * *', overlap: 'queue' });
    await service.clock.advance(103 * MINUTE + 1);
    expect(service.told()).toEqual([
      `schedule.fired ${day('00:01')}`,
      `schedule.skipped ${day('01:42')} queue_full`,
      `schedule.skipped ${day('01:43')} queue_full`,
    ]);
  });

  test('starts with `allow`, and the runs that are remembered stay bounded', async () => {
    const service = await setUpSchedules({ limits: { maxBackgroundRuns: 1_000 } });
    service.holdRuns();
    await service.create({ cron: '* * * * *', overlap: 'allow' });
    await service.clock.advance(120 * MINUTE + 1);
    expect(service.started).toHaveLength(120);
    const [stored] = (await service.store.list({ limit: 1, offset: 0 })).items;
    expect(stored?.fires).toHaveLength(100);
  });

  test('counts runs that were triggered', async () => {
    const service = await setUpSchedules({ processes: 2 });
    service.holdRuns();
    const { schedule } = await service.create();
    await service.clock.advance(30 * MINUTE);
    const run = await service.processes[1]?.schedules.trigger(schedule.scheduleId);
    expect(run).toMatchObject({ status: 'PENDING', workflowId: service.workflowId, background: true });
    await service.clock.advance(31 * MINUTE);
    expect(service.times()).toEqual([day('00:30')]);
    expect(service.told()).toEqual(['schedule.fired', `schedule.skipped ${day('01:00')} overlap`]);
  });
});

describe('fire times that pass while no process runs', () => {
  const input = { n: 1 };
  const settings = { workflowId: '', cron: '0 * * * *', timezone: 'UTC', input, overlap: 'skip' } as const;
  const at = day('00:00');

  /** A schedule of yesterday, whose processes start at a time of today. */
  async function setUpLate(start: string, catchUp: 'none' | 'last') {
    const service = await setUpSchedules({ start, processes: 2 });
    const all = { ...settings, workflowId: service.workflowId, catchUp, enabled: true };
    const nextFireAt = Date.parse('2025-12-31T01:00:00Z');
    await service.store.create(newSchedule('s', all, { at, nextFireAt }));
    await service.clock.advance(MINUTE);
    return service;
  }

  test('are not made up for', async () => {
    const service = await setUpLate(day('09:30'), 'none');
    expect(service.started).toEqual([]);
    expect(service.told()).toEqual(['schedule.skipped 2025-12-31T01:00:00.000Z missed']);
    await service.clock.advance(HOUR);
    expect(service.times()).toEqual([day('10:00')]);
  });

  test('are made up for by one run with `last`', async () => {
    const service = await setUpLate(day('09:30'), 'last');
    expect(service.started).toHaveLength(1);
    expect(service.told()).toEqual([
      'schedule.skipped 2025-12-31T01:00:00.000Z missed',
      `schedule.fired ${day('09:00')}`,
    ]);
    await service.clock.advance(HOUR);
    expect(service.started).toHaveLength(2);
  });

  test.each(['09:00:00.001', '09:00:02.000', '09:00:20.000'])(
    'are not made up for when the last one is only seconds ago: %s',
    async (start) => {
      const service = await setUpLate(`2026-01-01T${start}Z`, 'none');
      expect(service.told()).toEqual(['schedule.skipped 2025-12-31T01:00:00.000Z missed']);
      await service.clock.advance(HOUR);
      expect(service.times()).toEqual([day('10:00')]);
    },
  );

  test('are left for some seconds to processes that were running then', async () => {
    const service = await setUpSchedules({ start: '2026-01-01T09:00:00.500Z', processes: 1 });
    const all = { ...settings, workflowId: service.workflowId, catchUp: 'none', enabled: true } as const;
    await service.store.create(newSchedule('s', all, { at, nextFireAt: Date.parse(day('09:00')) }));
    await service.clock.advance(4_000);
    expect(service.told()).toEqual([]);
    await service.clock.advance(MINUTE);
    expect(service.told()).toEqual([expect.stringMatching(/^schedule\.skipped .* missed$/)]);
  });
});

describe('a fire whose process is lost before it has created the run', () => {
  /** A schedule whose fire was claimed, and two processes that know nothing of it. */
  async function setUpClaimed(enabled = true) {
    const service = await setUpSchedules({ processes: 2 });
    const { workflowId, store, clock } = service;
    const settings = { workflowId, cron: '0 * * * *', timezone: 'UTC', input: { n: 1 } } as const;
    const modes = { overlap: 'skip', catchUp: 'none', enabled } as const;
    const nextFireAt = enabled ? Date.parse(day('01:00')) : null;
    const stored = newSchedule('s', { ...settings, ...modes }, { at: day('00:00'), nextFireAt });
    const fire = { runId: 'lost-run', dueAt: clock.now(), status: 'starting', since: clock.now() } as const;
    await store.create({ ...stored, fires: [fire] });
    return service;
  }

  test.each([true, false])(
    'is started once by another one, as the same run; enabled: %s',
    async (enabled) => {
      const service = await setUpClaimed(enabled);
      await service.clock.advance(START_LEASE_MS - 1_000);
      expect(service.started).toEqual([]);
      await service.clock.advance(2 * START_LEASE_MS);
      expect(service.started).toHaveLength(1);
      expect((await service.runs.summary('lost-run'))?.status).toBe('COMPLETED');
      await service.clock.advance(HOUR - 5 * START_LEASE_MS);
      expect(service.started).toHaveLength(1);
    },
  );

  test('is not started again where the run exists', async () => {
    const service = await setUpClaimed();
    await service.first.workflows.run(service.workflowId, {
      background: true,
      runId: 'lost-run',
      input: { n: 1 },
    });
    await service.clock.advance(3 * START_LEASE_MS);
    expect(service.started).toHaveLength(1);
    expect(service.told()).toEqual([`schedule.fired ${day('00:00')}`]);
  });

  test('is not started once the schedule is deleted', async () => {
    const service = await setUpClaimed();
    await service.first.schedules.delete('s');
    await service.clock.advance(2 * HOUR);
    expect(service.started).toEqual([]);
  });
});

describe('a fire that cannot start a run', () => {
  test('is skipped while the workflow is gone, and the schedule goes on', async () => {
    const service = await setUpSchedules({ processes: 2 });
    await service.create();
    const definition = await service.first.workflows.get(service.workflowId);
    await service.first.workflows.delete(service.workflowId);
    await service.clock.advance(2 * HOUR + MINUTE);
    await service.workflows.put(definition);
    await service.clock.advance(HOUR);
    expect(service.told()).toEqual([
      `schedule.skipped ${day('01:00')} workflow_not_found`,
      `schedule.skipped ${day('02:00')} workflow_not_found`,
      `schedule.fired ${day('03:00')}`,
    ]);
  });

  test('is skipped while the workflow, which was changed, does not accept the input', async () => {
    const service = await setUpSchedules();
    const { workflowId, first, clock } = service;
    await service.create();
    const draft = await first.workflows.get(workflowId);
    const inputSchema = { type: 'object', properties: { n: { type: 'string' } } };
    await first.workflows.replace(workflowId, { ...draft, inputSchema });
    await clock.advance(HOUR + MINUTE);
    await first.workflows.replace(workflowId, draft);
    await clock.advance(HOUR);
    expect(service.told()).toEqual([
      `schedule.skipped ${day('01:00')} invalid_input`,
      `schedule.fired ${day('02:00')}`,
    ]);
  });

  test('is skipped while too many background runs wait', async () => {
    const service = await setUpSchedules({ limits: { maxBackgroundRuns: 1, maxWaitingRuns: 0 } });
    service.holdRuns();
    await service.create({ overlap: 'allow' });
    await service.clock.advance(2 * HOUR + 1);
    await service.endRuns();
    await service.clock.advance(HOUR);
    expect(service.told()).toEqual([
      `schedule.fired ${day('01:00')}`,
      `schedule.skipped ${day('02:00')} unavailable`,
      `schedule.fired ${day('03:00')}`,
    ]);
  });
});
