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
