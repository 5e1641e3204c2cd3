import { useEffect, useState } from 'preact/hooks';
import { openItems } from '../../api/inbox-count.ts';
import { useRead } from '../../api/use-read.ts';
import { AskPerson } from '../../app/ask-person.tsx';
import { useKeys } from '../../app/keys.ts';
import { say } from '../../app/messages.tsx';
import { person, withPerson } from '../../app/person.ts';
import type { PageProps } from '../../app/place.ts';
import { goTo, hrefTo, setQuery } from '../../app/router.ts';
import { changing, mayChange } from '../../app/settings.ts';
import { Filters } from '../../ui/filters.tsx';
import { formatNumber } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Notice } from '../../ui/states.tsx';
import { OpenCase } from './case.tsx';
import { filters, kindsOf } from './filters.ts';
import './inbox.css';
import { act, changedHere, held, refusals, sendHeld } from './logic/acts.ts';
import { claimNext, readMine, readQueue } from './logic/calls.ts';
import { isOfInbox } from './logic/changes.ts';
import { Queue } from './queue.tsx';

/** The items that wait for a person: the queue, and the open item. */
export default function Inbox({ path, query }: PageProps) {
  const [id] = path;
  const [round, setRound] = useState(0);
  const me = person.value;
  const mine = useRead(`inbox of ${me}`, readMine(me), { stale: isOfInbox });
  useEffect(() => {
    if (mine.value !== undefined) openItems.value = mine.value.counts.open;
  }, [mine.value]);
  const changes = changedHere.value;
  useEffect(() => {
    if (changes > 0) mine.reload();
  }, [changes]);
  useEffect(() => {
    // Going on to another item sends what is held.
    if (id !== undefined && held.value !== undefined && held.value.id !== id) void sendHeld();
  }, [id]);

  const filter = {
    kind: query.get('kind'),
    status: query.get('status'),
    assignee: query.get('assignee'),
    priority: query.get('priority'),
    overdue: query.get('overdue'),
  };
  const refresh = (): void => setRound((before) => before + 1);
  const kinds = kindsOf(filter.kind);
  const next = (): void => {
    if (!mayChange()) return;
    withPerson(async (by) => {
      // A decision that is refused comes back first.
      if (!(await sendHeld())) return;
      const answer = await act('Next', claimNext(by, kinds));
      if (answer === undefined) return;
      refresh();
      const claimed = idOf(answer.value);
      if (claimed !== undefined) goTo(hrefTo(['inbox', claimed], Object.fromEntries(query)));
      else say(kinds.length === 0 ? 'Nothing is open.' : 'Nothing of this kind is open.');
    });
  };
  useKeys('Inbox', [{ key: 'n', label: 'next: claim the most urgent open item', run: next }]);

  if (mine.error?.status === 404) return <Off />;
  return (
    <>
      <PageHead
        title="Inbox"
        facts={mine.value && <Counts counts={mine.value.counts} mine={mine.value.items.length} me={me} />}
        actions={
          <button type="button" class="button-main" {...changing()} onClick={next}>
            Next <kbd>n</kbd>
          </button>
        }
        calls={[
          { label: 'Next', call: claimNext(me || 'your name', kinds) },
          { label: 'The queue', call: readQueue(filter) },
          { label: 'What I have', call: readMine(me || 'your name') },
        ]}
      />
      <Refused current={id} />
      <Filters filters={filters} />
      <div class={id === undefined ? 'inbox' : 'inbox inbox-open'}>
        <div class="inbox-left stack">
          <Queue key={JSON.stringify(filter)} filter={filter} current={id} round={round} refresh={refresh} />
        </div>
        {id === undefined ? (
          <div class="inbox-none">
            <p>
              Choose an item, or press <kbd>n</kbd> to get the most urgent one.
            </p>
            <p>
              <kbd>j</kbd> <kbd>k</kbd> go through the queue, <kbd>Enter</kbd> opens an item, <kbd>?</kbd>{' '}
              lists all keys.
            </p>
          </div>
        ) : (
          <OpenCase key={id} id={id} />
        )}
      </div>
      <AskPerson />
    </>
  );
}

/** The id of the item that was claimed; undefined for an answer without one. */
function idOf(answer: unknown): string | undefined {
  const isItem = typeof answer === 'object' && answer !== null && 'item_id' in answer;
  return isItem && typeof answer.item_id === 'string' ? answer.item_id : undefined;
}

interface CountsProps {
  readonly counts: { readonly open: number; readonly claimed: number; readonly overdue: number };
  readonly mine: number;
  readonly me: string;
}

function Counts({ counts, mine, me }: CountsProps) {
  const show = (values: Record<string, string | null>) => () =>
    setQuery({ status: null, assignee: null, overdue: null, ...values });
  return (
    <>
      <button type="button" class="inbox-count" onClick={show({ status: 'open' })}>
        <b class="inbox-strong">{formatNumber(counts.open)}</b> open
      </button>
      <button
        type="button"
        class={counts.overdue > 0 ? 'inbox-count tone-bad' : 'inbox-count'}
        onClick={show({ overdue: 'true' })}
      >
        <b>{formatNumber(counts.overdue)}</b> overdue
      </button>
      {me !== '' && (
        <button type="button" class="inbox-count" onClick={show({ status: 'claimed', assignee: me })}>
          <b class="inbox-strong">{formatNumber(mine)}</b> mine
        </button>
      )}
    </>
  );
}

/** Decisions that were not taken, of other items than the open one, which tells its own. */
function Refused({ current }: { readonly current: string | undefined }) {
  const others = [...refusals.value].filter(([id]) => id !== current);
  if (others.length === 0) return null;
  return (
    <Notice tone="bad">
      Not sent, and kept for you:{' '}
      {others.map(([id, { title }]) => (
        <a key={id} href={hrefTo(['inbox', id])}>
          {title}
        </a>
      ))}
    </Notice>
  );
}

function Off() {
  return (
    <>
      <PageHead title="Inbox" />
      <Notice>
        <p>
          The inbox of this service is off (<code>INBOX=off</code>). Nothing waits here for a person: messages
          that need one have the disposition <code>escalated</code>, and your own system brings them to
          people.
        </p>
        <p>
          <a href={hrefTo(['messages'], { escalated: 'true' })}>See the escalated messages</a>
        </p>
      </Notice>
    </>
  );
}
