import { useState } from 'preact/hooks';
import type { Client } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { goTo, hrefTo } from '../../app/router.ts';
import { changing } from '../../app/settings.ts';
import { Action } from '../../ui/action.tsx';
import { formatTime, isReferenceTo, ownZone, shortId } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { Reading } from '../../ui/states.tsx';
import { Age } from '../../ui/time.tsx';
import type { Schedule, Workflows } from './schedule-calls.ts';
import { membersOf, replace } from './schedule-calls.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { catchUps, overlaps, wordsOf } from './schedule-words.ts';
import './automation.css';

const readTimes = (id: string) => (api: Client) =>
  api.schedules[':id'].preview.$get({ param: { id }, query: { n: '5' } });

interface ScheduleCardProps {
  readonly schedule: Schedule;
  readonly workflows: Workflows;
  readonly onChanged: () => void;
  /** Called in its place when the schedule was deleted. */
  readonly onDeleted?: () => void;
}

/** One schedule: when it starts which workflow, its next five times, and what can be done with it. */
export function ScheduleCard({ schedule, workflows, onChanged, onDeleted = onChanged }: ScheduleCardProps) {
  const { schedule_id, workflow_id, cron, timezone, enabled, overlap, catch_up, last_fired_at, version } =
    schedule;
  const [isEdited, setIsEdited] = useState(false);
  const times = useRead(`times ${schedule_id} ${version}`, readTimes(schedule_id), {
    stale: ({ subject }) => subject.id === schedule_id,
  });
  const name =
    workflows.workflows.find((workflow) => isReferenceTo(workflow, workflow_id))?.name ??
    `workflow ${shortId(workflow_id)}`;
  return (
    <section class="card stack" aria-label={`Schedule of ${name}: ${cron} in ${timezone}`}>
      <header class="automation-head">
        <h2>
          <a href={hrefTo(['workflows', workflow_id])}>{name}</a>
        </h2>
        <span class={enabled ? 'tag tone-good' : 'tag'}>{enabled ? '● on' : '⊘ paused'}</span>
      </header>
      <dl class="pairs">
        <dt>Times</dt>
        <dd>
          <code>{cron}</code> in {timezone}
        </dd>
        <dt>Last run</dt>
        <dd>
          <Age at={last_fired_at} />
        </dd>
        <dt>While a run goes on</dt>
        <dd>{wordsOf(overlaps, overlap)}</dd>
        <dt>Missed times</dt>
        <dd>{wordsOf(catchUps, catch_up)}</dd>
      </dl>
      {enabled && (
        <Reading read={times} what="Reading the next times" rows={5}>
          {({ fire_times }) => (
            <div>
              <h3>Next, in {ownZone}</h3>
              <ol class="automation-times">
                {fire_times.map((at) => (
                  <li key={at}>
                    <time dateTime={at}>{formatTime(at)}</time>
                  </li>
                ))}
              </ol>
            </div>
          )}
        </Reading>
      )}
      <details>
        <summary>Input of each run</summary>
        <Json value={schedule.input} label="Input of each run" />
      </details>
      <div class="automation-acts">
        <Action
          label="Run now"
          call={(api) => api.schedules[':id'].trigger.$post({ param: { id: schedule_id } })}
          onDone={({ execution_id }) => goTo(hrefTo(['runs', execution_id]))}
        />
        <Action
          label={enabled ? 'Pause' : 'Resume'}
          call={replace(schedule, { ...membersOf(schedule), enabled: !enabled })}
          onDone={onChanged}
        />
        <button type="button" {...changing()} onClick={() => setIsEdited(true)}>
          Edit
        </button>
        <Action
          label="Delete"
          tone="bad"
          call={(api) => api.schedules[':id'].$delete({ param: { id: schedule_id } })}
          confirm={<p>No further run is started by this schedule. Its runs stay.</p>}
          onDone={onDeleted}
        />
      </div>
      {isEdited && (
        <ScheduleForm
          workflows={workflows}
          schedule={schedule}
          onClose={() => setIsEdited(false)}
          onSaved={onChanged}
        />
      )}
    </section>
  );
}
