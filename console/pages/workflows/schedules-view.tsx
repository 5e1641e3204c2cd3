import type { Client } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { place, setQuery } from '../../app/router.ts';
import { changing } from '../../app/settings.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { isReferenceTo } from '../../ui/format.ts';
import { Empty, Reading } from '../../ui/states.tsx';
import { ScheduleCard } from '../automation/schedule-card.tsx';
import { ScheduleForm } from '../automation/schedule-form.tsx';
import type { Workflow } from './api.ts';

/** Schedules that are looked through: the API has no list of those of one workflow. */
const READ = 200;
const readSchedules = (api: Client) => api.schedules.$get({ query: { limit: String(READ) } });

/** The schedules of a workflow, each with its next times, and a form for a new one. */
export function SchedulesView({ workflow }: { readonly workflow: Workflow }) {
  const read = useRead('schedules', readSchedules, {
    stale: ({ type }) => type.startsWith('schedule.'),
  });
  const isNew = place.value.query.get('new') === '1';
  return (
    <>
      <div class="workflows-acts">
        <button type="button" {...changing()} onClick={() => setQuery({ new: '1' })}>
          New schedule
        </button>
        <a class="workflows-apart" href="#/automation">
          All schedules, in Automation
        </a>
        <CurlButton calls={[{ label: 'Schedules', call: read.call }]} />
      </div>
      {isNew && (
        <ScheduleForm
          workflows={{ workflows: [workflow], total: 1 }}
          schedule={undefined}
          onClose={() => setQuery({ new: null })}
          onSaved={read.reload}
        />
      )}
      <Reading read={read} what="Reading the schedules">
        {({ schedules, total }) => {
          const own = schedules.filter(({ workflow_id }) => isReferenceTo(workflow, workflow_id));
          return (
            <>
              {own.length === 0 && (
                <Empty>
                  No schedule starts this workflow. A new one runs it at the times of a cron expression.
                </Empty>
              )}
              <div class="columns">
                {own.map((schedule) => (
                  <ScheduleCard
                    key={schedule.schedule_id}
                    schedule={schedule}
                    workflows={{ workflows: [workflow], total: 1 }}
                    onChanged={read.reload}
                  />
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
