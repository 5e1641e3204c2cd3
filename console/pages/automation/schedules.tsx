import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { useKeys } from '../../app/keys.ts';
import { hrefTo, setQuery } from '../../app/router.ts';
import { changing, mayChange } from '../../app/settings.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Reading } from '../../ui/states.tsx';
import { ScheduleCard } from './schedule-card.tsx';
import { ScheduleForm } from './schedule-form.tsx';

const readSchedules = (offset: number) => (api: Client) =>
  api.schedules.$get({ query: { limit: String(PAGE), offset: String(offset) } });
const readWorkflows = (api: Client) => api.workflows.$get({ query: { limit: '200' } });

/** Schedules on a page: each of them asks for its next times. */
const PAGE = 20;

export type Schedule = Answered<ReturnType<typeof readSchedules>>['schedules'][number];
/** The workflows that a schedule may start. `total` is larger where these are only the newest. */
export interface Workflows {
  readonly workflows: readonly { readonly id: string; readonly name: string }[];
  readonly total: number;
}

/** The placeholder of the workflows until they are read. */
export const noWorkflows: Workflows = { workflows: [], total: 0 };

/** The workflows that schedules may start. */
export const useWorkflows = () =>
  useRead('workflows of schedules', readWorkflows, { stale: ({ type }) => type.startsWith('workflow.') });

interface SchedulesProps {
  readonly menu: ComponentChildren;
  readonly query: URLSearchParams;
}

/** The schedules: when runs start by themselves. */
export function Schedules({ menu, query }: SchedulesProps) {
  const offset = Math.max(0, Math.trunc(Number(query.get('offset'))) || 0);
  const [isNew, setIsNew] = useState(false);
  const read = useRead(`schedules ${offset}`, readSchedules(offset), {
    stale: ({ type }) => type.startsWith('schedule.'),
  });
  const workflows = useWorkflows();
  const known = workflows.value ?? noWorkflows;
  useKeys('Schedules', [{ key: 'n', label: 'new schedule', run: () => mayChange() && setIsNew(true) }]);
  return (
    <>
      <PageHead
        title="Schedules"
        facts={read.value && `${read.value.total} in all`}
        actions={
          <button type="button" class="button-main" {...changing()} onClick={() => setIsNew(true)}>
            New schedule <kbd>n</kbd>
          </button>
        }
        calls={[{ label: 'Schedules', call: read.call }]}
      />
      {menu}
      {isNew && (workflows.value ?? workflows.error) !== undefined && (
        <ScheduleForm
          workflows={known}
          schedule={undefined}
          onClose={() => setIsNew(false)}
          onSaved={read.reload}
        />
      )}
      <Reading read={read} what="Reading the schedules">
        {({ schedules, total }) => (
          <>
            {total === 0 && (
              <Empty>
                Nothing starts by itself. A schedule starts runs of a{' '}
                <a href={hrefTo(['workflows'])}>workflow</a> at the times of a cron expression.
              </Empty>
            )}
            <div class="columns">
              {schedules.map((schedule) => (
                <ScheduleCard
                  key={schedule.schedule_id}
                  schedule={schedule}
                  workflows={known}
                  onChanged={read.reload}
                />
              ))}
            </div>
            {(total > PAGE || offset > 0) && <Pages offset={offset} count={schedules.length} total={total} />}
          </>
        )}
      </Reading>
    </>
  );
}

interface PagesProps {
  readonly offset: number;
  readonly count: number;
  readonly total: number;
}

/** Which schedules are shown, and the way to newer and older ones. */
function Pages({ offset, count, total }: PagesProps) {
  const show = (to: number) => () => setQuery({ offset: to > 0 ? String(to) : null });
  return (
    <footer class="table-foot">
      <button type="button" disabled={offset === 0} onClick={show(offset - PAGE)}>
        Newer
      </button>
      <span class="faint">
        {count === 0 ? 'none' : `${offset + 1} to ${offset + count}`} of {total}
      </span>
      <button type="button" disabled={offset + PAGE >= total} onClick={show(offset + PAGE)}>
        Older
      </button>
    </footer>
  );
}
