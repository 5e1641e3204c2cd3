import { useKeys } from '../../../app/keys.ts';
import type { Outcome } from '../logic/types.ts';

/** The actions of keys in a decision about a message. */
interface DecisionActs {
  readonly send: (outcome: Outcome) => void;
  readonly elsewhere: () => void;
  readonly sayRight: (right: boolean) => void;
  readonly choose: (intent: string) => void;
  /** True for a draft of the service, which is approved or discarded. */
  readonly isDraft: boolean;
  readonly choices: readonly { readonly intent: string }[];
  readonly field: { readonly current: HTMLElement | null };
  readonly other: { readonly current: HTMLElement | null };
}

/** The keys of a decision about a message; none while it waits to be sent. */
export function useDecisionKeys(isWaiting: boolean, acts: DecisionActs): void {
  const { send, elsewhere, sayRight, choose, isDraft, choices, field, other } = acts;
  useKeys(
    'Decision',
    isWaiting
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
}
