import { useRead } from '../../../api/use-read.ts';
import { hrefTo } from '../../../app/router.ts';
import { settings } from '../../../app/settings.ts';
import { shortId } from '../../../ui/format.ts';
import { Age } from '../../../ui/time.tsx';
import { type Run, readItem, type Wait } from '../logic/reads.ts';
import type { Opened } from './opened.ts';

interface WaitsProps {
  readonly run: Run;
  readonly onOpen: (opened: Opened) => void;
}

/** More waits than this are not shown one by one. */
const MAX_SHOWN = 10;

/** The waits of a run, with the buttons that end them. */
export function Waits({ run, onOpen }: WaitsProps) {
  const waits = run.waiting_for;
  if (waits.length === 0) return null;
  return (
    <section class="card runs-waits" aria-label="What it waits for">
      <ul>
        {waits.slice(0, MAX_SHOWN).map((wait) => (
          <li key={`${wait.step_id} ${wait.item_id ?? wait.execution_id ?? ''}`}>
            <span class="tone-wait" aria-hidden="true">
              ◐
            </span>
            <WaitLine wait={wait} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {waits.length > MAX_SHOWN && <p class="faint">and {waits.length - MAX_SHOWN} more</p>}
    </section>
  );
}

/** The subject of an approval, as its item says it. */
function Title({ id }: { readonly id: string }) {
  const { value } = useRead(`item ${id}`, readItem(id));
  return value ? (
    <>
      : <b>{value.title}</b>
    </>
  ) : null;
}

function WaitLine({ wait, onOpen }: { readonly wait: Wait; readonly onOpen: WaitsProps['onOpen'] }) {
  const { kind, step_id, item_id, execution_id, until } = wait;
  const disabled = settings.value.read_only;
  const step = <span class="mono">{step_id}</span>;
  const item = item_id !== undefined && <a href={hrefTo(['inbox', item_id])}>in the inbox</a>;
  const ends = until !== undefined && (
    <span class="faint">
      ends by itself <Age at={until} />
    </span>
  );
  switch (kind) {
    case 'approval':
      return (
        <>
          <span>
            {step} waits for an approval{item_id !== undefined && <Title id={item_id} />} · {item}
            {until !== undefined && ' · '}
            {ends}
          </span>
          {item_id !== undefined && (
            <span class="runs-decide">
              <button
                type="button"
                class="button-main"
                disabled={disabled}
                onClick={() => onOpen({ kind: 'approved', wait })}
              >
                Approve <kbd>a</kbd>
              </button>
              <button type="button" disabled={disabled} onClick={() => onOpen({ kind: 'rejected', wait })}>
                Reject <kbd>x</kbd>
              </button>
            </span>
          )}
        </>
      );
    case 'recovery':
      return (
        <>
          <span>
            Did {step} happen? Its process stopped while it acted. {item}
          </span>
          <span class="runs-decide">
            <button
              type="button"
              class="button-main"
              disabled={disabled}
              onClick={() => onOpen({ kind: 'resolve', wait })}
            >
              Say what happened <kbd>d</kbd>
            </button>
          </span>
        </>
      );
    case 'workflow':
      return (
        <span>
          {step} waits for the run{' '}
          {execution_id !== undefined && <a href={hrefTo(['runs', execution_id])}>{shortId(execution_id)}</a>}
        </span>
      );
    case 'wait':
      return (
        <span>
          {step} waits for a time{until !== undefined && ', which comes '}
          {until !== undefined && <Age at={until} />}
        </span>
      );
  }
}
