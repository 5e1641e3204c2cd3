import { useRef, useState } from 'preact/hooks';
import { useKeys } from '../../app/keys.ts';
import { person, withPerson } from '../../app/person.ts';
import { mayChange, settings } from '../../app/settings.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { Field, TextField } from '../../ui/fields.tsx';
import { HeldHere } from './head.tsx';
import { Intents } from './intents.tsx';
import { decisionWords, held, holdDecision, putAside } from './logic/acts.ts';
import { resolve } from './logic/calls.ts';
import { answeredElsewhere, decide, responseOf } from './logic/decision.ts';
import { draftOf, fillIn } from './logic/drafts.ts';
import type { Case, Outcome } from './logic/types.ts';
import { choicesOf } from './logic/why.ts';

/** The most characters of an answer. */
const MOST = 8_192;

/** The decision about a message: what it is about, whether it was right to hand it over, and the answer. */
export function Answer({ item }: { readonly item: Case }) {
  const { item_id: id } = item;
  const field = useRef<HTMLTextAreaElement>(null);
  const other = useRef<HTMLSelectElement>(null);
  const [missing, setMissing] = useState<string>();
  const draft = draftOf(id);
  const text = responseOf(item, draft);
  const choices = choicesOf(item.trace);
  const waiting = held.value?.id === id ? held.value : undefined;
  const isDraft = item.kind === 'draft';
  const isUnchanged = isDraft && text === item.draft;

  const send = (outcome: Outcome): void => {
    if (!mayChange() || waiting) return;
    withPerson((by) => {
      const decided = decide(item, draftOf(id), outcome, by);
      if ('decision' in decided) {
        setMissing(undefined);
        return void holdDecision(item, decided.decision);
      }
      setMissing(decided.missing);
      field.current?.focus();
    });
  };
  const elsewhere = (): void => {
    if (!mayChange() || waiting) return;
    withPerson((by) => void holdDecision(item, answeredElsewhere(item, draftOf(id), by)));
  };
  const sayRight = (right: boolean): void =>
    fillIn(id, { right: draftOf(id).right === right ? undefined : right });
  const choose = (intent: string): void =>
    fillIn(id, { intent: draftOf(id).intent === intent ? undefined : intent });
  useKeys(
    'Decision',
    waiting
      ? []
      : [
          ...choices.map(({ intent }, index) => ({
            key: String(index + 1),
            label: `it is about ${intent}`,
            run: () => choose(intent),
          })),
          { key: 'o', label: 'it is about something else', run: () => other.current?.focus() },
          { key: 'y', label: 'it was right to hand it over', run: () => sayRight(true) },
          { key: 'N', label: 'it was not right', run: () => sayRight(false) },
          { key: 'r', label: 'to the answer', run: () => field.current?.focus() },
          {
            key: 'Enter',
            label: isDraft ? 'approve the draft as it is now' : 'answer',
            run: () => send('answered'),
          },
          ...(isDraft ? [{ key: 'a', label: 'approve the draft', run: () => send('answered') }] : []),
          { key: 'x', label: isDraft ? 'discard the draft' : 'dismiss', run: () => send('dismissed') },
          { key: 's', label: 'spam', run: () => send('spam') },
          ...(isDraft ? [] : [{ key: 'e', label: 'was answered elsewhere', run: elsewhere }]),
        ],
  );
  if (waiting) {
    const { outcome, response } = waiting.request.decision;
    const sentAsIs = isDraft && outcome === 'answered' ? item.draft : null;
    return <HeldHere label={decisionWords[outcome]} text={response ?? sentAsIs ?? ''} />;
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send('answered');
    }
  };
  const by = person.value || 'your name';
  const calls = (['answered', 'dismissed', 'spam'] as const).flatMap((outcome) => {
    const decided = decide(item, draft, outcome, by);
    return 'decision' in decided
      ? [{ label: decisionWords[outcome], call: resolve(id, decided.decision) }]
      : [];
  });
  const elsewhereCall = {
    label: 'Answered elsewhere',
    call: resolve(id, answeredElsewhere(item, draft, by)),
  };
  const isOff = settings.value.read_only;
  return (
    <section class="card stack" aria-labelledby="inbox-decision">
      <h3 id="inbox-decision">
        {isDraft ? 'The reply that waits for you' : 'What it is about, and the answer'}
      </h3>
      <Intents choices={choices} value={draft.intent} onChange={choose} other={other} />
      <div class="inbox-choice" role="group" aria-label="Right to hand it to a person?">
        <span class="inbox-choice-label">Right to hand it to a person?</span>
        {[true, false].map((right) => (
          <button
            key={String(right)}
            type="button"
            class="inbox-pick"
            aria-pressed={draft.right === right}
            onClick={() => sayRight(right)}
          >
            <kbd>{right ? 'y' : 'N'}</kbd> {right ? 'yes' : 'no'}
          </button>
        ))}
      </div>
      <Field
        label={isDraft ? 'Reply' : 'Answer to the customer'}
        error={
          missing ?? (text.length > MOST ? `At most ${MOST.toLocaleString('en')} characters.` : undefined)
        }
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
            onKeyDown={onKeyDown}
            onInput={({ currentTarget }) => {
              setMissing(undefined);
              putAside(id);
              const { value } = currentTarget;
              fillIn(id, { response: value === responseOf(item, {}) ? undefined : value });
            }}
          />
        )}
      </Field>
      <TextField
        label="Remark with the decision, for colleagues"
        value={draft.remark ?? ''}
        onChange={(remark) => fillIn(id, { remark: remark || undefined })}
      />
      <div class="inbox-buttons">
        <button type="button" class="button-main" disabled={isOff} onClick={() => send('answered')}>
          {isDraft ? (isUnchanged ? 'Approve as it is' : 'Approve with changes') : 'Answer'}{' '}
          <kbd>{isDraft ? 'a' : 'Enter'}</kbd>
        </button>
        {!isDraft && (
          <button type="button" disabled={isOff} onClick={elsewhere}>
            Answered elsewhere <kbd>e</kbd>
          </button>
        )}
        <button type="button" disabled={isOff} onClick={() => send('dismissed')}>
          {isDraft ? 'Discard' : 'Dismiss'} <kbd>x</kbd>
        </button>
        <button type="button" disabled={isOff} onClick={() => send('spam')}>
          Spam <kbd>s</kbd>
        </button>
        {isDraft && !isUnchanged && (
          <button type="button" class="quiet" onClick={() => fillIn(id, { response: undefined })}>
            Back to the draft of the service
          </button>
        )}
        <CurlButton calls={isDraft ? calls : [...calls, elsewhereCall]} />
      </div>
    </section>
  );
}
