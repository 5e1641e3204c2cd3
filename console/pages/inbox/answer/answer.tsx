import { useRef, useState } from 'preact/hooks';
import { person, withPerson } from '../../../app/person.ts';
import { mayChange } from '../../../app/settings.ts';
import { TextField } from '../../../ui/fields.tsx';
import { HeldHere } from '../head.tsx';
import { Intents } from '../intents.tsx';
import { decisionWords, held, holdDecision } from '../logic/acts.ts';
import { answeredElsewhere, decide, responseOf } from '../logic/decision.ts';
import { draftOf, fillIn } from '../logic/drafts.ts';
import type { Case, Outcome } from '../logic/types.ts';
import { choicesOf } from '../logic/why.ts';
import { AnswerButtons } from './buttons.tsx';
import { RightField, TextOfAnswer, UnsentReply } from './fields.tsx';
import { useDecisionKeys } from './keys.ts';

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
  const isWaiting = waiting !== undefined;
  useDecisionKeys(isWaiting, { send, elsewhere, sayRight, choose, isDraft, choices, field, other });
  if (waiting) {
    const { outcome, response } = waiting.request.decision;
    const sentAsIs = isDraft && outcome === 'answered' ? item.draft : null;
    return <HeldHere label={decisionWords[outcome]} text={response ?? sentAsIs ?? ''} />;
  }
  return (
    <section class="card stack" aria-labelledby="inbox-decision">
      <h3 id="inbox-decision">
        {isDraft ? 'The reply that waits for you' : 'What it is about, and the answer'}
      </h3>
      <Intents choices={choices} value={draft.intent} onChange={choose} other={other} />
      <RightField value={draft.right} onChange={sayRight} />
      <UnsentReply item={item} text={text} field={field} onTake={() => setMissing(undefined)} />
      <TextOfAnswer
        item={item}
        text={text}
        missing={missing}
        field={field}
        onSend={() => send('answered')}
        onChange={() => setMissing(undefined)}
      />
      <TextField
        label="Remark with the decision, for colleagues"
        value={draft.remark ?? ''}
        onChange={(remark) => fillIn(id, { remark: remark || undefined })}
      />
      <AnswerButtons
        item={item}
        text={text}
        send={send}
        elsewhere={elsewhere}
        by={person.value || 'your name'}
      />
    </section>
  );
}
