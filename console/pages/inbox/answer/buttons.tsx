import { settings } from '../../../app/settings.ts';
import { CurlButton, type NamedCall } from '../../../ui/curl.tsx';
import { decisionWords } from '../logic/acts.ts';
import { resolve } from '../logic/calls.ts';
import { answeredElsewhere, decide } from '../logic/decision.ts';
import { draftOf, fillIn } from '../logic/drafts.ts';
import type { Case, Outcome } from '../logic/types.ts';

interface AnswerButtonsProps {
  readonly item: Case;
  readonly text: string;
  readonly send: (outcome: Outcome) => void;
  readonly elsewhere: () => void;
  /** The person who decides, for the requests that are shown. */
  readonly by: string;
}

/** The buttons that decide about a message, with their requests. */
export function AnswerButtons({ item, text, send, elsewhere, by }: AnswerButtonsProps) {
  const isDraft = item.kind === 'draft';
  const isUnchanged = isDraft && text === item.draft;
  const isOff = settings.value.read_only;
  return (
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
        <button type="button" class="quiet" onClick={() => fillIn(item.item_id, { response: undefined })}>
          Back to the draft of the service
        </button>
      )}
      <CurlButton calls={callsOf(item, by)} />
    </div>
  );
}

/** The requests of the decisions that can be made with what is filled in. */
function callsOf(item: Case, by: string): readonly NamedCall[] {
  const { item_id: id, kind } = item;
  const draft = draftOf(id);
  const calls = (['answered', 'dismissed', 'spam'] as const).flatMap((outcome) => {
    const decided = decide(item, draft, outcome, by);
    return 'decision' in decided
      ? [{ label: decisionWords[outcome], call: resolve(id, decided.decision) }]
      : [];
  });
  if (kind === 'draft') return calls;
  return [...calls, { label: 'Answered elsewhere', call: resolve(id, answeredElsewhere(item, draft, by)) }];
}
