import { useState } from 'preact/hooks';
import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { place, setQuery } from '../../app/router.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { formatTime } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Empty, Reading } from '../../ui/states.tsx';
import { Age } from '../../ui/time.tsx';
import type { Workflow } from './api.ts';
import { ScheduleForm } from './schedule-form.tsx';

/** Schedules that are looked through: the API has no list of those of one workflow. */
const READ = 200;
const readSchedules = (api: Client) => api.schedules.$get({ query: { limit: String(READ) } });
type Schedule = Answered<typeof readSchedules>['schedules'][number];

/** The schedules of a workflow, each with its next fires, and a form for a new one. */
export function SchedulesView({ workflow }: { readonly workflow: Workflow }) {
  const read = useRead('schedules', readSchedules, {
    stale: ({ type }) => type.startsWith('schedule.'),
  });
  const isNew = place.value.query.get('new') === '1';
  const [round, setRound] = useState(0);
  const close = (): void => setQuery({ new: null });
  return (
    <>
      <div class="workflows-acts">
        <button type="button" aria-expanded={isNew} onClick={() => setQuery({ new: isNew ? null : '1' })}>
          {isNew ? 'Close the form' : 'New schedule'}
        </button>
        <a class="workflows-apart" href="#/automation">
          All schedules, in Automation
        </a>
        <CurlButton calls={[{ label: 'Schedules', call: read.call }]} />
      </div>
      {isNew && (
        <ScheduleForm
          key={round}
          workflow={workflow}
          onDone={() => {
            setRound(round + 1);
            close();
            read.reload();
          }}
        />
      )}
      <Reading read={read} what="Reading the schedules">
        {({ schedules, total }) => {
          const own = schedules.filter(({ workflow_id }) => workflow_id === workflow.id);
          return (
            <>
              {own.length === 0 && !isNew && (
                <Empty>
                  No schedule starts this workflow. A new one runs it at the times of a cron expression.
                </Empty>
              )}
              <div class="columns">
                {own.map((schedule) => (
                  <ScheduleCard key={schedule.schedule_id} schedule={schedule} />
                ))}
              </div>
              {total > READ && (
                <p class="faint">
                  The newest {READ} of {total} schedules were looked through.
                </p>
              )}
            </>
          );
        }}
      </Reading>
    </>
  );
}

function ScheduleCard({ schedule }: { readonly schedule: Schedule }) {
  const { schedule_id: id, cron, timezone, overlap, catch_up, enabled, version } = schedule;
  const fires = useRead(`fires of ${id} ${version} ${schedule.next_fire_at}`, (api) =>
    api.schedules[':id'].preview.$get({ param: { id }, query: { n: '5' } }),
  );
  return (
    <section class="card stack" aria-label={`Schedule ${cron}`}>
      <h2>
        <code>{cron}</code> <span class="faint">{timezone}</span>{' '}
        <span class={enabled ? 'tag tone-good' : 'tag tone-wait'}>{enabled ? '● on' : '◐ paused'}</span>
      </h2>
      <dl class="pairs">
        <dt>next</dt>
        <dd>{enabled ? <Age at={schedule.next_fire_at} /> : 'not while it is paused'}</dd>
        <dt>last</dt>
        <dd>
          <Age at={schedule.last_fired_at} />
        </dd>
        <dt>overlap</dt>
        <dd>{overlap}</dd>
        <dt>catch up</dt>
        <dd>{catch_up}</dd>
      </dl>
      <Reading read={fires} what="Reading the next fires" rows={2}>
        {({ fire_times }) => (
          <div>
            <h3>{enabled ? 'Next fires' : 'Next fires, if it were on'}, in your time</h3>
            <ol class="workflows-fires">
              {fire_times.map((at) => (
                <li key={at}>
                  <time dateTime={at}>{formatTime(at)}</time>
                </li>
              ))}
            </ol>
          </div>
        )}
      </Reading>
      <details>
        <summary>input</summary>
        <Json value={schedule.input} label={`Input of ${cron}`} />
      </details>
    </section>
  );
}
