/** The effect of a call on the world, in words: the reader's warning before it acts again. */
export const effects: Readonly<
  Record<string, { readonly word: string; readonly tone?: string; readonly why?: string }>
> = {
  read: { word: 'reads', why: 'It changes nothing.' },
  idempotent: {
    word: 'writes, repeatable',
    tone: 'wait',
    why: 'It changes something; a repeat changes nothing more.',
  },
  write: { word: '⚠ writes', tone: 'warn', why: 'It changes something, and a repeat may change it again.' },
  runs: { word: 'runs a workflow' },
  asks: { word: 'asks a person' },
  waits: { word: 'waits' },
  unknown: { word: '? unknown', tone: 'bad', why: 'It is not registered now.' },
};

/** An effect as a text. */
export const effectWord = (of: string): string => effects[of]?.word ?? of;

/** The outcomes that a person can give to a step of unknown outcome. */
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
