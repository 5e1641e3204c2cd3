import { effects, effectWord } from './effect-words.ts';

/** The effect of a tool, an agent or a step. */
export function Effect({ of }: { readonly of: string }) {
  const { tone = 'calm', why } = effects[of] ?? {};
  return (
    <span class={`tag tone-${tone}`} title={why}>
      {effectWord(of)}
    </span>
  );
}
