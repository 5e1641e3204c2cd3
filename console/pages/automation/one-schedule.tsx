import type { Client } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { goTo } from '../../app/router.ts';
import { shortId } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Reading } from '../../ui/states.tsx';
import { noWorkflows, useWorkflows } from './schedule-calls.ts';
import { ScheduleCard } from './schedule-card.tsx';

const readSchedule = (id: string) => (api: Client) => api.schedules[':id'].$get({ param: { id } });

/** One schedule, by its id. */
export function OneSchedule({ id }: { readonly id: string }) {
  const read = useRead(`schedule ${id}`, readSchedule(id), {
    stale: ({ subject }) => subject.kind === 'schedule' && subject.id === id,
  });
  const workflows = useWorkflows();
  return (
    <>
      <PageHead
        title={`Schedule ${shortId(id)}`}
        crumbs={[{ label: 'Automation', href: '#/automation' }]}
        calls={[{ label: 'The schedule', call: read.call }]}
      />
      <Reading read={read} what="Reading the schedule">
        {(schedule) => (
          <div class="columns">
            <ScheduleCard
              schedule={schedule}
              workflows={workflows.value ?? noWorkflows}
              onChanged={read.reload}
              onDeleted={() => goTo('#/automation')}
            />
          </div>
        )}
      </Reading>
    </>
  );
}
