import type { EventResponse } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { hrefTo } from '../../app/router.ts';
import { shortId } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import { Age, Lasting } from '../../ui/time.tsx';
import { firesOf, type Run, readFires } from './logic/reads.ts';

const origins: Readonly<Record<string, string>> = {
  api: 'by request',
  rerun: 'as a rerun',
  workflow: 'by another run',
  schedule: 'by a schedule',
};

/** The facts beside the title of a run. `origin` is its first event, which tells how it was started. */
export function Facts({ run, origin }: { readonly run: Run; readonly origin: EventResponse | undefined }) {
  const how = origin?.type === 'execution.created' ? origin.data.origin : undefined;
  const { status, version, workflow_id, chain, attempt, recoveries } = run;
  const { parent_execution_id, rerun_of, customer_id } = run;
  return (
    <>
      <strong>
        <Status of={status} />
      </strong>
      <span class="runs-lasting">
        <Lasting from={run.started_at} ms={run.duration_ms} />
      </span>
      <span>
        attempt {attempt}
        {recoveries > 0 && `, recovered ${recoveries === 1 ? 'once' : `${recoveries} times`}`}
      </span>
      <a href={hrefTo(['workflows', workflow_id])}>version {version}</a>
      {chain !== undefined && (
        <span>
          steps of <code>{chain}</code>
        </span>
      )}
      <span>
        started <Age at={run.started_at ?? run.created_at} />
        {how !== undefined && ` ${origins[how] ?? ''}`}
      </span>
      {how === 'schedule' && <OfSchedule id={run.execution_id} />}
      {parent_execution_id !== null && (
        <span>
          part of <a href={hrefTo(['runs', parent_execution_id])}>{shortId(parent_execution_id)}</a>
        </span>
      )}
      {rerun_of !== null && (
        <span>
          reruns <a href={hrefTo(['runs', rerun_of])}>{shortId(rerun_of)}</a> (
          <a href={hrefTo(['runs', run.execution_id], { compare: rerun_of })}>compare</a>)
        </span>
      )}
      {customer_id !== null && <span>customer {customer_id}</span>}
      <span class="mono" title={run.execution_id}>
        {shortId(run.execution_id)}
      </span>
    </>
  );
}

/** The schedule that started a run, as far back as the feed goes. */
function OfSchedule({ id }: { readonly id: string }) {
  const schedule = firesOf(useRead('runs: fires', readFires).value).get(id);
  if (schedule === undefined) return null;
  return <a href={hrefTo(['automation', schedule])}>schedule {shortId(schedule)}</a>;
}
