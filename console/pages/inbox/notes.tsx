import { useRef } from 'preact/hooks';
import { useKeys } from '../../app/keys.ts';
import { person, withPerson } from '../../app/person.ts';
import { settings } from '../../app/settings.ts';
import { Copy } from '../../ui/copy.tsx';
import { CurlButton } from '../../ui/curl.tsx';
import { Field } from '../../ui/fields.tsx';
import { Json } from '../../ui/json.tsx';
import { Status } from '../../ui/status.tsx';
import { Age } from '../../ui/time.tsx';
import { act } from './logic/acts.ts';
import { addNote } from './logic/calls.ts';
import { draftOf, fillIn, forget } from './logic/drafts.ts';
import type { Case } from './logic/types.ts';
import { inWords } from './logic/why.ts';

/** The notes of colleagues about an item, and a field for more. */
export function Notes({ item }: { readonly item: Case }) {
  const { item_id: id, notes } = item;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = draftOf(id).note ?? '';
  const add = (): void => {
    const note = text.trim();
    if (note === '') return;
    withPerson(async (by) => {
      if ((await act('Add the note', addNote(id, by, note), 'The note is added.')) === undefined) return;
      fillIn(id, { note: undefined });
    });
  };
  useKeys('Notes', [{ key: 'm', label: 'write a note', run: () => field.current?.focus() }]);
  return (
    <section class="card stack" aria-labelledby="inbox-notes">
      <h3 id="inbox-notes">Notes</h3>
      {notes.length > 0 && (
        <ul class="inbox-notes">
          {notes.map(({ by, note, at }, index) => (
            <li key={index}>
              <p class="inbox-entry-head">
                <b class="inbox-strong">{by}</b> <Age at={at} />
              </p>
              <p class="inbox-text">{note}</p>
            </li>
          ))}
        </ul>
      )}
      {item.status !== 'withdrawn' && (
        <>
          <Field
            label="A note for colleagues"
            hint={
              <>
                <kbd>m</kbd> writes here, <kbd>Ctrl Enter</kbd> adds it. Customers never see it.
              </>
            }
          >
            {(control) => (
              <textarea
                {...control}
                ref={field}
                rows={2}
                maxLength={4_096}
                value={text}
                onInput={({ currentTarget }) => fillIn(id, { note: currentTarget.value || undefined })}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
                  event.preventDefault();
                  add();
                }}
              />
            )}
          </Field>
          <span class="action">
            <button type="button" disabled={settings.value.read_only || text.trim() === ''} onClick={add}>
              Add the note
            </button>
            <CurlButton
              calls={[
                {
                  label: 'Add a note',
                  call: addNote(id, person.value || 'your name', text.trim() || 'A note'),
                },
              ]}
            />
          </span>
        </>
      )}
    </section>
  );
}

/** The end of an item; and the text that this reader had written for it, if it was not sent. */
export function Resolution({ item }: { readonly item: Case }) {
  const { resolution, status, resolved_at } = item;
  const draft = draftOf(item.item_id);
  const unsent = draft.response ?? '';
  const isOwn = resolution?.response === unsent;
  return (
    <>
      <section class="card stack" aria-labelledby="inbox-resolution">
        <h3 id="inbox-resolution">How it ended</h3>
        <p class="facts">
          <Status of={resolution?.outcome ?? status} />
          {resolution !== null && <span>by {resolution.by}</span>}
          <Age at={resolved_at} />
        </p>
        {resolution !== null && (
          <>
            <dl class="pairs">
              {resolution.intent !== null && (
                <>
                  <dt>About</dt>
                  <dd>{inWords(resolution.intent)}</dd>
                </>
              )}
              {resolution.escalation_right !== null && (
                <>
                  <dt>Right to hand it over</dt>
                  <dd>{resolution.escalation_right ? 'yes' : 'no'}</dd>
                </>
              )}
              {resolution.note !== null && (
                <>
                  <dt>Remark</dt>
                  <dd>{resolution.note}</dd>
                </>
              )}
            </dl>
            {resolution.response !== null && <p class="inbox-text inbox-sent">{resolution.response}</p>}
            {resolution.data !== null && (
              <Json value={resolution.data} label="What the approval brought with it" />
            )}
            {resolution.output !== null && <Json value={resolution.output} label="Output of the step" />}
          </>
        )}
      </section>
      {unsent.trim() !== '' && !isOwn && (
        <section class="card stack" aria-labelledby="inbox-unsent">
          <h3 id="inbox-unsent">Your text, which was not sent</h3>
          <p class="inbox-text">{unsent}</p>
          <div class="inbox-buttons">
            <Copy text={unsent} label="Copy it" />
            <button type="button" class="quiet" onClick={() => forget(item.item_id)}>
              Discard it
            </button>
          </div>
        </section>
      )}
    </>
  );
}
