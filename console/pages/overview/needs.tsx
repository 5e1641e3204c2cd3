import { hrefTo } from '../../app/router.ts';
import { formatNumber, shortId } from '../../ui/format.ts';
import { Empty } from '../../ui/states.tsx';
import { Age } from '../../ui/time.tsx';
import { openItemsOf, type Stats } from './stats.ts';

type Count = readonly [count: number, word: string];

const countOf = (count: number, noun: string): Count => [count, count === 1 ? noun : `${noun}s`];

/** The tasks that wait for a person: the most urgent first, each with the way to it. */
export function Needs({ stats }: { readonly stats: Stats }) {
  const { overdue, failed_runs, parked_runs } = stats.needs;
  const { inbox } = stats.now;
  const open = openItemsOf(inbox);
  const isCalm = overdue.count + open + failed_runs.count + parked_runs.count === 0;
  return (
    <section class="card" aria-labelledby="needs">
      <h2 id="needs">Needs you</h2>
      {isCalm && <Empty>Nothing waits for anybody.</Empty>}
      <ul class="overview-needs">
        {overdue.count > 0 && (
          <li>
            <span class="tone-bad" aria-hidden="true">
              !
            </span>
            <div>
              <a href={hrefTo(['inbox'], { overdue: 'true' })}>
                {formatNumber(overdue.count)} {overdue.count === 1 ? 'item is' : 'items are'} overdue
              </a>
              {overdue.oldest_opened_at !== null && (
                <span class="faint">
                  {' '}
                  the oldest was opened <Age at={overdue.oldest_opened_at} />
                </span>
              )}
            </div>
          </li>
        )}
        {open > 0 && (
          <li>
            <span class="tone-wait" aria-hidden="true">
              ◐
            </span>
            <div>
              <a href="#/inbox">{formatNumber(open)} open in the inbox</a>{' '}
              <span class="faint">
                {[
                  [inbox.escalation.open, 'escalated'] satisfies Count,
                  countOf(inbox.draft.open, 'draft'),
                  countOf(inbox.approval.open, 'approval'),
                  countOf(inbox.recovery.open, 'unknown outcome'),
                ]
                  .filter(([count]) => count !== 0)
                  .map(([count, word]) => `${count} ${word}`)
                  .join(', ')}
              </span>
            </div>
          </li>
        )}
        {parked_runs.count > 0 && (
          <li>
            <span class="tone-bad" aria-hidden="true">
              ✕
            </span>
            <div>
              {formatNumber(parked_runs.count)} {parked_runs.count === 1 ? 'run was' : 'runs were'} given up,
              because their process was lost too often:{' '}
              {parked_runs.execution_ids.slice(0, 5).map((id) => (
                <a key={id} href={hrefTo(['runs', id])}>
                  {shortId(id)}{' '}
                </a>
              ))}
            </div>
          </li>
        )}
        {failed_runs.groups.map((group) => (
          <FailedGroup key={`${group.workflow_id} ${group.error}`} group={group} />
        ))}
        {failed_runs.truncated && (
          <li>
            <span aria-hidden="true">…</span>
            <a href={hrefTo(['runs'], { status: 'FAILED' })}>more failed runs</a>
          </li>
        )}
      </ul>
    </section>
  );
}

type Group = Stats['needs']['failed_runs']['groups'][number];

function FailedGroup({ group }: { readonly group: Group }) {
  const { workflow_id, workflow_name, error, count, last_at, execution_ids } = group;
  const [newest] = execution_ids;
  return (
    <li>
      <span class="tone-bad" aria-hidden="true">
        ✕
      </span>
      <div>
        <a href={hrefTo(['runs'], { status: 'FAILED', workflow: workflow_id })}>
          {workflow_name}: {formatNumber(count)} {count === 1 ? 'run' : 'runs'}
        </a>{' '}
        <span class="faint">
          last <Age at={last_at} />
        </span>
        <p class="overview-error">{error}</p>
        {newest !== undefined && (
          <div class="overview-acts">
            <a href={hrefTo(['runs', newest])}>see the last one</a>
            <a href={hrefTo(['runs', newest], { open: 'retry' })}>retry it</a>
          </div>
        )}
      </div>
    </li>
  );
}
