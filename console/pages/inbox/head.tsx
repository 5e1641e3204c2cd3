import { useEffect, useState } from 'preact/hooks';
import { useKeys } from '../../app/keys.ts';
import { now } from '../../app/now.ts';
import { person, withPerson } from '../../app/person.ts';
import { changing, mayChange } from '../../app/settings.ts';
import { Copy } from '../../ui/copy.tsx';
import { CurlButton } from '../../ui/curl.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { formatClock } from '../../ui/format.ts';
import { Notice } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { kindWords } from './filters.ts';
import { act, held, putAside, refusals, sendHeld, tellHeld, undoHeld, whyNot } from './logic/acts.ts';
import { assign, claim, readCase, release } from './logic/calls.ts';
import type { Case } from './logic/types.ts';
import { isWaiting } from './logic/why.ts';

/** The head of an item: what it is, who has it, and who shall. */
export function CaseHead({ item }: { readonly item: Case }) {
  const { item_id: id, kind, title, status, priority, assignee, customer_id } = item;
  const [isAssigning, setIsAssigning] = useState(false);
  const me = person.value || 'your name';
  const waits = isWaiting(item);
  const claimIt = (): void => {
    if (mayChange()) withPerson((by) => void act('Claim', claim(id, by), 'The item is yours.'));
  };
  const releaseIt = (): void => {
    if (mayChange()) withPerson((by) => void act('Release', release(id, by), 'The item is open again.'));
  };
  const openAssign = (): void => {
    if (mayChange()) setIsAssigning(true);
  };
  useKeys(
    'Item',
    waits
      ? [
          { key: 'c', label: 'claim it', run: claimIt },
          { key: 'u', label: 'release it', run: releaseIt },
          { key: 't', label: 'assign it to somebody', run: openAssign },
        ]
      : [],
  );
  return (
    <header class="inbox-head">
      <h2>{title || 'An item without a text'}</h2>
      <div class="facts">
        <span class="tag">{kindWords[kind]}</span>
        <Status of={status} />
        <span class={priority === 1 ? 'tone-bad' : undefined}>priority {priority}</span>
        {customer_id !== null && <span>{customer_id}</span>}
        {assignee !== null && <span>{status === 'claimed' ? `with ${assignee}` : `by ${assignee}`}</span>}
        <Copy text={id} label="Copy id" />
        <div class="actions">
          {waits && (
            <>
              <button type="button" {...changing()} onClick={claimIt}>
                {assignee === person.value && status === 'claimed' ? 'Renew' : 'Claim'} <kbd>c</kbd>
              </button>
              <button type="button" {...changing(status !== 'claimed')} onClick={releaseIt}>
                Release <kbd>u</kbd>
              </button>
              <button type="button" {...changing()} onClick={openAssign}>
                Assign <kbd>t</kbd>
              </button>
            </>
          )}
          <CurlButton
            calls={[
              { label: 'This item', call: readCase(id) },
              { label: 'Claim', call: claim(id, me) },
              { label: 'Release', call: release(id, me) },
              { label: 'Assign', call: assign(id, me, 'a colleague') },
            ]}
          />
        </div>
      </div>
      {isAssigning && <Assigning id={id} onClose={() => setIsAssigning(false)} />}
    </header>
  );
}

function Assigning({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const send = (): void => {
    const to = name.trim();
    if (to === '') return;
    onClose();
    withPerson((by) => void act('Assign', assign(id, by, to), `The item is with ${to} now.`));
  };
  return (
    <Dialog title="Assign to" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextField
          label="Name of a colleague"
          value={name}
          onChange={setName}
          hint="They have it then, whoever had it before."
        />
        <footer class="dialog-actions">
          <button type="submit" class="button-main" disabled={name.trim() === ''}>
            Assign
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** Says who else has the item, with a button that takes it over. */
export function Holder({ item }: { readonly item: Case }) {
  const { item_id: id, status, assignee, claimed_until } = item;
  if (status !== 'claimed' || assignee === null || assignee === person.value) return null;
  const takeOver = (): void =>
    withPerson((by) => void act('Take over', assign(id, by, by), 'The item is yours.'));
  return (
    <Notice tone="warn">
      <p>
        {assignee} has this item{claimed_until !== null && ` until ${formatClock(claimed_until)}`}. While they
        have it, the service takes decisions of nobody else.
      </p>
      <button type="button" {...changing()} onClick={takeOver}>
        Take it over
      </button>
    </Notice>
  );
}

/** The refusal of the decision about this item. Everything that was filled in is still there. */
export function RefusedHere({ item, reload }: { readonly item: Case; readonly reload: () => void }) {
  const refusal = refusals.value.get(item.item_id);
  if (refusal === undefined) return null;
  const { error } = refusal;
  const readAgain = (): void => {
    putAside(item.item_id);
    reload();
  };
  return (
    <Notice tone="bad">
      <p>
        Not sent. {whyNot(error)} {error.status === 409 && 'The item as it is now is below. '}What you filled
        in is kept: decide again.
      </p>
      <button type="button" onClick={readAgain}>
        Read again
      </button>
    </Notice>
  );
}

/** A decision that is not sent yet, with what takes it back. */
export function HeldHere({ label, text }: { readonly label: string; readonly text: string }) {
  useKeys('Held decision', [
    { key: 'z', label: 'undo', run: undoHeld },
    { key: 'Enter', label: 'send it now', run: () => void sendHeld() },
  ]);
  useEffect(() => tellHeld, []);
  const left = held.value === undefined ? 0 : Math.ceil((held.value.sendsAt - now.value) / 1_000);
  return (
    <section class="card stack" aria-labelledby="inbox-held">
      <h3 id="inbox-held">Not sent yet: {label.toLowerCase()}</h3>
      {text !== '' && <p class="inbox-text">{text}</p>}
      <div class="inbox-buttons">
        <button type="button" onClick={undoHeld}>
          Undo <kbd>z</kbd>
        </button>
        <button type="button" onClick={() => void sendHeld()}>
          Send now <kbd>Enter</kbd>
        </button>
        <span class="faint number">Sent in {Math.max(0, Math.min(10, left))} s</span>
      </div>
    </section>
  );
}
