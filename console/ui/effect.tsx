/** What a call does to the world, in words: what a reader must know before it acts again. */
const effects: Readonly<
  Record<string, { readonly word: string; readonly tone: string; readonly why: string }>
> = {
  read: { word: 'reads', tone: 'calm', why: 'It changes nothing.' },
  idempotent: {
    word: 'writes, repeatable',
    tone: 'wait',
    why: 'It changes something; a repeat changes nothing more.',
  },
  write: { word: '⚠ writes', tone: 'warn', why: 'It changes something, and a repeat may change it again.' },
};

/** The effect of a tool, an agent or a step. */
export function Effect({ of }: { readonly of: string }) {
  const { word, tone, why } = effects[of] ?? { word: of, tone: 'calm', why: '' };
  return (
    <span class={`tag tone-${tone}`} title={why}>
      {word}
    </span>
  );
}

/** What a person can say of a step of which nobody knows whether it was done. */
export const saidOutcomes = ['completed', 'failed', 'retry'] as const;

/** Each of {@link saidOutcomes} in words, and what it does: the same on every page. */
export const saidWords: Readonly<
  Record<(typeof saidOutcomes)[number], { readonly word: string; readonly more: string }>
> = {
  completed: { word: 'It happened', more: 'The run goes on with the output below.' },
  failed: { word: 'It did not happen: leave it, the step fails', more: 'Nothing is done again.' },
  retry: {
    word: 'It did not happen: do it now',
    more: 'The step runs again, with the same idempotency key.',
  },
};
