import { withoutUnanswered } from './unanswered.ts';

/** Texts that say after an answer that it was the wrong one, without punctuation. */
const wholeTexts: ReadonlySet<string> = new Set(
  `no|nope|nah|no no|not really|wrong|wrong answer|incorrect|that s wrong|thats wrong|that is wrong|no that s wrong|
  no it s not|no it isn t|no it is not|not that|that s not it|that is not it|not true|
  nein|nee|falsch|nein falsch|stimmt nicht|das stimmt nicht|das ist falsch|leider nein|leider nicht|
  non|faux|c est faux|pas du tout|no es eso|incorrecto|eso no|no es correcto|
  sbagliato|non è questo|no non è così|fout|klopt niet|dat klopt niet|
  nie|źle|to nie to|nieprawda|não|errado|não é isso|está errado`
    .split('|')
    .map((text) => text.trim()),
);

/** Phrases that say so within a text. */
const phrases: readonly string[] = `
  not what i asked|not what i meant|not what i wanted|not what i was asking|not my question|didn t answer|did not answer|
  doesn t answer|does not answer|not answered|doesn t help|does not help|didn t help|did not help|not helpful|not helping|
  unhelpful|no help|still nothing|still no|still not|still doesn t|still does not|still isn t|still the same|same problem|
  same answer|not resolved|not solved|didn t work|did not work|already tried|already did|tried that|tried this|
  not read my|read my message|useless|
  hilft nicht|hilft mir nicht|hilft mir leider nicht|hilft leider nicht|nicht geholfen|nicht meine frage|nicht gefragt|
  nicht weitergeholfen|hilft mir nicht weiter|nicht beantwortet|beantwortet nicht|beantwortet meine frage nicht|
  immer noch nicht|immer noch nichts|immer noch kein|noch immer nicht|noch immer nichts|schon versucht|schon probiert|
  bringt nichts|bringt mir nichts|
  n aide pas|ne m aide pas|pas aidé|pas ma question|pas ce que j ai demandé|pas ce que je demande|pas répondu|
  ne répond pas|toujours rien|toujours pas|déjà essayé|pas résolu|
  no me ayuda|no ayuda|no me ha ayudado|no es lo que pregunté|no es lo que he preguntado|no responde|sigue sin|
  todavía nada|todavía no|ya lo intenté|ya lo he intentado|no me sirve|no resuelve|
  non mi aiuta|non aiuta|non mi ha aiutato|non è quello che ho chiesto|non risponde|ancora niente|ancora nulla|
  ancora non|già provato|non mi serve|non risolve|
  helpt niet|helpt me niet|helpt mij niet|niet geholpen|niet wat ik vroeg|niet mijn vraag|geen antwoord op|
  nog steeds niet|nog steeds niets|nog steeds geen|al geprobeerd|
  nie pomaga|nie pomogło|nie pomogła|nie o to pytałem|nie o to pytałam|nie odpowiada na|nadal nic|nadal nie|wciąż nic|
  wciąż nie|już próbowałem|już próbowałam|
  não ajuda|não ajudou|não me ajuda|não foi o que perguntei|não é o que perguntei|não responde|continua sem|ainda nada|
  ainda não|já tentei|não resolve`
  .split('|')
  .map((phrase) => ` ${phrase.trim()} `);

/** Longer texts are no mere follow-ups: their wish decides. */
const MAX_WORDS = 25;

/**
 * Whether a text says, after an answer, that it did not help: as a `whole` it says nothing else. Undefined where it
 * does not, or is long. The lists are the same for all languages.
 */
export function saysUnhelpful(text: string): 'whole' | 'part' | undefined {
  const words =
    text
      .slice(0, 400)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length > MAX_WORDS) return undefined;
  const plain = words.join(' ');
  if (wholeTexts.has(plain)) return 'whole';
  const isSaid =
    phrases.some((phrase) => ` ${plain} `.includes(phrase)) || withoutUnanswered(text) !== undefined;
  return isSaid ? 'part' : undefined;
}
