/** Frequent short words of the languages whose deeds and numbers the guard reads. */
const frequent = new Set(
  `the of and is are you your in it for with this that be on can we have will not or if as at by from please our an
   i thank thanks has was us need within when where how what after before there their they any all there's here's
   my choose open select click under then order account
   der die das und ist sind sie ihr ihre ihren ihrer ihnen wir in es für mit nicht oder wenn auf bei von bitte den dem
   ein eine einen zu zum zur im am haben hat wird werden uns vielen dank nach innerhalb können kann auch
   le la les et est sont vous votre vos nous dans pour avec ce cette pas ou si sur par de du des un une que qui merci
   en au aux il elle peut pouvez être
   el los las es son usted su sus nosotros para con este esta no o si por del que gracias al se puede le lo una`.split(
    /\s+/,
  ),
);

/** Shorter sentences are not judged: they can consist of names. */
const LEAST_WORDS = 6;

/** The least share of frequent words in a sentence. */
const LEAST_SHARE = 0.15;

/**
 * True where every sentence reads like English, German, French or Spanish: in any other language the guard would not
 * recognize a promise. Words that the known texts contain may be of any script.
 */
export function isReadable(reply: string, known: string): boolean {
  const foreign = reply.match(/[^\P{L}\p{Script=Latin}]+/gu) ?? [];
  if (foreign.some((word) => !known.includes(word))) return false;
  return reply.split(/[.!?;\n]/).every((sentence) => {
    const words = sentence.match(/[\p{L}']+/gu) ?? [];
    if (words.length < LEAST_WORDS || known.includes(sentence.trim())) return true;
    return words.filter((word) => frequent.has(word)).length >= words.length * LEAST_SHARE;
  });
}
