import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { onEvents } from '../../api/live.ts';
import { useRead } from '../../api/use-read.ts';
import { announce } from '../../app/messages.tsx';
import { person } from '../../app/person.ts';
import { hrefTo, place } from '../../app/router.ts';
import { Notice, Reading } from '../../ui/states.tsx';
import { Answer } from './answer/answer.tsx';
import { Approval } from './approval.tsx';
import { Because, Earlier, Found, Sla } from './facts.tsx';
import { CaseHead, Holder, RefusedHere } from './head.tsx';
import { changedHere, held } from './logic/acts.ts';
import { readCase } from './logic/calls.ts';
import { type Change, isOfInbox, noteChanges } from './logic/changes.ts';
import type { Case } from './logic/types.ts';
import { inWords, isWaiting } from './logic/why.ts';
import { Message } from './message.tsx';
import { Notes, Resolution } from './notes.tsx';
import { Recovery } from './recovery.tsx';

/** The item that is open: what a person needs to decide, and the decision. */
export function OpenCase({ id }: { readonly id: string }) {
  const box = useRef<HTMLElement>(null);
  // The state with which events are compared: a reading must not depend on its own answer.
  const known = useRef<{ readonly hasConversation: boolean; readonly run: string | undefined } | undefined>(
    undefined,
  );
  const read = useRead(`inbox item ${id}`, readCase(id), {
    // A further message of the customer joins the item without an event of its own.
    stale: (event) =>
      (isOfInbox(event) && event.subject.id === id) ||
      (event.type === 'message.finished' &&
        event.data.escalated &&
        known.current?.hasConversation === true) ||
      (event.type.startsWith('execution.') && event.subject.id === known.current?.run),
  });
  const subject = read.value?.subject;
  known.current = {
    hasConversation: Boolean(read.value?.conversation_id),
    run: subject?.kind === 'execution' ? subject.id : undefined,
  };
  const changes = changedHere.value;
  useEffect(() => {
    if (changes > 0) read.reload();
  }, [changes]);
  const change = useOthersChange(id);
  const isHeld = held.value?.id === id;
  const isRead = read.value !== undefined;
  // Before the item is seen: later, the focus would leave a field in which somebody writes already.
  useLayoutEffect(() => {
    // A reader of the screen begins here.
    if (isRead) box.current?.focus({ preventScroll: true });
  }, [isRead, isHeld]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    if (event.key !== 'Escape' || !(target instanceof HTMLElement)) return;
    if (!target.matches('input, textarea, select') || target.closest('dialog') !== null) return;
    target.blur();
    box.current?.focus({ preventScroll: true });
  };
  return (
    <section ref={box} class="inbox-case stack" aria-label="Item" tabIndex={-1} onKeyDown={onKeyDown}>
      <a class="inbox-back" href={hrefTo(['inbox'], Object.fromEntries(place.value.query))}>
        ← Queue
      </a>
      <Reading read={read} what="Reading the item" rows={8}>
        {(item) => <Shown item={item} change={change} reload={read.reload} />}
      </Reading>
    </section>
  );
}

interface ShownProps {
  readonly item: Case;
  readonly change: Change | undefined;
  readonly reload: () => void;
}

function Shown({ item, change, reload }: ShownProps) {
  const waits = isWaiting(item);
  const isOfMessage = item.subject.kind === 'message';
  return (
    <>
      <CaseHead item={item} />
      <Sla item={item} />
      {change && <Changed change={change} />}
      <RefusedHere item={item} reload={reload} />
      {waits && <Holder item={item} />}
      <div class="inbox-columns">
        <div class="stack">
          {isOfMessage && <Message item={item} />}
          {isOfMessage && waits && <Answer item={item} />}
          {item.kind === 'approval' && <Approval item={item} waits={waits} />}
          {item.kind === 'recovery' && <Recovery item={item} waits={waits} />}
          {!waits && <Resolution item={item} />}
        </div>
        <div class="stack">
          <Because item={item} />
          <Notes item={item} />
          {item.trace && <Found trace={item.trace} />}
          {item.customer_id !== null && <Earlier item={item} customer={item.customer_id} />}
        </div>
      </div>
    </>
  );
}

/** The change that somebody else has made to the item since it was opened. */
function useOthersChange(id: string): Change | undefined {
  const [change, setChange] = useState<Change>();
  useEffect(
    () =>
      onEvents((events) => {
        const since = events.filter(({ subject, type }) => subject.id === id && type !== 'inbox.opened');
        const newest = noteChanges(new Map(), since).get(id);
        if (newest === undefined) return;
        const isOwn = newest.by === person.value;
        setChange(isOwn ? undefined : newest);
        if (!isOwn) announce(`This item has changed: ${wordsOf(newest)}`);
      }),
    [id],
  );
  return change;
}

function wordsOf({ status, by, outcome }: Change): string {
  if (outcome === 'lapsed') return 'The claim has lapsed: the item is open again.';
  if (outcome === 'withdrawn') return 'The item was withdrawn: what it was about is gone.';
  if (status === 'expired') return 'The item has expired.';
  if (status === 'claimed') return `${by} has just claimed or assigned this item.`;
  if (status === 'open') return `${by} has given this item back.`;
  return `${by} has just resolved this item${outcome === null ? '' : `: ${inWords(outcome)}`}.`;
}

function Changed({ change }: { readonly change: Change }) {
  return <Notice tone="warn">{wordsOf(change)} What you have written here is kept.</Notice>;
}
