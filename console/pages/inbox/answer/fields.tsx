import type { RefObject } from 'preact';
import { Field } from '../../../ui/fields.tsx';
import { putAside } from '../logic/acts.ts';
import { responseOf, unsentReplyOf, withDraft } from '../logic/decision.ts';
import { draftOf, fillIn } from '../logic/drafts.ts';
import type { Case } from '../logic/types.ts';

/** The most characters of an answer. */
const MOST = 8_192;

interface RightFieldProps {
  readonly value: boolean | undefined;
  readonly onChange: (right: boolean) => void;
}

/** The question whether handing the message to a person was right. */
export function RightField({ value, onChange }: RightFieldProps) {
  return (
    <div class="inbox-choice" role="group" aria-label="Right to hand it to a person?">
      <span class="inbox-choice-label">Right to hand it to a person?</span>
      {[true, false].map((right) => (
        <button
          key={String(right)}
          type="button"
          class="inbox-pick"
          aria-pressed={value === right}
          onClick={() => onChange(right)}
        >
          <kbd>{right ? 'y' : 'N'}</kbd> {right ? 'yes' : 'no'}
        </button>
      ))}
    </div>
  );
}

interface UnsentReplyProps {
  readonly item: Case;
  /** The text of the answer so far. */
  readonly text: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onTake: () => void;
}

/** The reply that the service wrote and did not send, with a button that takes it over into the answer. */
export function UnsentReply({ item, text, field, onTake }: UnsentReplyProps) {
  const unsent = unsentReplyOf(item);
  if (unsent === null) return null;
  const take = (): void => {
    onTake();
    putAside(item.item_id);
    fillIn(item.item_id, { response: withDraft(responseOf(item, draftOf(item.item_id)), unsent) });
    field.current?.focus();
  };
  return (
    <section class="stack" aria-labelledby="inbox-unsent-draft">
      <h4 id="inbox-unsent-draft">A draft of the service, which was not sent</h4>
      <p class="inbox-text inbox-draft">{unsent}</p>
      <div>
        <button type="button" disabled={text.includes(unsent)} onClick={take}>
          Use the draft
        </button>
      </div>
    </section>
  );
}

interface TextOfAnswerProps {
  readonly item: Case;
  readonly text: string;
  /** The part that is missing in it. */
  readonly missing: string | undefined;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onSend: () => void;
  readonly onChange: () => void;
}

/** The text of the answer, which is kept while it is typed. */
export function TextOfAnswer({ item, text, missing, field, onSend, onChange }: TextOfAnswerProps) {
  const isDraft = item.kind === 'draft';
  const tooLong = text.length > MOST ? `At most ${MOST.toLocaleString('en')} characters.` : undefined;
  return (
    <Field
      label={isDraft ? 'Reply' : 'Answer to the customer'}
      error={missing ?? tooLong}
      hint={
        <>
          <kbd>r</kbd> writes here, <kbd>Esc</kbd> leaves the field. The service stores it; your own system
          sends it.
        </>
      }
    >
      {(control) => (
        <textarea
          {...control}
          ref={field}
          class="inbox-reply"
          rows={isDraft ? 10 : 6}
          value={text}
          aria-invalid={missing !== undefined}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            onSend();
          }}
          onInput={({ currentTarget: { value } }) => {
            onChange();
            putAside(item.item_id);
            fillIn(item.item_id, { response: value === responseOf(item, {}) ? undefined : value });
          }}
        />
      )}
    </Field>
  );
}
