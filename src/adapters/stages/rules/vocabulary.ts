/** Words remembered at most: more than customers of one shop commonly use, and not more than about 1 MB. */
export const MAX_REMEMBERED = 4_096;

/** Words longer than this are seldom met twice. */
const LONGEST_REMEMBERED = 24;

/** Looks a word up, or, where not `thorough`, only as far as that costs nothing to speak of. */
export type LookUp<T> = (word: string, thorough: boolean) => T;

/**
 * The same look-up with a memory: what it thoroughly said of a word is kept until {@link MAX_REMEMBERED} words are,
 * and then forgotten as a whole. It has to say the same for the same word.
 */
export function createVocabulary<T>(lookUp: LookUp<T>): LookUp<T> {
  const remembered = new Map<string, T>();
  return (word, thorough) => {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    if (!thorough || !isWorthRemembering(word)) return lookUp(word, thorough);
    const own = detached(word);
    const entry = lookUp(own, true);
    if (remembered.size === MAX_REMEMBERED) remembered.clear();
    remembered.set(own, entry);
    return entry;
  };
}

/** Long numbers are order numbers and the like: another one each time. */
function isWorthRemembering(word: string): boolean {
  return word.length < 4 || (word.length <= LONGEST_REMEMBERED && word.charCodeAt(0) >= 0x61);
}

/** The word by itself: the engine keeps longer slices of a text as references that hold the whole text in memory. */
function detached(word: string): string {
  return [...word].join('');
}
